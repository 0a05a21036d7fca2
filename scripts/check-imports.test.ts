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

test('imports of the same storey, of packages and of the doors of lower storeys are allowed', () => {
  assert.deepEqual(
    check({
      'src/index.ts': `export * from './core/fields/b.ts'\nexport * from './pages/f.ts'`,
      'src/core/index.ts': '',
      'src/core/a.ts': `import fs from 'node:fs'\nimport './fields/b.ts'`,
      'src/core/fields/b.ts': 'export {}',
      'src/pages/f.ts': `import './html/g.ts'\nimport '#core'`,
      'src/pages/html/g.ts': '',
      'src/accounts/index.ts': `import '#core'`,
      'src/accounts.ts': `export * from './accounts/index.ts'`,
      'src/accounts/a.test.ts': `import '../core/a.ts'`,
      'src/seed/snippets/d.ts': `import 'resource-api'\nimport 'resource-api/accounts'\nimport '#core'\nimport './e.ts'`,
      'src/seed/snippets/e.ts': '',
      'src/cli.ts': `import 'resource-api/accounts'\nimport './new/command.ts'`,
      'src/new/command.ts': '',
      'examples/i.ts': `import 'resource-api/accounts'`,
      'test/http/h.ts': `import 'resource-api'\nimport '#core'\nimport '../../src/core/a.ts'\nimport '../support.ts'`,
      'test/support.ts': `import '../src/core/a.ts'`,
    }),
    [],
  )
})

test('other storeys are imported by their doors, and the own one by relative paths', () => {
  assert.deepEqual(
    check({
      'src/core/index.ts': '',
      'src/core/a.ts': `import '#core'`,
      'src/accounts/b.ts': `import '../core/a.ts'`,
      'examples/d.ts': `import '../src/core/a.ts'\nimport '#core'`,
      'templates/service/f.ts': `import '../../src/core/a.ts'`,
    }),
    [
      'src/accounts/b.ts:1: "../core/a.ts" must be imported from its door, #core',
      'src/core/a.ts:1: core/ must import its own files by relative paths',
      'examples/d.ts:1: "../src/core/a.ts" must be imported from a public door, such as resource-api',
      'examples/d.ts:2: "#core" must be imported from a public door, such as resource-api',
      'templates/service/f.ts:1: "../../src/core/a.ts" must be imported from a public door, such as resource-api',
    ],
  )
})

test('the folder of one database is imported only by the folder of all databases, by doors and by tests', () => {
  assert.deepEqual(
    check({
      'src/index.ts': `export * from './core/database/sqlite/a.ts'`,
      'src/core/index.ts': `export * from './database/sqlite/a.ts'`,
      'src/core/database/sqlite/a.ts': '',
      'src/core/database/dialects.ts': `import './sqlite/a.ts'`,
      'src/core/fields/a.test.ts': `import '../database/sqlite/a.ts'`,
      'src/core/fields/b.ts': `import '../database/sqlite/a.ts'`,
    }),
    ['src/core/fields/b.ts:1: only src/core/database/ and the doors may import src/core/database/sqlite/'],
  )
})

test('an import of a higher storey is a violation, also of types and in tests', () => {
  const message = 'core/ may not import accounts/, which builds on it'
  assert.deepEqual(
    check({
      'src/core/a.ts': `\nimport type { User } from '../accounts/user.ts'`,
      'src/core/b.ts': `type User = import('../accounts/user.ts').User`,
      'src/core/c.ts': `export * from '../accounts/user.ts'`,
      'src/core/d.test.ts': `await import('../accounts/user.ts')`,
      'src/accounts/user.ts': 'export interface User {}',
    }),
    ['a.ts:2', 'b.ts:1', 'c.ts:1', 'd.test.ts:1'].map(place => `src/core/${place}: ${message}`),
  )
})

test('the folders of a storey have an order too', () => {
  assert.deepEqual(
    check({
      'src/core/base/a.ts': `import '../http/b.ts'`,
      'src/core/http/b.ts': '',
      'src/core/resource/sql/c.ts': `import type {} from '../write/d.ts'`,
      'src/core/resource/write/d.ts': '',
      'src/core/cellar/e.ts': `import '../base/a.ts'`,
    }),
    [
      'src/core/base/a.ts:1: base/ may not import http/, which builds on it',
      'src/core/cellar/e.ts:1: the folder src/core/cellar has no place: add it to scripts/storeys.ts',
      'src/core/resource/sql/c.ts:1: sql/ may not import write/, which builds on it',
    ],
  )
})

test('folders without an order have no circle, at any depth', () => {
  assert.deepEqual(
    check({
      'src/service/x/one/a.ts': `import '../two/b.ts'`,
      'src/service/x/two/b.ts': '',
      'src/service/x/two/c.ts': `import type {} from '../three/d.ts'`,
      'src/service/x/three/d.ts': `import '../one/e.ts'`,
      'src/service/x/one/e.ts': '',
    }),
    ['src/service/x: circle of folders one → two → three → one'],
  )
})

test('storeys do not import a public door, and shipped files do not import tests', () => {
  assert.deepEqual(
    check({
      'src/service/a.ts': `import '../index.ts'\nimport 'resource-api/accounts'\nimport '../../test/kit.ts'`,
      'src/service/a.test.ts': `import '../../test/kit.ts'`,
      'src/index.ts': '',
      'src/accounts.ts': '',
      'test/kit.ts': '',
    }),
    [
      'src/service/a.ts:1: service/ may not import src/index.ts, which builds on it',
      'src/service/a.ts:2: service/ may not import src/accounts.ts, which builds on it',
      'src/service/a.ts:3: src/ may not import test/kit.ts',
    ],
  )
})

test('a relative import has a file ending', () => {
  assert.deepEqual(
    check({
      'src/core/a.ts': `import './b'\nimport './b.js'\nimport './b.ts'\nimport data from './c.json' with { type: 'json' }`,
      'src/core/b.ts': '',
    }),
    ['src/core/a.ts:1: "./b" lacks its ending .ts', 'src/core/a.ts:2: "./b.js" lacks its ending .ts'],
  )
})

test('comments and strings are not imports', () => {
  const text = `/** @example import { b } from './b' */\nexport const code = \`import './b'\`\n// import './b'`
  assert.deepEqual(check({ 'src/core/a.ts': text }), [])
})

test('a cycle of files is a violation', () => {
  assert.deepEqual(
    check({
      'src/core/a.ts': `import './b.ts'`,
      'src/core/b.ts': `\nimport './c.ts'`,
      'src/core/c.ts': `import './b.ts'`,
    }),
    ['src/core/c.ts:1: import cycle src/core/b.ts → src/core/c.ts → src/core/b.ts'],
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
        'src/core/a.ts': written,
        'src/core/b.ts': `import type {} from './a.ts'\nexport interface B {}`,
      }),
      ['src/core/b.ts:1: import cycle src/core/a.ts → src/core/b.ts → src/core/a.ts'],
      written,
    )
})

test('a cycle through a test is none', () => {
  assert.deepEqual(
    check({
      'src/core/c.test.ts': `import './d.ts'`,
      'src/core/d.ts': `import './c.test.ts'`,
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
    '.': './src/index.ts',
    './accounts': './src/accounts.ts',
    './package.json': './package.json',
  }
  const doors = { '#core': './src/core/index.ts' }
  const settings = {
    'tsconfig.json': JSON.stringify(tsconfig),
    'package.json': JSON.stringify({ name: 'resource-api', exports, imports: doors }),
  }
  for (const [name, text] of Object.entries({ ...files, ...settings })) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return findViolations(readImports(root))
}
