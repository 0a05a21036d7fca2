import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createBoundedMap, memoize } from './bounded-map.ts'

const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`)

test('an entry in use is never evicted; an unused one is evicted after enough newer entries', () => {
  const map = createBoundedMap<string, number>({ maxSize: 10 })
  assert.equal(map.get('key 0'), undefined)
  for (const [index, key] of keys.entries()) {
    map.set(key, index)
    assert.equal(map.get('key 0'), 0, `after ${key}`)
  }
  assert.equal(map.get('key 49'), 49)
  assert.equal(map.get('key 30'), undefined)
})

test('any use keeps at least half of the maximum, and never more than the maximum', () => {
  const uses = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 49 })), { maxLength: 200 })
  fc.assert(
    fc.property(uses, fc.integer({ min: 1, max: 8 }), (steps, pairs) => {
      const map = createBoundedMap<string, number>({ maxSize: 2 * pairs })
      const written = new Map<string, number>()
      for (const [isWrite, index] of steps) {
        const key = keys[index]!
        if (isWrite) {
          map.set(key, index)
          written.delete(key)
          written.set(key, index)
        } else if (map.get(key) !== undefined) assert.equal(map.get(key), index)
      }
      const found = keys.filter(key => map.get(key) !== undefined)
      assert.ok(found.length <= 2 * pairs, `${found.length} of ${2 * pairs}`)
      const last = [...written.keys()].at(-1)
      if (last !== undefined) assert.notEqual(map.get(last), undefined, 'the last write is stored')
    }),
  )
})

test('sizes are bounded together; an entry larger than half the maximum evicts nothing and is not stored', () => {
  const map = createBoundedMap<string, string>({ maxSize: 20, sizeOf: (_, text) => text.length })
  map.set('a', 'x'.repeat(6))
  map.set('large', 'x'.repeat(11))
  assert.deepEqual([map.get('a'), map.get('large')], ['x'.repeat(6), undefined])
  map.set('b', 'x'.repeat(6))
  map.set('c', 'x'.repeat(6))
  assert.deepEqual([map.get('a'), map.get('c')], [undefined, 'x'.repeat(6)])
  map.set('c', 'x'.repeat(12))
  assert.equal(map.get('c'), undefined, 'a value that becomes too large also removes the previous value')
})

test('clear() empties the map', () => {
  const map = createBoundedMap<string, number>({ maxSize: 4 })
  for (const key of keys.slice(0, 3)) map.set(key, 1)
  map.clear()
  for (const key of keys.slice(0, 3)) assert.equal(map.get(key), undefined)
})

test('a value is computed once per text, unless the text is too long, the function threw, or newer texts evicted it', () => {
  const computed: string[] = []
  const upper = memoize(
    text => {
      computed.push(text)
      if (text === 'bad') throw new Error('refused')
      return text.toUpperCase()
    },
    { maxEntries: 2, maxLength: 3 },
  )
  for (const text of ['a', 'a', 'long', 'long', 'b', 'a']) assert.equal(upper(text), text.toUpperCase())
  assert.deepEqual(computed, ['a', 'long', 'long', 'b'])
  assert.throws(() => upper('bad'))
  assert.throws(() => upper('bad'))
  for (const text of ['c', 'c', 'd', 'a']) assert.equal(upper(text), text.toUpperCase())
  assert.deepEqual(computed.slice(4), ['bad', 'bad', 'c', 'd', 'a'])
})
