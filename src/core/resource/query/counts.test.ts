import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCounts } from './counts.ts'

const noCount = { cached_version: null, cached_count: 0 }

test('the last count is cached for each set of filter values', () => {
  const counts = createCounts()
  assert.deepEqual(counts.find({}), noCount)
  counts.store({}, [7, 'a'])
  assert.deepEqual(counts.find({}), { cached_version: 'a', cached_count: 7 })
  assert.deepEqual(counts.find({ caller: 1 }), noCount)
  counts.store({ caller: 1 }, [2, 'a'])
  counts.store({}, [8, 'b'])
  assert.deepEqual(counts.find({}), { cached_version: 'b', cached_count: 8 })
  assert.deepEqual(counts.find({ caller: 1 }), { cached_version: 'a', cached_count: 2 })
  for (const caller of ['1', null, true]) assert.deepEqual(counts.find({ caller }), noCount)
})

test('a count without a database version is not cached', () => {
  const counts = createCounts()
  counts.store({}, [7, null])
  assert.equal(counts.find({}).cached_version, null)
})

test('the number of cached counts is bounded', () => {
  const counts = createCounts()
  const callers = Array.from({ length: 2500 }, (_, caller) => ({ caller }))
  for (const values of callers) counts.store(values, [1, 'a'])
  const cached = callers.filter(values => counts.find(values).cached_version === 'a')
  assert.ok(cached.length > 0 && cached.length <= 1000, String(cached.length))
})
