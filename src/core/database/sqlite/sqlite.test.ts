import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import { type Connection, compile, type Database } from '../database.ts'
import { openSqlite } from './sqlite.ts'

let folder: string
let database: Database
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resource-api-test-'))
  database = openSqlite({ path: join(folder, 'test.db'), busyTimeout: 2000 })
  await database.transaction(({ kysely }) => kysely.schema.createTable('t').addColumn('n', 'integer').execute())
})
after(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const createInsert = (n: number) => compile(database, sql`insert into t (n) values (${sql.lit(n)})`)
const readAll = async () =>
  (await database.run<[number]>(compile(database, sql`select n from t order by n`), {})).flat()
test('a write outside a transaction is a mistake of the application, and its message names the fix', async () => {
  const reported: Error[] = []
  const reading = openSqlite({ path: join(folder, 'test.db'), onError: error => reported.push(error) })
  const insert = createInsert(1)
  const expected = { name: 'Error', message: /^this connection only reads: write with database\.transaction/ }
  await assert.rejects(reading.kysely.insertInto('t').values({ n: 1 }).execute(), expected)
  await assert.rejects(async () => reading.run(insert, {}), expected)
  await assert.rejects(async () => reading.latest(insert, {}), expected)
  await reading.close()
  assert.deepEqual(reported, [])
  assert.deepEqual(await readAll(), [])
})

const refusal = {
  message: 'a transaction inside a transaction would wait for itself: use the connection that is passed to the hook',
}

test('a transaction inside a transaction is rejected, because it would wait for itself', async () => {
  for (const nested of [() => database.transaction(async () => undefined), () => database.write(createInsert(1), {})]) {
    const outer = database.transaction(async connection => {
      await connection.run(createInsert(2), {})
      await nested()
    })
    await assert.rejects(outer, refusal)
  }
  assert.deepEqual(await readAll(), [])
})

test('work that a transaction leaves running may write after the transaction has ended', async () => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const later = await database.transaction(async ({ run }: Connection) => {
    await run(createInsert(3), {})
    return [ended.then(() => database.write(createInsert(4), {}))]
  })
  end()
  await Promise.all(later)
  assert.deepEqual(await readAll(), [3, 4])
})

test('transactions take turns, and a failed transaction is rolled back', async () => {
  const results = await Promise.allSettled(
    [5, 6, 7].map(n =>
      database.transaction(async connection => {
        await connection.run(createInsert(n), {})
        if (n === 6) throw new Error('no')
      }),
    ),
  )
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await readAll(), [3, 4, 5, 7])
})

test('the queue of waiting writes is bounded in number and time, and further writes are rejected', async () => {
  const small = openSqlite({ path: join(folder, 'test.db'), busyTimeout: 50, maxWaiting: 2 })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const holder = small.transaction(() => ended)
  const waiting = [8, 9].map(n => assert.rejects(small.write(createInsert(n), {}), ServiceUnavailable))
  await assert.rejects(small.write(createInsert(10), {}), ServiceUnavailable)
  await Promise.all(waiting)
  // A write also waits no longer for another process.
  const other = assert.rejects(database.write(createInsert(11), {}), ServiceUnavailable)
  assert.deepEqual(await readAll(), [3, 4, 5, 7])
  await other
  end()
  await holder
  await small.write(createInsert(12), {})
  await small.close()
  assert.deepEqual(await readAll(), [3, 4, 5, 7, 12])
})

test('a file with tables keeps its journal mode until the first commit, and then has a write-ahead log', async () => {
  const path = join(folder, 'rollback.db')
  // A new connection for each query, because a connection caches the journal mode.
  const query = (text: string) => {
    const other = new DatabaseSync(path)
    const row = other.prepare(text).get()
    other.close()
    return row
  }
  const readMode = () => query('pragma journal_mode')?.journal_mode
  query('create table t (n integer)')
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
    assert.equal(readMode(), 'delete')
    await opened.write(statement, {})
    assert.equal(readMode(), 'wal')
  } finally {
    await opened.close()
  }
})

test('the write-ahead log is emptied although each write follows a read in the same turn of the event loop', async () => {
  const path = join(folder, 'log.db')
  const opened = openSqlite({ path, durable: false })
  await opened.transaction(({ kysely }) => kysely.schema.createTable('t').addColumn('text', 'text').execute())
  const count = compile(opened, sql`select count(*) from t`)
  const insert = compile(opened, sql`insert into t (text) values (${'x'.repeat(100_000)})`)
  for (let number = 0; number < 150; number++) {
    assert.deepEqual(await opened.first(count, {}), [number])
    await opened.write(insert, {})
  }
  // SQLite empties the log when it exceeds 1000 pages of 4 kB; the writes are 15 MB.
  const { size } = await stat(`${path}-wal`)
  assert.ok(size < 6_000_000, `the log has ${size} bytes`)
  await opened.close()
})
