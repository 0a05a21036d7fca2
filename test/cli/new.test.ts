// `resource-api new` in its own process: what it writes and prints, and which input it refuses. test/build.test.ts runs
// the projects.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { program } from '../support/built-program.ts'
import { commandLine } from './command-line.ts'

const serviceFiles = [
  '.gitignore',
  'README.md',
  'migrations.ts',
  'notes.test.ts',
  'notes.ts',
  'package.json',
  'resource-api.config.ts',
  'tsconfig.json',
]
const minimalFiles = ['.gitignore', 'README.md', 'app.test.ts', 'app.ts', 'package.json', 'tsconfig.json']

test('it writes a project, installs nothing, and prints the next commands', async context => {
  const { folder, run } = await commandLine(context)
  const { code, stdout, stderr } = await run(['new', 'a/shop'])
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(readdirSync(join(folder, 'a/shop')).sort(), serviceFiles)
  assert.ok(stdout.startsWith(`Wrote 8 files to ${join(folder, 'a/shop')}: `), stdout)
  assert.ok(
    stdout.endsWith('Nothing is installed yet. Next:\n\n  cd a/shop\n  npm install\n  npm test\n  npm run dev\n'),
  )
})

test('a folder may be empty, or have only a Git repository', async context => {
  const { folder, run } = await commandLine(context)
  mkdirSync(join(folder, 'My Books/.git'), { recursive: true })
  const { code, stdout } = await run(['new', '--minimal', 'My Books'])
  assert.equal(code, 0)
  assert.deepEqual(readdirSync(join(folder, 'My Books')).sort(), ['.git', ...minimalFiles])
  assert.match(stdout, /^The package is named my-books, /m)
  assert.match(stdout, /^ {2}cd 'My Books'$/m)
})

test('it writes into the current folder', async context => {
  const { folder } = await commandLine(context)
  const cwd = join(folder, 'shop')
  mkdirSync(cwd)
  const { stdout } = await promisify(execFile)(process.execPath, [program, 'new', '.'], { cwd })
  assert.deepEqual(readdirSync(cwd).sort(), serviceFiles)
  assert.doesNotMatch(stdout, /^ {2}cd/m)
  assert.equal(JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8')).name, 'shop')
})

test('wrong input is one line that says what to do, and changes nothing', async context => {
  const { folder, run } = await commandLine(context)
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
  const { run } = await commandLine(context)
  assert.match((await run(['--help'])).stdout, /^ {2}new .* write a small project to begin with$/m)
  for (const args of [
    ['new', '--help'],
    ['help', 'new'],
  ])
    assert.match((await run(args)).stdout, /^Usage: resource-api new <folder> \[--minimal\]$/m)
})

test('on a Node that cannot run the project, npm installs Node for it', async context => {
  const { folder } = await commandLine(context)
  const { stdout } = await runOn('20.20.2', ['new', 'shop'], folder)
  const { node } = JSON.parse(readFileSync(join(folder, 'shop/package.json'), 'utf8')).devDependencies
  assert.match(stdout, new RegExp(`^The project needs a newer Node than 20\\.20\\.2: npm installs ${node} `, 'm'))

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
  return promisify(execFile)(process.execPath, ['--import', preload, program, ...args], { cwd })
}
