import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { toPackageName } from './package-name.ts'

test('a package is named after its folder, as far as npm accepts the name', () => {
  for (const [folder, name] of [
    ['shop', 'shop'],
    ['shop-2.0', 'shop-2.0'],
    ['My Shop', 'my-shop'],
    ['Größe & Maß', 'gro-e-ma'],
    ['Café', 'cafe'],
    ['_private', 'private'],
    ['.hidden', 'hidden'],
    ['@scope', 'scope'],
    ['node_modules', undefined],
    ['Favicon.ico', undefined],
    ['...', undefined],
    ['日本', undefined],
    ['', undefined],
  ] as const)
    assert.equal(toPackageName(folder), name, folder)
})

test('every name is one that npm accepts for a new package', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), folder => {
      const name = toPackageName(folder) ?? 'refused'
      assert.match(name, /^[a-z0-9][a-z0-9._~-]*$/)
      assert.ok(name.length <= 214)
    }),
  )
})
