// Runs the services of the documentation: a page with a module `resource-api.config.ts` is served by `resource-api serve`,
// and its commands have to print the output that the page shows, where `…` stands for text that differs between machines.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from './support/free-port.ts'
import { type Module, parsePage } from './support/page.ts'
import { createPattern, runCommands } from './support/transcripts.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const cli = join(repository, 'src/cli.ts')
const configFile = 'resource-api.config.ts'

const texts = await Promise.all(
  globSync('docs/*.md', { cwd: repository }).map(async path => ({
    path,
    text: await readFile(join(repository, path), 'utf8'),
  })),
)

suite('the services of the documentation', { concurrency: 2 }, () => {
  for (const { path, text } of texts.filter(page => page.text.includes(`// ${configFile}\n`)))
    test(`${path}: the commands print what the page shows`, async () => {
      const modules = parsePage(text)
      const transcripts = modules.flatMap(module => module.transcripts)
      assert.ok(transcripts.length > 0)
      const port = await freePort()
      const toLocal = (shown: string) => shown.replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`)
      await using service = await startService(modules, port)
      const outputs = await runCommands(
        transcripts.map(({ command }) => toLocal(command)),
        // npm may warn about the settings of its user, which are not part of the page.
        { cwd: service.folder, env: { ...process.env, npm_config_loglevel: 'error' } },
      )
      for (const [index, { command, output }] of transcripts.entries())
        assert.match(outputs[index]!, createPattern(toLocal(output)), command)
    })
})

/** Starts the service in an application of its own, which has installed the package. */
async function startService(modules: readonly Module[], port: number) {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-pages-'))
  const installed = join(folder, 'node_modules')
  await mkdir(join(installed, '.bin'), { recursive: true })
  await symlink(repository, join(installed, 'resource-api'))
  for (const name of ['fastify', 'kysely', 'zod'])
    await symlink(join(repository, 'node_modules', name), join(installed, name))
  const command = `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`
  await writeFile(join(installed, '.bin/resource-api'), command, { mode: 0o755 })
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  for (const { name, code } of modules) await writeFile(join(folder, name), code)
  const child = spawn(process.execPath, [cli, 'serve', '--port', String(port)], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  await waitForStart(child)
  return {
    folder,
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function waitForStart(child: ChildProcess): Promise<void> {
  let text = ''
  for await (const chunk of child.stderr!.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (text.includes('Listening on')) return void child.stderr!.resume()
  }
  throw new Error(`resource-api serve exited: ${text}`)
}
