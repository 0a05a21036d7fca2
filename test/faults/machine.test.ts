import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startDeadline, subtractDelay, within } from './support/machine.ts'

suite('the delay of the machine', () => {
  test('is subtracted from a time, three times, because a thread that computes is delayed more than one that sleeps', () => {
    assert.equal(subtractDelay(100, 0, 0), 100)
    assert.equal(subtractDelay(100, 10, 0), 70)
    assert.equal(subtractDelay(100, 10, 0.25), 25)
    assert.equal(subtractDelay(100, 90, 0), 0)
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
