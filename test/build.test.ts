// The built package is complete: the service starts, and serves the files of its pages.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const repository = fileURLToPath(new URL('..', import.meta.url))

test('the built package serves pages with their stylesheets and their script', { timeout: 60_000 }, async context => {
  // In this folder, Node finds the dependencies.
  const folder = await mkdtemp(join(repository, 'node_modules', '.build-test-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await promisify(execFile)(process.execPath, ['scripts/build.ts', folder], { cwd: repository })
  const cli = join(folder, 'cli.js')
  const service = spawn(process.execPath, [cli, 'serve', '--demo', '--port', '0'], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: `sqlite:${folder}/test.db`, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  context.after(async () => {
    service.kill()
    if (service.exitCode === null) await once(service, 'exit')
  })
  let output = ''
  service.stderr.on('data', chunk => {
    output += String(chunk)
  })
  for await (const chunk of service.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk)
    if (output.includes('http://')) break
  }
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
  assert.ok(origin, output)
  const page = await (await fetch(`${origin}/snippet/`, { headers: { accept: 'text/html' } })).text()
  const urls = [...page.matchAll(/(?:href|src)="([^"]*\/-\/[^"]*)"/g)].map(([, url]) => url!)
  assert.equal(urls.length, 3)
  for (const url of urls) assert.equal((await fetch(origin + url)).status, 200, url)
  const { results } = (await (await fetch(`${origin}/snippet/snippets/`)).json()) as { results: { id: number }[] }
  const highlighted = await (await fetch(`${origin}/snippet/snippets/${results[0]!.id}/highlight/`)).text()
  assert.match(highlighted, /<span class="c0">/, 'the thread that highlights was found')
})
