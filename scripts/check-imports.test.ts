import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { findViolations, readImports } from './check-imports.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'check-imports-'))
})
afterEach(() => rmSync(root, { recursive: true }))

test('imports of the same layer, of packages and of the entry points of lower layers are allowed', () => {
  assert.deepEqual(
    check({
      'src/api/index.ts': `export * from './fields/b.ts'\nexport * from './browsable/f.ts'`,
      'src/framework/a.ts': `import fs from 'node:fs'\nimport './fields/b.ts'`,
      'src/framework/fields/b.ts': 'export {}',
      'src/framework/browsable/f.ts': `import './g.ts'\nimport '../a.ts'`,
      'src/framework/browsable/g.ts': '',
      'src/accounts/index.ts': `import 'resource-api'`,
      'src/profiles/snippets/d.ts': `import 'resource-api/accounts'\nimport './e.ts'`,
      'src/profiles/snippets/e.ts': '',
      'src/cli.ts': `import 'resource-api/accounts'\nimport './application.ts'\nimport './new/command.ts'`,
      'src/application.ts': '',
      'src/new/command.ts': '',
      'test/http/h.ts': `import 'resource-api'\nimport '../support.ts'\nimport '../../src/application.ts'`,
      'test/support.ts': `import '../src/framework/a.ts'`,
    }),
    [],
  )
})

test('files above the framework, the HTTP tests, the examples and the templates import other layers by entry points only', () => {
  const message = '"…" must be imported from an entry point such as resource-api'
  assert.deepEqual(
    check({
      'src/api/index.ts': '',
      'src/framework/a.ts': `import 'resource-api'`,
      'src/accounts/b.ts': `import '../framework/a.ts'`,
      'src/accounts/c.test.ts': `import '../framework/a.ts'`,
      'examples/d.ts': `import '../src/framework/a.ts'`,
      'templates/service/f.ts': `import '../../src/framework/a.ts'`,
      'test/http/e.test.ts': `import '../../src/framework/a.ts'`,
    }),
    [
      `src/accounts/b.ts:1: ${message.replace('…', '../framework/a.ts')}`,
      `src/accounts/c.test.ts:1: ${message.replace('…', '../framework/a.ts')}`,
      'src/framework/a.ts:1: framework must import its own files by relative paths',
      `test/http/e.test.ts:1: ${message.replace('…', '../../src/framework/a.ts')}`,
      `examples/d.ts:1: ${message.replace('…', '../src/framework/a.ts')}`,
      `templates/service/f.ts:1: ${message.replace('…', '../../src/framework/a.ts')}`,
    ],
  )
})

test('an import of a higher layer is a violation, also of types and in tests', () => {
  const message = 'framework may not import accounts, which builds on it'
  assert.deepEqual(
    check({
      'src/framework/a.ts': `\nimport type { User } from '../accounts/user.ts'`,
      'src/framework/b.ts': `type User = import('../accounts/user.ts').User`,
      'src/framework/c.ts': `export * from '../accounts/user.ts'`,
      'src/framework/d.test.ts': `await import('../accounts/user.ts')`,
      'src/accounts/user.ts': 'export interface User {}',
    }),
    ['a.ts:2', 'b.ts:1', 'c.ts:1', 'd.test.ts:1'].map(place => `src/framework/${place}: ${message}`),
  )
})

test('layers do not import an entry file, and shipped files do not import tests', () => {
  assert.deepEqual(
    check({
      'src/service/a.ts': `import '../index.ts'\nimport '../../test/kit.ts'`,
      'src/service/a.test.ts': `import '../../test/kit.ts'`,
      'src/index.ts': '',
      'test/kit.ts': '',
    }),
    [
      'src/service/a.ts:1: service may not import index.ts, which builds on it',
      'src/service/a.ts:2: src/ may not import test/kit.ts',
    ],
  )
})

test('a profile may not import another', () => {
  assert.deepEqual(
    check({
      'src/profiles/directory/a.ts': `import '../snippets/b.ts'`,
      'src/profiles/snippets/b.ts': '',
    }),
    ['src/profiles/directory/a.ts:1: the profile directory may not import the profile snippets'],
  )
})

test('inside the framework only browsable/ imports browsable/', () => {
  assert.deepEqual(
    check({
      'src/framework/a.ts': `import './browsable/b.ts'`,
      // The public exports of the package.
      'src/api/index.ts': `import './browsable/b.ts'`,
      'src/framework/browsable/b.ts': '',
    }),
    ['src/framework/a.ts:1: only browsable/ may import browsable/'],
  )
})

test('a relative import has a file ending', () => {
  assert.deepEqual(
    check({
      'src/framework/a.ts': `import './b'\nimport './b.js'\nimport './b.ts'\nimport data from './c.json' with { type: 'json' }`,
      'src/framework/b.ts': '',
    }),
    ['src/framework/a.ts:1: "./b" lacks its ending .ts', 'src/framework/a.ts:2: "./b.js" lacks its ending .ts'],
  )
})

test('comments and strings are not imports', () => {
  const text = `/** @example import { b } from './b' */\nexport const code = \`import './b'\`\n// import './b'`
  assert.deepEqual(check({ 'src/framework/a.ts': text }), [])
})

test('a cycle of files is a violation', () => {
  assert.deepEqual(
    check({
      'src/framework/a.ts': `import './b.ts'`,
      'src/framework/b.ts': `\nimport './c.ts'`,
      'src/framework/c.ts': `import './b.ts'`,
    }),
    ['src/framework/c.ts:1: import cycle src/framework/b.ts → src/framework/c.ts → src/framework/b.ts'],
  )
})

test('type imports close a cycle too, in whatever form they are written', () => {
  for (const written of [
    `import type { B } from './b.ts'`,
    `import { type B } from './b.ts'`,
    `export type { B } from './b.ts'`,
    `export type C = import('./b.ts').B`,
  ])
    assert.deepEqual(
      check({
        'src/framework/a.ts': written,
        'src/framework/b.ts': `import type {} from './a.ts'\nexport interface B {}`,
      }),
      ['src/framework/b.ts:1: import cycle src/framework/a.ts → src/framework/b.ts → src/framework/a.ts'],
      written,
    )
})

test('a cycle through a test is none', () => {
  assert.deepEqual(
    check({
      'src/framework/c.test.ts': `import './d.ts'`,
      'src/framework/d.ts': `import './c.test.ts'`,
    }),
    [],
  )
})

function check(files: Record<string, string>): string[] {
  const tsconfig = {
    compilerOptions: { module: 'nodenext', types: [] },
    include: ['src', 'test', 'examples', 'templates'],
  }
  const exports = {
    '.': './src/api/index.ts',
    './accounts': './src/accounts/index.ts',
    './package.json': './package.json',
  }
  const settings = {
    'tsconfig.json': JSON.stringify(tsconfig),
    'package.json': JSON.stringify({ name: 'resource-api', exports }),
  }
  for (const [name, text] of Object.entries({ ...files, ...settings })) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return findViolations(readImports(root))
}
