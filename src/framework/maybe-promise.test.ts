import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { andThen, orElse, ours } from './maybe-promise.ts'

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

test('a promise of another realm or library becomes one of ours, a value stays what it is', async () => {
  const foreign: Promise<number> = runInNewContext('Promise.resolve(1)')
  assert.ok(!(foreign instanceof Promise))
  const found = ours(foreign)
  assert.ok(found instanceof Promise)
  assert.equal(await found, 1)
  const own = Promise.resolve(1)
  for (const value of [own, undefined, null, 0, '', { status: 200 }]) assert.equal(ours<unknown>(value), value)
})
