// The prepared statements of a connection: how many it keeps, and what happens if the server has lost them.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, type Storage } from '../../../../test/support/service.ts'
import { backendPid, createStatement, insertNumber } from '../../../../test/support/statements.ts'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import type { Database } from '../database.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'
import { createPool } from './postgres-pool.ts'
import { createRunner } from './postgres-statements.ts'
import { maxPrepared } from './prepared-statements.ts'

let storage: Storage
const open: Database[] = []

suite('prepared statements of PostgreSQL', () => {
  before(async () => {
    storage = await createDatabase()
    await start().transaction(({ kysely }) => kysely.schema.createTable('t').addColumn('n', 'bigint').execute())
  })
  after(async () => {
    await Promise.all(open.map(database => database.close()))
    await storage.remove()
  })

  function start(options: Partial<PostgresOptions> = {}): Database {
    const database = openPostgres({ url: storage.url, ...options })
    open.push(database)
    return database
  }

  const countPrepared = createStatement<[number]>('select count(*) from pg_prepared_statements')

  test('after the server has lost prepared statements, all statements run without names', async () => {
    const reported: Error[] = []
    const database = start({ poolSize: 1, onError: error => reported.push(error) })
    const forget = () => sql`deallocate all`.execute(database.kysely)
    await database.run(countPrepared, {})
    assert.deepEqual(await database.run(countPrepared, {}), [[1]])
    await forget()
    assert.deepEqual(await database.run(countPrepared, {}), [[0]])
    await forget()
    assert.deepEqual(await database.write(insertNumber, { n: 21 }), [[21]])
    assert.deepEqual(await database.run(countPrepared, {}), [[0]])
    assert.equal(reported.length, 1)
    assert.match(reported[0]!.message, /DATABASE_POOLER=transaction/)
  })

  test('a connection with 500 prepared statements deallocates them, and prepares those that are still used again', async () => {
    const database = start({ poolSize: 1 })
    const ordinary = createStatement<[string]>(`select 'ordinary'`)
    const preparations = createStatement<[number]>(
      `select count(*) from pg_prepared_statements where statement like '%ordinary''' and generic_plans + custom_plans > 1`,
    )
    const readShapes = async (from: number) => {
      for (let n = from; n < from + 510; n++) {
        assert.deepEqual(await database.run(createStatement(`select ${n}`), {}), [[n]])
        assert.ok((await database.run(countPrepared, {}))[0]![0] <= maxPrepared)
      }
    }
    await readShapes(0)
    for (let time = 0; time < 2; time++) await database.run(ordinary, {})
    assert.deepEqual(await database.run(preparations, {}), [[1]])
    // Also inside a transaction, and for a statement that was prepared before.
    await database.transaction(async ({ run }) => {
      for (let n = 1000; n < 2100; n++) assert.deepEqual(await run(createStatement(`select ${n}`), {}), [[n]])
      assert.deepEqual(await run(ordinary, {}), [['ordinary']])
      assert.ok((await run(countPrepared, {}))[0]![0] <= maxPrepared)
    })
  })

  test('the driver forgets the texts of deallocated statements', async () => {
    const pool = createPool({ url: storage.url })
    const { run } = createRunner(pool, {})
    try {
      await pool.use(async client => {
        for (let n = 0; n < 1510; n++) await run(client, createStatement(`select ${n}`), {})
        const { connection } = client as unknown as { connection: { parsedStatements: Record<string, string> } }
        assert.equal(Object.keys(connection.parsedStatements).length, 10)
      })
    } finally {
      await pool.close()
    }
  })

  test('as many statements as a connection keeps are never deallocated', async () => {
    const database = start({ poolSize: 1 })
    await database.run(backendPid, {})
    for (let n = 2; n < maxPrepared; n++) await database.run(createStatement(`select ${n}`), {})
    for (let time = 0; time < 3; time++) assert.deepEqual(await database.run(countPrepared, {}), [[maxPrepared]])
    await database.run(backendPid, {})
    assert.deepEqual(await database.run(countPrepared, {}), [[maxPrepared]])
  })

  test('a transaction whose prepared statement is lost fails, and the next transaction succeeds', async () => {
    const database = start({ poolSize: 1 })
    const work = () => database.transaction(({ first }) => first(backendPid, {}))
    await work()
    await sql`deallocate all`.execute(database.kysely)
    await assert.rejects(work(), { name: ServiceUnavailable.name, status: 503 })
    assert.equal((await work())!.length, 1)
  })
})
