// The command `dev`: restarts when a file of the application changes, shows causes, and stops without leaving a process.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { eventually } from '../support/patience.ts'
import { commandLine, type Running, type RunOptions } from './command-line.ts'
import { childrenOf, isAlive } from './processes.ts'

const environment = { SECRET_KEY: 's'.repeat(40) }

/** A config whose scheme throws for each request, with the message of another file. */
const config = `import { directory } from 'resource-api/directory'
import { message } from './message.ts'

export default {
  profiles: [directory()],
  schemes: [{ name: 'broken', varyOn: [], authenticate(request: { url: string }) {
    throw new Error(message + request.url, { cause: new TypeError('the reason') })
  } }],
}
`
const messageFile = (message: string) => `export const message: string = ${JSON.stringify(message)}\n`

/** Starts `dev` in a folder with these files. */
async function start(context: TestContext, files: Readonly<Record<string, string>>, options: RunOptions = {}) {
  const cli = await commandLine(context)
  const save = (name: string, text: string) => writeFile(join(cli.folder, name), text)
  for (const [name, text] of Object.entries(files)) await save(name, text)
  const dev = cli.start(['dev', '--port', '0'], { environment: { ...environment, ...options.environment } })
  context.after(() => dev.stop())
  return { cli, dev, save }
}

const application = { 'resource-api.config.ts': config, 'message.ts': messageFile('number 1 ') }

/** Returns the URL of the server that has listened for the nth time. */
async function nthUrl(dev: Running, times: number): Promise<string> {
  const [, url] = await dev.until(new RegExp(`(?:[^]*?^Listening on (http://\\S+)$){${times}}`, 'm'))
  return url!
}

const readCause = async (url: string) =>
  ((await (await fetch(`${url}/users/`)).json()) as { cause: { message: string } }).cause

suite('dev', { concurrency: 2 }, () => {
  test('dev restarts when the config, or a file that it imports, is saved or replaced, again and again', async context => {
    const { cli, dev, save } = await start(context, application)
    assert.match((await readCause(await nthUrl(dev, 1))).message, /^number 1 /)
    await save('message.ts', messageFile('number 2 '))
    assert.match((await readCause(await nthUrl(dev, 2))).message, /^number 2 /)
    // Many editors write a new file, and rename it.
    for (const number of [3, 4]) {
      await save('saved.tmp', messageFile(`number ${number} `))
      await rename(join(cli.folder, 'saved.tmp'), join(cli.folder, 'message.ts'))
      assert.match((await readCause(await nthUrl(dev, number))).message, new RegExp(`^number ${number} `))
    }
    await save('resource-api.config.ts', config.replace('message +', "'from the config ' +"))
    assert.match((await readCause(await nthUrl(dev, 5))).message, /^from the config /)
    const { stderr } = await dev.stop()
    assert.deepEqual(
      [...stderr.matchAll(/^Restarting: (\S+) changed\.$/gm)].map(([, name]) => name),
      ['message.ts', 'message.ts', 'message.ts', 'resource-api.config.ts'],
    )
  })

  test('a syntax error is shown with its line, and the next save recovers', async context => {
    const { dev, save } = await start(context, application)
    await nthUrl(dev, 1)
    await save('message.ts', 'export const other = 1\nexport const message = = 2\n')
    await dev.until(/^resource-api: .*message\.ts:2: .+\n {4}export const other = 1\n {4}export const message = = 2\n/m)
    await dev.until(/^The server has exited: waiting for a change\.$/m)
    await save('message.ts', messageFile('repaired '))
    assert.match((await readCause(await nthUrl(dev, 2))).message, /^repaired /)
  })

  test('a file that is missing, an error at start and a port in use are shown, and the next save recovers', async context => {
    const other = createServer().listen(0, '127.0.0.1')
    context.after(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { dev, save, cli } = await start(context, { 'resource-api.config.ts': config })
    await dev.until(/^resource-api: .*resource-api\.config\.ts: imports .*message\.ts, which does not exist$/m)
    await save(
      'message.ts',
      "function fail(): never {\n  throw new Error('out of order')\n}\nfail()\nexport const message = ''\n",
    )
    await dev.until(
      /^resource-api: .*message\.ts:2:9: out of order\n {4}at fail \(.*message\.ts:2:9\)\n {4}at .*message\.ts:4:1$/m,
    )
    await save('message.ts', messageFile('repaired '))
    assert.match((await readCause(await nthUrl(dev, 1))).message, /^repaired /)
    const blocked = cli.start(['dev', '--port', String(port)], { environment })
    await blocked.until(new RegExp(`^resource-api: PORT: ${port} is in use by another program`, 'm'))
    await blocked.until(/^The server has exited: waiting for a change\.$/m)
    assert.equal((await blocked.stop()).code, 0)
  })

  test('without a config file, dev serves the default, and notices when the file is created', async context => {
    const { dev, save } = await start(context, {})
    const url = await nthUrl(dev, 1)
    assert.equal((await fetch(`${url}/directory/users/`)).status, 401)
    await save('message.ts', messageFile('created '))
    await save('resource-api.config.ts', config)
    assert.match((await readCause(await nthUrl(dev, 2))).message, /^created /)
  })

  test('the cause of a 500 is on the console with the line of the file, and in the response; one line per request', async context => {
    const { dev } = await start(context, application)
    const url = await nthUrl(dev, 1)
    const response = await fetch(`${url}/users/?cursor=s3cret-cursor`)
    const text = await response.text()
    assert.equal(response.status, 500)
    const { detail, cause } = JSON.parse(text)
    assert.equal(detail, 'A server error occurred.')
    assert.equal(cause.message, 'number 1 /users/?cursor=[…]')
    assert.match(cause.stack[0], /resource-api\.config\.ts:7:\d+\)$/)
    assert.deepEqual([cause.cause.type, cause.cause.message], ['TypeError', 'the reason'])
    const page = await (await fetch(`${url}/users/`, { headers: { accept: 'text/html' } })).text()
    assert.match(page, /the reason/)
    assert.match(page, /resource-api\.config\.ts:7:/)
    const { stdout, stderr } = await dev.stop()
    assert.match(
      stdout,
      /^\d\d:\d\d:\d\d {2}ERROR {2}unhandled exception\n {4}reqId: .+\n {4}Error: number 1 .*\[…\]\n {8}at .*resource-api\.config\.ts:7:/m,
    )
    assert.match(stdout, /^ {6}caused by TypeError: the reason$/m)
    assert.match(stdout, /^\d\d:\d\d:\d\d {2}GET \/users\/ {2}500 {2}\d+\.\d ms$/m)
    // No colours, because standard output is not a terminal.
    for (const part of ['s3cret', '\u001b']) assert.ok(!(stdout + stderr + text).includes(part))
  })

  test('serve never shows a cause in the response, in production or not', async context => {
    const cli = await commandLine(context)
    for (const [name, text] of Object.entries(application)) await writeFile(join(cli.folder, name), text)
    for (const production of ['', 'production']) {
      const service = cli.start(['serve', '--port', '0'], { environment: { ...environment, NODE_ENV: production } })
      const url = await nthUrl(service, 1)
      for (const accept of ['application/json', 'text/html']) {
        const response = await fetch(`${url}/users/`, { headers: { accept } })
        assert.equal(response.status, 500)
        assert.doesNotMatch(await response.text(), /the reason|config\.ts/)
      }
      const { stdout } = await service.stop()
      assert.equal(stdout.startsWith('{'), production !== '')
      assert.match(stdout, /the reason/)
    }
  })

  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    test(`${signal} stops dev and its server, also while it restarts or waits for a change`, async context => {
      const { cli, dev, save } = await start(context, application)
      await nthUrl(dev, 1)
      const [server] = await childrenOf(dev.pid)
      assert.equal((await dev.stop(signal)).code, 0)
      assert.ok(!isAlive(server!))

      const restarting = cli.start(['dev', '--port', '0'], { environment })
      await nthUrl(restarting, 1)
      await save('message.ts', messageFile('number 2 '))
      await restarting.until(/^Restarting: /m)
      const servers = await childrenOf(restarting.pid)
      const { code, stderr } = await restarting.stop(signal)
      assert.equal(code, 0, stderr)
      for (const pid of servers) await eventually(() => !isAlive(pid), 'the server exits')

      await save('message.ts', 'export = 1')
      const waiting = cli.start(['dev', '--port', '0'], { environment })
      await waiting.until(/waiting for a change/)
      assert.equal((await waiting.stop(signal)).code, 0)
    })

  test('the server stops when dev is killed', async context => {
    const { dev } = await start(context, application)
    await nthUrl(dev, 1)
    const [server] = await childrenOf(dev.pid)
    await dev.stop('SIGKILL')
    await eventually(() => !isAlive(server!), 'the server exits')
  })

  test('a request in flight does not prevent a restart', async context => {
    const hanging = config.replace(
      'throw new Error',
      "if (request.url.includes('hang')) return new Promise(() => undefined)\n    throw new Error",
    )
    const { dev, save } = await start(context, { ...application, 'resource-api.config.ts': hanging })
    const url = await nthUrl(dev, 1)
    const request = fetch(`${url}/users/?hang`).then(
      () => 'response',
      () => 'aborted',
    )
    await readCause(url)
    await save('message.ts', messageFile('number 2 '))
    assert.match((await readCause(await nthUrl(dev, 2))).message, /^number 2 /)
    assert.equal(await request, 'aborted')
  })

  test('dev is refused in production and with several workers, in one line', async context => {
    const cli = await commandLine(context)
    const workers = await cli.run(['dev', '--workers', '4'], { environment })
    assert.deepEqual([workers.code, workers.stdout], [1, ''])
    assert.equal(
      workers.stderr,
      'resource-api: --workers: dev runs one process: remove the option, or use "resource-api serve"\n',
    )
    const production = await cli.run(['dev'], { environment: { NODE_ENV: 'production' } })
    assert.equal(production.code, 1)
    assert.match(production.stderr, /^resource-api: NODE_ENV: dev does not run in production.+"resource-api serve"\n$/)
    await writeFile(join(cli.folder, 'resource-api.config.ts'), 'export default { production: true, workers: 3 }')
    const dev = cli.start(['dev', '--port', '0'], { environment })
    await dev.until(/^resource-api: production: dev does not run in production/m)
    await writeFile(join(cli.folder, 'resource-api.config.ts'), 'export default { workers: 3 }')
    await nthUrl(dev, 1)
    assert.equal((await childrenOf(dev.pid)).length, 1)
    assert.equal((await dev.stop()).code, 0)
  })
})

suite('config files', { concurrency: 2 }, () => {
  const cases: Readonly<Record<string, readonly [file: string, text: string, message: RegExp]>> = {
    'that throws': [
      'throws.ts',
      "const read = (): never => {\n  throw new Error('no currency')\n}\nexport default read()",
      /^resource-api: \S+throws\.ts:2:9: no currency\n$/,
    ],
    'without a default export': [
      'none.ts',
      'export const settings = {}',
      /^resource-api: \S+none\.ts: must end with "export default defineService\(\{ … \}\)"\n$/,
    ],
    'whose default export is null': ['null.ts', 'export default null', /^resource-api: \S+null\.ts: must end with /],
    'in JSON': ['config.json', '{}', /^resource-api: \S+config\.json: must be a TypeScript or JavaScript module .+\n$/],
    'with a missing package': [
      'package.ts',
      "import x from '@shop/prices/eur'\nexport default x",
      /^resource-api: \S+package\.ts: imports the package @shop\/prices, which is not installed: npm install @shop\/prices\n$/,
    ],
    'with a missing file': [
      'import.ts',
      "import x from './prices.ts'\nexport default x",
      /^resource-api: \S+import\.ts: imports \S+prices\.ts, which does not exist\n$/,
    ],
    'with a missing export': [
      'export.ts',
      "\nimport { nothing } from './none.ts'\nexport default nothing",
      /^resource-api: \S+export\.ts:2: The requested module '.\/none\.ts' does not provide an export named 'nothing'\n$/,
    ],
    'with a syntax error': [
      'syntax.ts',
      'const a = 1\nexport default { a: 1 1 }',
      /^resource-api: \S+syntax\.ts:2: .+\n$/,
    ],
    'with TypeScript that Node cannot run': [
      'enum.ts',
      'enum Currency { eur }\nexport default {}',
      /^resource-api: \S+enum\.ts:1: TypeScript enum is not supported in strip-only mode\n$/,
    ],
    'with a syntax error in JavaScript': [
      'syntax.mjs',
      'const a = 1\nexport default { a: 1 1 }',
      /^resource-api: \S+syntax\.mjs:2: Unexpected number\n$/,
    ],
    'that imports JavaScript with a syntax error': [
      'imports.mjs',
      "import x from './syntax.mjs'\nexport default x",
      /^resource-api: \S+imports\.mjs, or a file that it imports: Unexpected number\n$/,
    ],
    'that throws no error': ['text.ts', "throw 'a text'", /^resource-api: \S+text\.ts: threw "a text"\n$/],
  }
  for (const [name, [file, text, message]] of Object.entries(cases))
    test(`serve explains a config file ${name} in one line`, async context => {
      const cli = await commandLine(context)
      const imported = ['without a default export', 'with a syntax error in JavaScript']
      for (const [name, text] of imported.map(key => cases[key]!)) await writeFile(join(cli.folder, name), text)
      await writeFile(join(cli.folder, file), text)
      const { code, stdout, stderr } = await cli.run(['serve', '--config', file], { environment })
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, message)
    })

  test('a folder and a missing file are no config files', async context => {
    const cli = await commandLine(context)
    await mkdir(join(cli.folder, 'folder.ts'))
    const folder = await cli.run(['check', '--config', 'folder.ts'], { environment })
    assert.match(folder.stderr, /^resource-api: \S+folder\.ts: .+\n$/)
    await rm(join(cli.folder, 'folder.ts'), { recursive: true })
    const missing = await cli.run(['check', '--config', 'folder.ts'], { environment })
    assert.match(missing.stderr, /^resource-api: --config: the file \S+folder\.ts does not exist\n$/)
  })
})
