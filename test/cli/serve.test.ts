// The serve command: start, errors at start, exit, and the generated secret in development.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { formatJsonConfig } from '../support/config-file.ts'
import { patience } from '../support/patience.ts'
import { commandLine } from './command-line.ts'

/** Seconds; a process that waits for an idle connection takes longer than the test allows. */
const longer = (2 * patience) / 1000

const listening = /^Listening on (http:\/\/\S+)$/m

// Each command is a separate process, so the tests can run concurrently.
suite('serve', { concurrency: true }, () => {
  test('serve responds at the URL that it prints, and exits after SIGTERM', async context => {
    const cli = await commandLine(context)
    const config = formatJsonConfig({ limits: { idleTime: longer, stopTime: longer } })
    await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const service = cli.start(['serve', '--port', '0'])
      const [, url] = await service.until(listening)
      const response = await fetch(`${url}/`)
      assert.deepEqual(await response.json(), { directory: `${url}/directory/`, snippets: `${url}/snippet/` })
      const start = performance.now()
      const { code, stderr } = await service.stop(signal)
      assert.equal(code, 0)
      assert.match(stderr, new RegExp(`^${signal}: stopping$`, 'm'))
      assert.ok(performance.now() - start < patience, 'an idle connection does not delay the exit')
    }
  })

  test('AUTH-SCH-1: in production, serve warns about basic, and about serving without HTTPS', async context => {
    const cli = await commandLine(context)
    const service = cli.start(['serve', '--port', '0'], {
      environment: { NODE_ENV: 'production', SECRET_KEY: 's'.repeat(40) },
    })
    await service.until(listening)
    const { stderr } = await service.stop('SIGTERM')
    assert.match(stderr, /^warning: PUBLIC_URL: .+HTTPS/m)
    assert.match(stderr, /^warning: AUTHENTICATION: basic is for testing/m)
  })

  test('serve reports in one line that its port is in use', async context => {
    const cli = await commandLine(context)
    const other = createServer().listen(0, '127.0.0.1')
    context.after(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, stderr } = await cli.run(['serve'], {
      environment: { PORT: String(port), SECRET_KEY: 's'.repeat(40) },
    })
    assert.equal(code, 1)
    assert.equal(stderr, `resource-api: PORT: ${port} is in use by another program; choose another with --port\n`)
  })

  test('an invalid setting is an error at start, and is named in one line', async context => {
    const cli = await commandLine(context)
    const startWith = async (environment: Record<string, string>, ...args: string[]) => {
      const { code, stdout, stderr } = await cli.run(['serve', '--port', '0', ...args], { environment })
      assert.deepEqual([code, stdout], [1, ''])
      return stderr
    }
    assert.equal(
      await startWith({ NODE_ENV: 'production' }),
      'resource-api: SECRET_KEY: must be set when NODE_ENV is production (32 random characters or more)\n',
    )
    assert.equal(await startWith({}, '--port', 'abc'), 'resource-api: --port: must be a whole number, not "abc"\n')
    assert.equal(
      await startWith({}, '--config', 'none.ts'),
      `resource-api: --config: the file ${join(cli.folder, 'none.ts')} does not exist\n`,
    )
    assert.equal(
      await startWith({}, '--profile', 'foo'),
      'resource-api: --profile: must be one or more of directory, snippets, not "foo"\n',
    )
    assert.equal(
      await startWith({ DATABASE_URL: 'mysql://root:hunter2@db' }),
      'resource-api: DATABASE_URL: must be sqlite:<path> or postgres://…\n',
    )
  })

  test('in development, a secret is generated in the folder of the database, readable only by its owner, and reused', async context => {
    const cli = await commandLine(context)
    const file = join(cli.folder, 'secret-key')
    const first = await cli.run(['migrate'])
    assert.match(first.stderr, new RegExp(`^SECRET_KEY is not set: made one for development, in ${file}\n`))
    const made = await readFile(file, 'utf8')
    assert.match(made, /^[\w-]{43}\n$/)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const second = await cli.run(['migrate'])
    assert.equal(second.stderr, 'The database is up to date.\n')
    assert.equal(await readFile(file, 'utf8'), made)
  })
})
