import assert from 'node:assert/strict'
import { test } from 'node:test'
import { andThen, orElse } from './soon.ts'

test('a value that is here is used at once, a promise later', async () => {
  assert.equal(
    andThen(1, value => value + 1),
    2,
  )
  const later = andThen(Promise.resolve(1), value => value + 1)
  assert.ok(later instanceof Promise)
  assert.equal(await later, 2)
})

test('what fails, at once or later, is recovered from; what works is left alone', async () => {
  const recover = (error: unknown) => `after ${(error as Error).message}`
  const fail = () => {
    throw new Error('at once')
  }
  assert.equal(orElse(fail, recover), 'after at once')
  assert.equal(await orElse(() => Promise.reject(new Error('later')), recover), 'after later')
  assert.equal(
    orElse(() => 'done', recover),
    'done',
  )
  assert.equal(await orElse(() => Promise.resolve('done'), recover), 'done')
})
