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

test('imports of lower layers, of the same layer and of packages are allowed', () => {
  assert.deepEqual(
    check({
      'src/framework/a.ts': `import fs from 'node:fs'\nimport './fields/b.ts'`,
      'src/framework/fields/b.ts': '',
      'src/accounts/c.ts': `import '../framework/a.ts'`,
      'src/profiles/snippets/d.ts': `import '../../accounts/c.ts'\nimport '../shared.ts'`,
      'src/profiles/shared.ts': '',
      'src/service/e.ts': `import '../profiles/snippets/d.ts'\nimport '../framework/browsable/f.ts'`,
      'src/framework/browsable/f.ts': `import './g.ts'\nimport '../a.ts'`,
      'src/framework/browsable/g.ts': '',
      'src/index.ts': `export * from './service/e.ts'`,
      'test/h.ts': `import '../src/index.ts'`,
    }),
    [],
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
      'src/framework/index.ts': `import './browsable/b.ts'`,
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
  const tsconfig = { compilerOptions: { module: 'nodenext', types: [] }, include: ['src', 'test'] }
  for (const [name, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(tsconfig) })) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return findViolations(readImports(root))
}
