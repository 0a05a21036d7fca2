// Runs every command of the README against a service that is started as the README says. The output must match the
// README, where `…` stands for text that differs between machines.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

interface Transcript {
  readonly command: string
  readonly output: string
}

const repository = fileURLToPath(new URL('..', import.meta.url))
const readme = await readFile(join(repository, 'README.md'), 'utf8')

let folder: string
let service: ChildProcess
let origin: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resource-api-readme-'))
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

test('every command of the README prints the output that the README shows', async () => {
  const transcripts = parseTranscripts(readme)
  assert.ok(transcripts.length >= 10)
  const outputs = await runAll(transcripts.map(({ command }) => toLocal(command)))
  for (const [index, { command, output }] of transcripts.entries()) {
    assert.match(normalize(outputs[index]!), createPattern(toLocal(output)), command)
  }
})

test('every file that the README links to exists', async () => {
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link]) => link!)
  await Promise.all(links.map(link => readFile(join(repository, link)).catch(checkFolder)))
})

function checkFolder(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EISDIR') throw error
}

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

/** Parses the commands of the `console` blocks, each with the lines that follow it. */
function parseTranscripts(markdown: string): readonly Transcript[] {
  const blocks = [...markdown.matchAll(/^```console\n(.*?)^```/gms)].map(([, block]) => block!)
  return blocks.flatMap(block =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map(part => {
        const [, command, output] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part)!
        return { command: command!, output: output! }
      }),
  )
}

// One shell runs all commands, so that they share variables.
async function runAll(commands: readonly string[]): Promise<readonly string[]> {
  const separator = '-- next command --'
  const script = commands.map(command => `${command}\necho; echo '${separator}'`).join('\n')
  const env = { ...process.env, DATABASE_URL: `sqlite:${folder}/resource-api.db` }
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: repository, env })
  return stdout.split(separator)
}

function toLocal(text: string): string {
  return text
    .replaceAll('http://127.0.0.1:8000', origin)
    .replaceAll('data/demo-password', join(folder, 'demo-password'))
}

const normalize = (text: string): string => text.replaceAll('\r', '').trim()

function createPattern(text: string): RegExp {
  const services = normalize(text).split('…')
  return new RegExp(`^${services.map(part => RegExp.escape(part)).join('[\\s\\S]*?')}$`)
}
