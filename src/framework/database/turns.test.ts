import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

test('tasks of one key do not overlap, those of another do, and a failure holds nobody up', async () => {
  const turns = createTurns<string>()
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = turns('a', async () => {
    log.push('a1 begins')
    await gate.promise
    log.push('a1 ends')
    throw new Error('a1')
  })
  const second = turns('a', async () => log.push('a2'))
  await turns('b', async () => log.push('b1'))
  gate.resolve()
  await assert.rejects(first, new Error('a1'))
  await second
  assert.deepEqual(log, ['a1 begins', 'b1', 'a1 ends', 'a2'])
})
