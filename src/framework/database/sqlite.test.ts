import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import { type Connection, compile, type Database } from './database.ts'
import { openSqlite } from './sqlite.ts'

let folder: string
let database: Database
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resource-api-test-'))
  database = openSqlite({ path: join(folder, 'test.db'), busyTimeout: 200 })
  await database.transaction(({ kysely }) => kysely.schema.createTable('t').addColumn('n', 'integer').execute())
})
after(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const add = (n: number) => compile(database, sql`insert into t (n) values (${sql.lit(n)})`)
const all = async () => (await database.run<[number]>(compile(database, sql`select n from t order by n`), {})).flat()
const refusal = {
  message: 'a transaction inside another would wait for itself: use the connection that the hook is given',
}

test('a transaction within a transaction is refused, for it would wait for itself', async () => {
  for (const nested of [() => database.transaction(async () => undefined), () => database.write(add(1), {})]) {
    const outer = database.transaction(async connection => {
      await connection.run(add(2), {})
      await nested()
    })
    await assert.rejects(outer, refusal)
  }
  assert.deepEqual(await all(), [])
})

test('what a transaction leaves running may write once it has ended', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const later = await database.transaction(async ({ run }: Connection) => {
    await run(add(3), {})
    return [ended.then(() => database.write(add(4), {}))]
  })
  end()
  await Promise.all(later)
  assert.deepEqual(await all(), [3, 4])
})

test('transactions take turns, and one that fails leaves nothing behind', async () => {
  const results = await Promise.allSettled(
    [5, 6, 7].map(n =>
      database.transaction(async connection => {
        await connection.run(add(n), {})
        if (n === 6) throw new Error('no')
      }),
    ),
  )
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await all(), [3, 4, 5, 7])
})

test('writes wait their turn in a line that is bounded in number and time, and then are refused', async () => {
  const small = openSqlite({ path: join(folder, 'test.db'), busyTimeout: 50, maxWaiting: 2 })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const holder = small.transaction(() => ended)
  const waiting = [8, 9].map(n => assert.rejects(small.write(add(n), {}), ServiceUnavailable))
  await assert.rejects(small.write(add(10), {}), ServiceUnavailable)
  await Promise.all(waiting)
  // Another process, too, holds nobody up for longer.
  const other = assert.rejects(database.write(add(11), {}), ServiceUnavailable)
  assert.deepEqual(await all(), [3, 4, 5, 7])
  await other
  end()
  await holder
  await small.write(add(12), {})
  await small.close()
  assert.deepEqual(await all(), [3, 4, 5, 7, 12])
})

test('a file that holds tables keeps its journal mode until something is committed, and then has a write-ahead log', async () => {
  const path = join(folder, 'rollback.db')
  // Each is new, because a connection keeps the mode that it has seen.
  const ask = (text: string) => {
    const other = new DatabaseSync(path)
    const row = other.prepare(text).get()
    other.close()
    return row
  }
  const mode = () => ask('pragma journal_mode')?.journal_mode
  ask('create table t (n integer)')
  const opened = openSqlite({ path })
  try {
    const statement = compile(opened, sql`insert into t (n) values (1)`)
    await assert.rejects(
      opened.transaction(async connection => {
        await connection.run(statement, {})
        throw new Error('refused')
      }),
      { message: 'refused' },
    )
    assert.deepEqual(await opened.run(compile(opened, sql`select n from t`), {}), [])
    assert.equal(mode(), 'delete')
    await opened.write(statement, {})
    assert.equal(mode(), 'wal')
  } finally {
    await opened.close()
  }
})
