import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shareNext } from './share-next.ts'

test('whoever asks while one is under way shares the next, and a failure is that of those who shared it', async () => {
  const gates: PromiseWithResolvers<number>[] = []
  const ask = shareNext(() => {
    const gate = Promise.withResolvers<number>()
    gates.push(gate)
    return gate.promise
  })
  const first = ask()
  const [second, third] = [ask(), ask()]
  assert.equal(gates.length, 1)
  gates[0]!.reject(new Error('no'))
  await assert.rejects(first, new Error('no'))
  assert.equal(gates.length, 2)
  gates[1]!.resolve(2)
  assert.deepEqual(await Promise.all([second, third]), [2, 2])
  void ask()
  assert.equal(gates.length, 3)
})

test('no answer is older than the question, however they come', async () => {
  const property = fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 }), async pauses => {
    let now = 0
    const ask = shareNext(async () => {
      const seen = now
      await Promise.resolve()
      await Promise.resolve()
      return seen
    })
    const answers: Promise<void>[] = []
    for (const pause of pauses) {
      const asked = ++now
      answers.push(ask().then(seen => assert.ok(seen >= asked)))
      for (let turn = 0; turn < pause; turn++) await Promise.resolve()
    }
    await Promise.all(answers)
  })
  await fc.assert(property)
})
