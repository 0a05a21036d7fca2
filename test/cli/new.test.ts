// `resource-api new` in its own process: what it writes and prints, and which input it refuses. test/build.test.ts runs
// the projects.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { buildProgram, program } from '../support/built-program.ts'
import { commandLine } from './command-line.ts'

// An installed package writes its version into a project; a clone would have to be built for each one.
const installed = program.endsWith('.ts') ? await buildProgram() : program

/** A command line of the installed package. */
async function installedCommandLine(context: TestContext) {
  const { folder, run } = await commandLine(context)
  return { folder, run: (args: readonly string[]) => run(args, { command: [process.execPath, installed] }) }
}

const readManifest = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const readDependency = (folder: string): string => readManifest(folder).dependencies['resource-api']
const { version } = readManifest(join(import.meta.dirname, '../..'))

const serviceFiles = [
  '.dockerignore',
  '.gitignore',
  'Dockerfile',
  'README.md',
  'compose.yaml',
  'migrations',
  'notes.test.ts',
  'notes.ts',
  'package.json',
  'resource-api.config.ts',
  'shop.service',
  'tables.ts',
  'tsconfig.json',
]
const minimalFiles = [
  '.gitignore',
  'README.md',
  'app.test.ts',
  'app.ts',
  'migrations',
  'package.json',
  'tables.ts',
  'tsconfig.json',
]

test('it writes a project, installs nothing, and prints the next commands', async context => {
  const { folder, run } = await installedCommandLine(context)
  const { code, stdout, stderr } = await run(['new', 'a/shop'])
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(readdirSync(join(folder, 'a/shop')).sort(), serviceFiles)
  assert.equal(readDependency(join(folder, 'a/shop')), version)
  assert.ok(stdout.startsWith(`Wrote 13 files to ${join(folder, 'a/shop')}: `), stdout)
  assert.ok(
    stdout.endsWith('Nothing is installed yet. Next:\n\n  cd a/shop\n  npm install\n  npm test\n  npm run dev\n'),
  )
})

test('a project of a package that was installed from a file contains that package', async context => {
  const { folder, run } = await commandLine(context)
  // Beside the other one, so that it finds the same packages.
  const modules = join(mkdtempSync(join(installed, '../../../../..', 'from-file-')), 'node_modules')
  context.after(() => rmSync(dirname(modules), { recursive: true }))
  cpSync(join(installed, '../..'), join(modules, 'resource-api'), { recursive: true })
  const entry = { resolved: 'file:../resource-api-0.1.0.tgz' }
  writeFileSync(
    join(modules, '.package-lock.json'),
    JSON.stringify({ packages: { 'node_modules/resource-api': entry } }),
  )
  const command = [process.execPath, join(modules, 'resource-api/lib/cli.js')] as const
  const { stdout } = await run(['new', 'shop'], { command })
  const packed = `resource-api-${version}.tgz`
  assert.match(
    stdout,
    new RegExp(`^resource-api ${version} was not installed from a registry: npm installs it from ${packed}\\.$`, 'm'),
  )
  assert.deepEqual(readdirSync(join(folder, 'shop')).sort(), [...serviceFiles, packed].sort())
  assert.equal(readDependency(join(folder, 'shop')), `file:${packed}`)
  const { stdout: list } = await promisify(execFile)('tar', ['-tzf', join(folder, 'shop', packed)])
  for (const file of ['package.json', 'lib/cli.js', 'templates/service/_package.json'])
    assert.ok(list.split('\n').includes(`package/${file}`), file)
})

test('a folder may be empty, or have only a Git repository', async context => {
  const { folder, run } = await installedCommandLine(context)
  mkdirSync(join(folder, 'My Books/.git'), { recursive: true })
  const { code, stdout } = await run(['new', '--minimal', 'My Books'])
  assert.equal(code, 0)
  assert.deepEqual(readdirSync(join(folder, 'My Books')).sort(), ['.git', ...minimalFiles])
  assert.match(stdout, /^The package is named my-books, /m)
  assert.match(stdout, /^ {2}cd 'My Books'$/m)
})

test('it writes into the current folder', async context => {
  const { folder } = await installedCommandLine(context)
  const cwd = join(folder, 'shop')
  mkdirSync(cwd)
  const { stdout } = await promisify(execFile)(process.execPath, [installed, 'new', '.'], { cwd })
  assert.deepEqual(readdirSync(cwd).sort(), serviceFiles)
  assert.doesNotMatch(stdout, /^ {2}cd/m)
  assert.equal(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')).name, 'shop')
})

test('wrong input is one line that says what to do, and changes nothing', async context => {
  const { folder, run } = await installedCommandLine(context)
  mkdirSync(join(folder, 'full'))
  writeFileSync(join(folder, 'full/file'), '')
  for (const [args, message] of [
    [[], 'no folder is named: resource-api new <folder>'],
    [[''], 'no folder is named: resource-api new <folder>'],
    [['a', 'b'], '"b": name one folder only'],
    [['a', '--typescript'], '--typescript: unknown option: the only one is --minimal'],
    [['full'], 'full: is not empty: name a new folder, or an empty one'],
    [['full/file'], 'full/file: is a file: name a folder'],
    [['full/file/shop'], 'full/file/shop: cannot be written (ENOTDIR)'],
    [['new/日本'], 'new/日本: "日本" cannot be the name of an npm package: use letters from a to z'],
    [['/'], '/: "" cannot be the name of an npm package: use letters from a to z'],
    [['fastify'], 'fastify: the project needs the package "fastify", so it needs another name itself'],
  ] as const)
    assert.deepEqual(
      await run(['new', ...args]),
      { code: 1, stdout: '', stderr: `resource-api: new: ${message}\n` },
      args.join(' '),
    )
  assert.deepEqual(readdirSync(folder, { recursive: true }).sort(), ['full', 'full/file'])
})

test('the help shows it', async context => {
  const { run } = await installedCommandLine(context)
  assert.match((await run(['--help'])).stdout, /^ {2}new .* write a small project to begin with$/m)
  for (const args of [
    ['new', '--help'],
    ['help', 'new'],
  ])
    assert.match((await run(args)).stdout, /^Usage: resource-api new <folder> \[--minimal\]$/m)
})

test('on a Node that cannot run the project, npm installs Node for it', async context => {
  const { folder } = await installedCommandLine(context)
  const { stdout } = await runOn('20.20.2', ['new', 'shop'], folder)
  const { node } = JSON.parse(readFileSync(join(folder, 'shop/package.json'), 'utf8')).devDependencies
  assert.match(stdout, new RegExp(`^The project needs a newer Node than 20\\.20\\.2: npm installs ${node} `, 'm'))

  const env = { ...process.env, npm_config_user_agent: 'npm/10.8.2 node/v20.19.0 linux x64' }
  const byNpm = await promisify(execFile)(process.execPath, [installed, 'new', 'by-npm'], { cwd: folder, env })
  assert.match(byNpm.stdout, /^The project needs a newer Node than 20\.19\.0: /m)
  assert.equal(readManifest(join(folder, 'by-npm')).devDependencies.node, node)

  await assert.rejects(runOn('18.20.8', ['new', 'other'], folder), {
    code: 1,
    stderr: /^resource-api needs Node 24\.16 /,
  })
  assert.equal(existsSync(join(folder, 'other')), false)
})

/** Runs the executable as if another version of Node did. */
function runOn(version: string, args: readonly string[], cwd: string) {
  const script = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  const preload = `data:text/javascript,${encodeURIComponent(script)}`
  return promisify(execFile)(process.execPath, ['--import', preload, installed, ...args], { cwd })
}
