import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCounts } from './counts.ts'

const unknown = { known_version: null, known_count: 0 }

test('a count is known by the values of its filter, of its last version', () => {
  const counts = createCounts()
  assert.deepEqual(counts.known({}), unknown)
  counts.learn({}, [7, 'a'])
  assert.deepEqual(counts.known({}), { known_version: 'a', known_count: 7 })
  assert.deepEqual(counts.known({ caller: 1 }), unknown)
  counts.learn({ caller: 1 }, [2, 'a'])
  counts.learn({}, [8, 'b'])
  assert.deepEqual(counts.known({}), { known_version: 'b', known_count: 8 })
  assert.deepEqual(counts.known({ caller: 1 }), { known_version: 'a', known_count: 2 })
  for (const caller of ['1', null, true]) assert.deepEqual(counts.known({ caller }), unknown)
})

test('a count of an unknown version is never taken for a known one', () => {
  const counts = createCounts()
  counts.learn({}, [7, null])
  assert.equal(counts.known({}).known_version, null)
})

test('however many filters there are, a bounded number is remembered', () => {
  const counts = createCounts()
  const callers = Array.from({ length: 2500 }, (_, caller) => ({ caller }))
  for (const values of callers) counts.learn(values, [1, 'a'])
  const remembered = callers.filter(values => counts.known(values).known_version === 'a')
  assert.ok(remembered.length > 0 && remembered.length <= 1000, String(remembered.length))
})
