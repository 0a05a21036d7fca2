import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lazily } from './lazily.ts'

test('a part is made when it is first asked for, and only once', () => {
  const made: string[] = []
  const make = (name: string) => () => {
    made.push(name)
    return { name }
  }
  const parts = lazily({ one: make('one'), other: make('other') })
  assert.deepEqual(made, [])
  assert.equal(parts.one, parts.one)
  assert.deepEqual([parts.one.name, made], ['one', ['one']])
})

test('a part that cannot be made is tried again', () => {
  let isReady = false
  const parts = lazily({
    part() {
      if (!isReady) throw new Error('not yet')
      return 1
    },
  })
  assert.throws(() => parts.part, /not yet/)
  isReady = true
  assert.equal(parts.part, 1)
})
