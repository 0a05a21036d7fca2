import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Statement } from './database.ts'
import { createResults } from './results.ts'

const statement = (sql: string): Statement => ({ sql, parameters: [] })

test('a statement is read once for each version of the database', async () => {
  const results = createResults()
  const [one, other] = [statement('one'), statement('other')]
  let reads = 0
  const read = async () => [[`row ${++reads}`]]
  results.look(1)
  assert.deepEqual(await results.run(one, {}, read), [['row 1']])
  results.look(1)
  assert.deepEqual(await results.run(one, {}, read), [['row 1']])
  assert.deepEqual(await results.run(other, {}, read), [['row 2']])
  results.look(2)
  assert.deepEqual(await results.run(one, {}, read), [['row 3']])
})

test('what was read of a version that is another one by now is not kept', async () => {
  const results = createResults()
  const one = statement('one')
  results.look(1)
  await results.run(one, {}, async () => {
    results.look(2)
    return [['old']]
  })
  assert.deepEqual(await results.run(one, {}, async () => [['new']]), [['new']])
})

test('a read that fails is tried again, and what is large is not kept', async () => {
  const results = createResults()
  const one = statement('one')
  await assert.rejects(async () => results.run(one, {}, () => Promise.reject(new Error('failed'))))
  let reads = 0
  const large = async () => {
    reads++
    return [['x'.repeat(70_000)]]
  }
  for (let time = 0; time < 2; time++) await results.run(one, {}, large)
  assert.equal(reads, 2)
})

test('memory is bounded: results beyond it displace those before', async () => {
  const results = createResults()
  let reads = 0
  const read = async () => {
    reads++
    return [['x'.repeat(60_000)]]
  }
  const statements = Array.from({ length: 100 }, (_, index) => statement(String(index)))
  for (const each of statements) await results.run(each, {}, read)
  await results.run(statements[0]!, {}, read)
  assert.equal(reads, 101)
  await results.run(statements[99]!, {}, read)
  assert.equal(reads, 101)
})
