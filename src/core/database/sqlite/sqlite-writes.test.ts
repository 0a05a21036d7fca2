import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, beforeEach, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Connection, ConstraintViolation, compile, type Database, TransactionConflict } from '../database.ts'
import { openSqlite } from './sqlite.ts'

let folder: string
let database: Database
// Sees only what is committed.
let observer: DatabaseSync
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resource-api-test-'))
  database = openSqlite({ path: join(folder, 'test.db') })
  await database.transaction(async ({ kysely }) => {
    await sql`create table t (n integer unique)`.execute(kysely)
    await sql`create table child (n integer references t (n) deferrable initially deferred)`.execute(kysely)
    await sql`create trigger refuse before insert on t when new.n = 99 begin select raise(rollback, 'refused'); end`.execute(
      kysely,
    )
  })
  observer = new DatabaseSync(join(folder, 'test.db'))
})
after(async () => {
  observer.close()
  await database.close()
  await rm(folder, { recursive: true })
})
beforeEach(() => database.transaction(({ kysely }) => sql`delete from t`.execute(kysely)))

const listCommitted = () =>
  observer
    .prepare('select n from t order by n')
    .all()
    .map(row => row.n)
const createInsert = (n: number, table = 't') =>
  compile(database, sql`insert into ${sql.table(table)} (n) values (${sql.lit(n)})`)
const insert = (n: number) => database.write(createInsert(n), {})
const insertBriefly = (n: number, work: (connection: Connection) => Promise<void>) =>
  database.transaction(
    async connection => {
      await connection.run(createInsert(n), {})
      await work(connection)
    },
    { isBrief: true },
  )

test('writes of one turn of the event loop are committed together, and each waits for the commit', async () => {
  const seen = await Promise.all([1, 2, 3].map(n => insert(n).then(listCommitted)))
  assert.deepEqual(seen, [
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
  ])
})

test('a failed write is undone alone, and its caller can read what the others wrote', async () => {
  const first = insert(1)
  const failure = insertBriefly(2, () => Promise.reject(new Error('refused')))
  const last = insert(3)
  await assert.rejects(failure, { message: 'refused' })
  assert.deepEqual(listCommitted(), [1])
  await Promise.all([first, last, assert.rejects(insert(1), ConstraintViolation), insert(4)])
  assert.deepEqual(listCommitted(), [1, 3, 4])
})

test('the first write of a turn can fail without the others', async () => {
  await Promise.all([
    assert.rejects(insertBriefly(1, () => Promise.reject(new Error('refused')))),
    insert(1),
    insert(2),
  ])
  assert.deepEqual(listCommitted(), [1, 2])
})

test('a write that waits longer than a turn is committed with those before it, and without those after it', async () => {
  const writes = [insert(1), insertBriefly(2, () => delay(20)), insert(3)]
  assert.deepEqual(await Promise.all(writes.map(write => write.then(listCommitted))), [
    [1, 2],
    [1, 2],
    [1, 2, 3],
  ])
})

test('a transaction that is not brief commits those before it first', async () => {
  const first = insert(1)
  await database.transaction(async connection => {
    assert.deepEqual(listCommitted(), [1])
    await connection.run(createInsert(2), {})
  })
  await first
  assert.deepEqual(listCommitted(), [1, 2])
})

test('if an error ends the whole transaction, the other writes report a conflict', async () => {
  const conflict = assert.rejects(insert(1), TransactionConflict)
  await Promise.all([conflict, assert.rejects(insert(99), /refused/), insert(3)])
  assert.deepEqual(listCommitted(), [3])
})

test('a write that catches an error that ended the whole transaction is rejected, and those after it are written once', async () => {
  const refuse = () =>
    insertBriefly(2, async ({ run }) => void (await assert.rejects(async () => run(createInsert(99), {}))))
  const rejected = () => assert.rejects(refuse(), /caught an error that ended its transaction/)
  await Promise.all([rejected(), insert(3)])
  await Promise.all([assert.rejects(insert(1), TransactionConflict), rejected(), insert(4)])
  assert.deepEqual(listCommitted(), [3, 4])
})

test('the database can be closed while writes wait for their commit', async () => {
  const closing = openSqlite({ path: join(folder, 'test.db') })
  await closing.write(createInsert(1), {})
  await Promise.all([closing.write(createInsert(2), {}), closing.close()])
  assert.deepEqual(listCommitted(), [1, 2])
})

test('after the violation of a deferred constraint, which may belong to any of the writes, each is committed alone', async () => {
  const violate = () => insertBriefly(2, async ({ run }) => void (await run(createInsert(4, 'child'), {})))
  await Promise.all([
    assert.rejects(insert(1), TransactionConflict),
    assert.rejects(violate(), TransactionConflict),
    assert.rejects(insert(3), TransactionConflict),
  ])
  await Promise.all([insert(1), assert.rejects(violate(), ConstraintViolation), insert(3)])
  assert.deepEqual(listCommitted(), [1, 3])
})
