import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNameTree, readNames, removeInner } from './name-tree.ts'

test('names are separated by commas or repeated, each once and sorted', () => {
  const query = new URLSearchParams('fields=b, a,,b&expand=x&fields=a.c')
  assert.deepEqual(readNames(query, 'fields'), ['a', 'a.c', 'b'])
  assert.deepEqual(readNames(query, 'omit'), [])
})

test('names inside of a named one are left out', () => {
  assert.deepEqual(removeInner(['a', 'a.b', 'ab.c', 'd.e.f', 'd.e', 'd.ef']), ['a', 'ab.c', 'd.e', 'd.ef'])
})

test('a tree contains each name under the one before its dot', () => {
  const tree = createNameTree(['a.b', 'a.c.d', 'a', '__proto__'])
  assert.deepEqual(
    tree,
    new Map([
      [
        'a',
        new Map([
          ['b', new Map()],
          ['c', new Map([['d', new Map()]])],
        ]),
      ],
      ['__proto__', new Map()],
    ]),
  )
})
