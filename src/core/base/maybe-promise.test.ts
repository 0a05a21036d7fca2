import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { isPromise } from './maybe-promise.ts'

test('isPromise() is true for promises of any library or realm, and false for every other value', async () => {
  const foreign: Promise<number> = runInNewContext('Promise.resolve(1)')
  assert.ok(!(foreign instanceof Promise))
  // biome-ignore lint/suspicious/noThenProperty: this is the promise of another library
  const thenable = { then: (resolve: (value: number) => void) => resolve(1) } as unknown as Promise<number>
  for (const promise of [Promise.resolve(1), foreign, thenable]) {
    assert.ok(isPromise(promise))
    assert.equal(await promise, 1)
  }
  for (const value of [undefined, null, 0, '', 'then', false, { status: 200 }])
    assert.equal(isPromise<unknown>(value), false)
})
