// A service that npm started. npm passes SIGTERM to its shell only, which ends without passing it on.

import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { program } from '../support/built-program.ts'
import { formatConfig } from '../support/config-file.ts'
import { openConnection } from '../support/raw-http.ts'
import { commandLine, type RunOptions } from './command-line.ts'

const environment = { SECRET_KEY: 's'.repeat(40), PORT: '0', LOG_LEVEL: 'silent', npm_config_update_notifier: 'false' }
const templates = fileURLToPath(new URL('../../templates/', import.meta.url))

/** Creates a project with the scripts of a template, in which `resource-api` is installed. */
async function createProject(context: TestContext, template: 'service' | 'minimal') {
  const cli = await commandLine(context)
  const { scripts } = JSON.parse(await readFile(join(templates, template, '_package.json'), 'utf8'))
  const bin = join(cli.folder, 'node_modules/.bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'resource-api'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, {
    mode: 0o755,
  })
  // The minimal program finds its packages in the folder of the template.
  const start = scripts.start.replace('app.ts', join(templates, template, 'app.ts'))
  const manifest = { name: 'shop', type: 'module', scripts: { ...scripts, start } }
  await writeFile(join(cli.folder, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(cli.folder, 'resource-api.config.ts'), formatConfig('limits: { stopTime: 600 }'))
  return cli
}

const commands: Readonly<Record<string, NonNullable<RunOptions['command']>>> = {
  'npm start, with two workers': ['npm', 'start', '--', '--workers', '2'],
  'npx resource-api serve': ['npx', 'resource-api', 'serve'],
  'npm run dev': ['npm', 'run', 'dev'],
}

suite('the end of npm stops what it started', { concurrency: true }, () => {
  for (const [name, command] of Object.entries(commands))
    test(name, async context => {
      const { start } = await createProject(context, 'service')
      const service = start([], { command, environment })
      await service.until(/http:\/\/127\.0\.0\.1:\d+/)
      // It resolves once every process with this output has ended.
      const { stderr } = await service.stop()
      assert.match(stderr, /^The process that started this one has ended: stopping$/m)
    })

  test('a request that was sent before the signal gets its response', async context => {
    const { start } = await createProject(context, 'service')
    const service = start([], { command: ['npm', 'start'], environment })
    const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
    const slow = openConnection(origin!)
    slow.send('POST /api-token-auth/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n')
    slow.send('Content-Length: 2\r\nExpect: 100-continue\r\n\r\n')
    await slow.receive(/100 Continue/)
    const ending = service.stop()
    await service.until(/has ended: stopping$/m)
    slow.send('{}')
    assert.match(await slow.receiveLast(), /^HTTP\/1.1 400 .*This field is required/s)
    await ending
  })

  test('npm start, in a minimal project', async context => {
    const { start } = await createProject(context, 'minimal')
    const service = start([], { command: ['npm', 'start'], environment })
    await service.until(/http:\/\/127\.0\.0\.1:\d+/)
    await service.stop()
  })
})
