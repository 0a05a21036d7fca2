import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pathFinder } from './routing.ts'

const patterns = [
  '/',
  '/books/',
  '/books/:key/',
  '/books/:key/pages/',
  '/books/late/',
  '/at/:hour-:minute/',
  '/n/:id(^\\d+)/',
]
const find = pathFinder(new Map(patterns.map(pattern => [pattern, pattern])))

for (const [path, target, parameters = {}] of [
  ['/', '/'],
  ['/books/', '/books/'],
  ['/books/7/', '/books/:key/', { key: '7' }],
  ['/books/7/pages/', '/books/:key/pages/', { key: '7' }],
  ['/books/late/', '/books/late/'],
  ['/at/12-30/', '/at/:hour-:minute/'],
  ['/n/12/', '/n/:id(^\\d+)/'],
] as const) {
  test(`ERR-EXC-r7: ${path} is found as the router would find it`, () => {
    assert.deepEqual(find(path), { target, parameters })
  })
}

test('ERR-EXC-r6: nothing is found elsewhere', () => {
  for (const path of ['', '/books', '/books//', '/books/7/pages/8/', '/Books/'])
    assert.equal(find(path), undefined, path)
})
