// The code of the documentation compiles and runs, and its commands print what the pages show.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, fork, spawnSync } from 'node:child_process'
import { on } from 'node:events'
import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type Module, parsePage } from './support/page.ts'
import type { Outcome } from './support/run-programs.ts'
import { createPattern, runCommands } from './support/transcripts.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
// The commands of the page that is left out need the service of the repository: test/getting-started.test.ts runs them.
const pagePaths = globSync('docs/*.md', { cwd: repository })
  .map(path => path.replaceAll('\\', '/'))
  .filter(path => path !== 'docs/getting-started.md')

const read = (path: string) => readFile(join(repository, path), 'utf8')

interface Page {
  readonly path: string
  readonly modules: readonly Module[]
}

const pages: readonly Page[] = await Promise.all(
  pagePaths.map(async path => ({ path, modules: parsePage(await read(path)) })),
)

/** A module of a page, which runs. */
interface Program extends Module {
  readonly page: string
}

const programs: readonly Program[] = pages.flatMap(({ path, modules }) =>
  modules.map(module => ({ ...module, page: path })),
)

const hasPython = spawnSync('python3', ['--version']).status === 0

const hasTests = ({ code }: Program): boolean => code.includes("from 'node:test'")
const sharedPrograms = programs.filter(program => !hasTests(program))

const installed = [
  ...['fastify', 'kysely', 'zod', '@fastify', '@types', '@tanstack', 'react', 'react-dom', 'ra-core'],
  ...['ra-data-django-rest-framework', 'quicktype-core'],
]

// An application that has installed the package: outside of the repository, and with the package in its node_modules.
let application: string
/** The messages of the compiler. */
let compiling: Promise<string>
let runner: ChildProcess
let outcomes: ReadonlyMap<string, Outcome>

before(async () => {
  application = await mkdtemp(join(tmpdir(), 'resource-api-docs-'))
  await mkdir(join(application, 'node_modules'))
  await symlink(repository, join(application, 'node_modules/resource-api'))
  for (const name of installed)
    await symlink(join(repository, 'node_modules', name), join(application, 'node_modules', name))
  await writeFile(join(application, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(join(application, 'tsconfig.json'), JSON.stringify(compilerOptions))
  await writeFile(join(application, 'tsconfig.pages.json'), JSON.stringify(compilerOptionsOfPages))
  for (const { path, modules } of pages) {
    await mkdir(join(application, folderOf(path)))
    for (const { name, code } of modules) await writeFile(join(application, folderOf(path), name), `${code}export {}\n`)
  }
  compiling = Promise.all(['tsconfig.json', 'tsconfig.pages.json'].map(compile)).then(messages => messages.join(''))
  for (const program of programs) await writeFile(fileOf(program), await createRunnable(program))
  runner = fork(join(repository, 'test/support/run-programs.ts'), sharedPrograms.map(fileOf), {
    cwd: application,
    execArgv: ['--conditions=source'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  outcomes = await receiveOutcomes()
})

after(async () => {
  // A program may handle other signals.
  runner.kill('SIGKILL')
  await rm(application, { recursive: true, force: true })
})

const folderOf = (path: string): string => path.replace('/', '-').replace('.md', '')
const fileOf = ({ page, name }: Program): string =>
  join(application, folderOf(page), `run-${name.replace(/\.tsx$/, '.js')}`)

const compile = (project: string): Promise<string> =>
  promisify(execFile)(join(repository, 'node_modules/.bin/tsc'), ['--project', join(application, project)]).then(
    () => '',
    ({ stdout, message }) => stdout || message,
  )

// A server listens at a free port, and tells the runner which.
async function createRunnable({ page, name, code }: Program): Promise<string> {
  const runnable = code.includes(listen)
    ? `${code.replace(listen, '.listen({ port: 0 })')}\nexport { app }\n`
    : `${code}\nexport {}\n`
  return name.endsWith('.tsx') ? bundlePage(runnable, join(application, folderOf(page))) : runnable
}

// Code for browsers is bundled, and imports the modules of packages that bundlers choose.
async function bundlePage(contents: string, resolveDir: string): Promise<string> {
  const { outputFiles } = await build({
    ...{ stdin: { contents, loader: 'tsx', resolveDir }, bundle: true, write: false, logLevel: 'error' },
    ...{ platform: 'node', format: 'esm', jsx: 'automatic', mainFields: ['module', 'main'], packages: 'bundle' },
    external: ['resource-api', 'fastify', 'react', 'react-dom', '@tanstack/*', 'quicktype-core'],
  })
  return outputFiles[0]!.text
}

const listen = '.listen({ port: 8000 })'

// One process runs all programs, because loading the framework for each would take most of the time.
async function receiveOutcomes(): Promise<ReadonlyMap<string, Outcome>> {
  const received = new Map<string, Outcome>()
  for await (const [outcome] of on(runner, 'message', { close: ['exit'] })) {
    received.set(outcome.file, outcome)
    if (received.size === sharedPrograms.length) break
  }
  return received
}

const compilerOptions = {
  extends: join(repository, 'tsconfig.json'),
  // An example may declare what only the text around it uses.
  compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
  include: ['*/*.ts'],
  exclude: ['*/run-*.ts'],
}

const compilerOptionsOfPages = {
  extends: './tsconfig.json',
  compilerOptions: {
    ...{ noUnusedLocals: false, noUnusedParameters: false, jsx: 'react-jsx', module: 'esnext' },
    moduleResolution: 'bundler',
  },
  include: ['*/*.tsx'],
}

suite('the documentation', { concurrency: 2 }, () => {
  test('every block of TypeScript compiles', async () => assert.equal(await compiling, ''))

  for (const program of programs) {
    const { page, name, failure } = program
    test(`${page}: ${name} ${failure === undefined ? 'runs' : 'fails'} as shown`, () => checkProgram(program))
    if (program.python !== '')
      test(`${page}: the program in Python runs`, { skip: !hasPython && 'python3 is not installed' }, () =>
        runPython(program),
      )
  }
})

async function checkProgram(program: Program): Promise<void> {
  if (hasTests(program)) return runTests(program)
  const { transcripts, failure: expected } = program
  const { failure, port } = outcomes.get(fileOf(program)) ?? assert.fail('the program ended the process')
  if (expected !== undefined) return assert.ok(failure?.includes(expected), failure ?? 'the program did not fail')
  assert.equal(failure, undefined)
  // test/service-pages.test.ts serves config files, and runs the commands of their pages.
  if (programs.some(({ page, name }) => page === program.page && name === 'resource-api.config.ts')) return
  assert.ok(port !== undefined || transcripts.length === 0, `a program with commands ends with app${listen}`)
  const toLocal = (text: string) => text.replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`)
  const outputs = await runCommands(
    transcripts.map(({ command }) => toLocal(command)),
    { cwd: application },
  )
  for (const [index, { command, output }] of transcripts.entries())
    assert.match(outputs[index]!, createPattern(toLocal(output)), command)
}

async function runPython(program: Program): Promise<void> {
  const { port } = outcomes.get(fileOf(program)) ?? assert.fail('the program ended the process')
  const code = program.python.replaceAll('127.0.0.1:8000', `127.0.0.1:${port}`)
  await promisify(execFile)('python3', ['-c', code]).catch(({ stderr }) => assert.fail(stderr))
}

// The tests of a program run after its import, so they decide how its process exits.
async function runTests(program: Program): Promise<void> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const run = promisify(execFile)(process.execPath, [fileOf(program)], { cwd: application, env })
  await run.catch(({ stdout, stderr }) => assert.fail(stdout + stderr))
}
