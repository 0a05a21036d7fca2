import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHtmlCache } from './html-cache.ts'

test('a value is created once per JSON and name', () => {
  const cache = createHtmlCache()
  const created: string[] = []
  const create = (html: string) => () => {
    created.push(html)
    return html
  }
  assert.equal(cache.getOrCreate('[1]', 'table', create('a')), 'a')
  assert.equal(cache.getOrCreate('[1]', 'table', create('b')), 'a')
  assert.equal(cache.getOrCreate('[1]', 'json', create('c')), 'c')
  assert.equal(cache.getOrCreate('[2]', 'table', create('d')), 'd')
  assert.equal(cache.getOrCreate('[1]', 'table', create('e')), 'a')
  assert.deepEqual(created, ['a', 'c', 'd'])
})

test('the total size and the size of one entry are bounded', () => {
  const cache = createHtmlCache()
  let created = 0
  const create = () => {
    created++
    return 'x'.repeat(1024 * 1024)
  }
  for (const json of ['1', '2', '3', '4', '5']) cache.getOrCreate(json, 'table', create)
  cache.getOrCreate('5', 'table', create)
  assert.equal(created, 5)
  cache.getOrCreate('1', 'table', create)
  assert.equal(created, 6, 'the first entry was evicted')

  const long = 'y'.repeat(64 * 1024 + 1)
  cache.getOrCreate(long, 'json', create)
  cache.getOrCreate(long, 'json', create)
  assert.equal(created, 8)
})
