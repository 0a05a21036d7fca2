import assert from 'node:assert/strict'
import { test } from 'node:test'
import { remember } from './remember.ts'

test('a text is asked once, unless it is too long, was refused, or too many came since', () => {
  const asked: string[] = []
  const upper = remember(
    text => {
      asked.push(text)
      if (text === 'bad') throw new Error('refused')
      return text.toUpperCase()
    },
    { entries: 2, longest: 3 },
  )
  for (const text of ['a', 'a', 'long', 'long', 'b', 'a']) assert.equal(upper(text), text.toUpperCase())
  assert.deepEqual(asked, ['a', 'long', 'long', 'b'])
  assert.throws(() => upper('bad'))
  assert.throws(() => upper('bad'))
  for (const text of ['c', 'c', 'd', 'a']) assert.equal(upper(text), text.toUpperCase())
  assert.deepEqual(asked.slice(4), ['bad', 'bad', 'c', 'd', 'a'])
})
