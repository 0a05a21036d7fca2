// The code of the documentation is compiled and runs, its commands print what the pages show, and its links resolve.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort } from './support/free-port.ts'
import { type Module, parseBlocks, parsePage } from './support/page.ts'
import { createPattern, runCommands } from './support/transcripts.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const pagePaths = ['README.md', ...globSync('docs/*.md', { cwd: repository })].map(path => path.replaceAll('\\', '/'))
const otherPaths = ['CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/decisions/*.md', { cwd: repository })]

const read = (path: string) => readFile(join(repository, path), 'utf8')

interface Page {
  readonly path: string
  readonly modules: readonly Module[]
}

// The programs of the README are files of the examples, which have tests of their own.
const parse = (path: string, markdown: string) => (path === 'README.md' ? parseBlocks(markdown) : parsePage(markdown))

const pages: readonly Page[] = await Promise.all(
  pagePaths.map(async path => ({ path, modules: parse(path, await read(path)) })),
)

// An application that has installed the package: outside of the repository, and with the package in its node_modules.
let application: string

before(async () => {
  application = await mkdtemp(join(tmpdir(), 'resource-api-docs-'))
  await mkdir(join(application, 'node_modules'))
  await symlink(repository, join(application, 'node_modules/resource-api'))
  for (const name of ['fastify', 'kysely', 'zod', '@types'])
    await symlink(join(repository, 'node_modules', name), join(application, 'node_modules', name))
  await writeFile(join(application, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(application, 'tsconfig.json'), JSON.stringify(compilerOptions))
  for (const { path, modules } of pages) {
    await mkdir(folderOf(path))
    for (const { name, code } of modules) await writeFile(join(folderOf(path), name), `${code}export {}\n`)
  }
})

after(() => rm(application, { recursive: true, force: true }))

const folderOf = (path: string): string => join(application, path.replace('/', '-').replace('.md', ''))

const compilerOptions = {
  extends: join(repository, 'tsconfig.json'),
  // An example may declare what only the text around it uses.
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  include: ['*/*.ts'],
}

suite('the documentation', { concurrency: 2 }, () => {
  test('every block of TypeScript compiles', async () => {
    const compiler = join(repository, 'node_modules/.bin/tsc')
    await promisify(execFile)(compiler, ['--project', application]).catch(({ stdout }) => assert.fail(stdout))
  })

  for (const { path, modules } of pages) {
    if (path === 'README.md') continue
    for (const module of modules) {
      if (module.failure !== undefined) test(`${path}: ${module.name} fails as shown`, () => checkFailure(path, module))
      else test(`${path}: ${module.name} runs`, () => checkProgram(path, module))
    }
  }

  test('every link leads to a file, and to a heading that it has', async () => {
    for (const path of [...pagePaths, ...otherPaths])
      for (const link of findLinks(await read(path))) await checkLink(path, link)
  })

  test('docs/README.md links to every page', async () => {
    const links = findLinks(await read('docs/README.md'))
    for (const path of globSync('docs/*.md', { cwd: repository }).map(file => basename(file)))
      assert.ok(path === 'README.md' || links.includes(path), path)
  })
})

async function checkProgram(path: string, { name, code, transcripts }: Module): Promise<void> {
  const isServer = code.includes('.listen({ port: 8000 })')
  assert.ok(isServer || transcripts.length === 0, `${name} has commands, but does not listen at port 8000`)
  const { child, port, output } = await start(path, name, code)
  try {
    if (!isServer) return assert.equal((await once(child, 'exit'))[0], 0, output())
    while (!output().includes('ready')) {
      assert.equal(child.exitCode, null, output())
      await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])
    }
    const toLocal = (text: string) => text.replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`)
    const outputs = await runCommands(
      transcripts.map(({ command }) => toLocal(command)),
      { cwd: folderOf(path) },
    )
    for (const [index, { command, output }] of transcripts.entries())
      assert.match(outputs[index]!, createPattern(toLocal(output)), command)
  } finally {
    child.kill()
  }
}

async function checkFailure(path: string, { name, code, failure }: Module): Promise<void> {
  const { child, output } = await start(path, name, code)
  const [status] = await once(child, 'exit')
  assert.notEqual(status, 0, 'the module did not fail')
  assert.ok(output().includes(failure!), output())
}

interface Running {
  readonly child: ChildProcess
  readonly port: number
  output(): string
}

async function start(path: string, name: string, code: string): Promise<Running> {
  const port = await freePort()
  const file = join(folderOf(path), `run-${name}`)
  await writeFile(file, `${code.replaceAll('{ port: 8000 }', `{ port: ${port} }`)}\nconsole.log('ready')\nexport {}\n`)
  const child = spawn(process.execPath, ['--conditions=source', file], {
    cwd: folderOf(path),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => (output += text))
  return { child, port, output: () => output }
}

/** The relative links of a Markdown text, outside of its blocks of code. */
function findLinks(markdown: string): readonly string[] {
  const text = markdown.replace(/^```.*?^```$/gms, '')
  return [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!)
}

async function checkLink(from: string, link: string): Promise<void> {
  const [target, heading] = link.split('#') as [string, string?]
  const path = target === '' ? from : join(dirname(from), target)
  await stat(join(repository, path)).catch(() => assert.fail(`${from}: ${link}`))
  if (heading !== undefined) assert.ok(findHeadings(await read(path)).includes(heading), `${from}: ${link}`)
}

/** The anchors that GitHub gives to the headings of a file. */
const findHeadings = (markdown: string): readonly string[] =>
  [...markdown.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
