import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { computeSpeed, startDeadline, within } from './support/machine.ts'

suite('the delay of the machine', () => {
  test('slows down what computes more than what sleeps', () => {
    assert.equal(computeSpeed(0), 1)
    assert.equal(computeSpeed(0.5), 1 / 16)
    assert.equal(computeSpeed(1.1), 0)
  })

  test('extends a deadline', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const passed = [1, 2, 3, 4, 5]
    startDeadline(5, resolve, () => passed.shift()!)
    await promise
    assert.deepEqual(passed, [])
  })
})

test('within rejects what does not end in time, and passes on what does', async () => {
  assert.equal(await within(60_000, 'it ends', Promise.resolve('ended')), 'ended')
  await assert.rejects(within(1, 'it ends', new Promise(() => {})), /^Error: not within 1 ms: it ends$/)
})
