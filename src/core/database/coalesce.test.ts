import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shareNext } from './coalesce.ts'

test('calls during a run share the next run, and a failed run rejects only the calls that share it', async () => {
  const gates: PromiseWithResolvers<number>[] = []
  const load = shareNext(() => {
    const gate = Promise.withResolvers<number>()
    gates.push(gate)
    return gate.promise
  })
  const first = load()
  const [second, third] = [load(), load()]
  assert.equal(gates.length, 1)
  gates[0]!.reject(new Error('no'))
  await assert.rejects(first, new Error('no'))
  assert.equal(gates.length, 2)
  gates[1]!.resolve(2)
  assert.deepEqual(await Promise.all([second, third]), [2, 2])
  void load()
  assert.equal(gates.length, 3)
})

test('no result is older than its call, in any order of calls', async () => {
  const property = fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 }), async pauses => {
    let now = 0
    const load = shareNext(async () => {
      const loadedAt = now
      await Promise.resolve()
      await Promise.resolve()
      return loadedAt
    })
    const results: Promise<void>[] = []
    for (const pause of pauses) {
      const calledAt = ++now
      results.push(load().then(loadedAt => assert.ok(loadedAt >= calledAt)))
      for (let turn = 0; turn < pause; turn++) await Promise.resolve()
    }
    await Promise.all(results)
  })
  await fc.assert(property)
})
