import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import { createTurns, unboundedTurn } from './turns.ts'

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

test('so many wait, and so long: who is refused never begins, and the others keep their turns', async () => {
  const turns = createTurns<string>({ maxWaiting: 2, timeout: 60_000 })
  const log: number[] = []
  const gate = Promise.withResolvers<void>()
  const note = (n: number) => async () => void log.push(n)
  const holder = turns('a', () => gate.promise)
  const late = turns('a', note(1), { maxWaiting: 2, timeout: 10 })
  const patient = turns('a', note(2))
  await assert.rejects(turns('a', note(3)), ServiceUnavailable)
  await turns('b', note(4))
  await assert.rejects(late, ServiceUnavailable)
  const last = turns('a', note(5))
  await assert.rejects(turns('a', note(6)), ServiceUnavailable)
  const closing = turns('a', note(7), unboundedTurn)
  gate.resolve()
  await Promise.all([holder, patient, last, closing])
  assert.deepEqual(log, [4, 2, 5, 7])
  await turns('a', note(8))
  assert.equal(log.at(-1), 8)
})
