// Runs every command of docs/getting-started.md against a service that is started as the page says. The output must match
// the page, where `…` stands for text that differs between machines.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createPattern, parseTranscripts, runCommands } from './support/transcripts.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const page = await readFile(join(repository, 'docs/getting-started.md'), 'utf8')

let folder: string
let service: ChildProcess
let origin: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resource-api-getting-started-'))
  service = spawn('npm', ['start', '--silent'], {
    cwd: repository,
    env: { ...process.env, PORT: '0', DATABASE_URL: `sqlite:${folder}/resource-api.db`, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'inherit'],
    // npm, its shell and Node form one process group, so that all of them can be stopped.
    detached: true,
  })
  origin = await firstUrl(service)
})

after(async () => {
  process.kill(-service.pid!, 'SIGTERM')
  if (service.exitCode === null) await once(service, 'exit')
  await rm(folder, { recursive: true, force: true })
})

test('every command of the page prints the output that the page shows', async () => {
  const transcripts = parseTranscripts(page)
  assert.ok(transcripts.length >= 10)
  const outputs = await runCommands(
    transcripts.map(({ command }) => toLocal(command)),
    { cwd: repository, env: { ...process.env, DATABASE_URL: `sqlite:${folder}/resource-api.db` } },
  )
  for (const [index, { command, output }] of transcripts.entries()) {
    assert.match(outputs[index]!, createPattern(toLocal(output)), command)
  }
})

async function firstUrl(child: ChildProcess): Promise<string> {
  let text = ''
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(text)
    if (url === null) continue
    child.stdout!.resume()
    return url[0]
  }
  throw new Error(`npm start exited: ${text}`)
}

function toLocal(text: string): string {
  return text
    .replaceAll('http://127.0.0.1:8000', origin)
    .replaceAll('data/demo-password', join(folder, 'demo-password'))
}
