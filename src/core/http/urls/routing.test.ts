import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPathFinder } from './routing.ts'

const patterns = [
  '/',
  '/books/',
  '/books/:key/',
  '/books/:key/pages/',
  '/books/late/',
  '/at/:hour-:minute/',
  '/n/:id(^\\d+)/',
]
const find = createPathFinder(new Map(patterns.map(pattern => [pattern, pattern])))

for (const [path, target, parameters = {}] of [
  ['/', '/'],
  ['/books/', '/books/'],
  ['/books/7/', '/books/:key/', { key: '7' }],
  ['/books/7/pages/', '/books/:key/pages/', { key: '7' }],
  ['/books/late/', '/books/late/'],
  ['/at/12-30/', '/at/:hour-:minute/'],
  ['/n/12/', '/n/:id(^\\d+)/'],
] as const) {
  test(`ERR-EXC-r7: the pattern of ${path} is the one that the router would use`, () => {
    assert.deepEqual(find(path), { target, parameters })
  })
}

test('ERR-EXC-r6: other paths match no pattern', () => {
  for (const path of ['', '/books', '/books//', '/books/7/pages/8/', '/Books/'])
    assert.equal(find(path), undefined, path)
})
