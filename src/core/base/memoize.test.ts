import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoize } from './memoize.ts'

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
