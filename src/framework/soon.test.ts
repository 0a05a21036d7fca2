import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { andThen, isPromise, orElse } from './soon.ts'

test('a value that is here is used at once, a promise of any realm later', async () => {
  assert.equal(
    andThen(1, value => value + 1),
    2,
  )
  const foreign: Promise<number> = runInNewContext('Promise.resolve(1)')
  assert.ok(!(foreign instanceof Promise) && isPromise(foreign))
  for (const promise of [Promise.resolve(1), foreign]) assert.equal(await andThen(promise, value => value + 1), 2)
  for (const value of [undefined, null, 0, '', 'then', { status: 200 }, () => undefined])
    assert.ok(!isPromise<unknown>(value))
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
