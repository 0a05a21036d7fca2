// PostgreSQL that is slow, unreachable, exhausted or behind a pooler: every wait ends, and the process keeps running.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { freePort } from '../../../../test/support/free-port.ts'
import { eventually, patience, withinLimits } from '../../../../test/support/patience.ts'
import { createDatabase, type Storage } from '../../../../test/support/service.ts'
import { backendPid, createStatement, insertNumber } from '../../../../test/support/statements.ts'
import { startTcpProxy, type TcpProxy } from '../../../../test/support/tcp-proxy.ts'
import { ServiceUnavailable, ValidationError } from '../../errors/exceptions.ts'
import { ConstraintViolation, type Database } from '../database.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'

let storage: Storage
let proxy: TcpProxy
let plain: Database
const open: Database[] = []

suite('PostgreSQL', () => {
  before(async () => {
    storage = await createDatabase()
    proxy = await startTcpProxy(storage.url)
    plain = openPostgres({ url: storage.url })
    await plain.transaction(({ kysely }) =>
      kysely.schema
        .createTable('t')
        .addColumn('n', 'bigint', column => column.unique())
        .execute(),
    )
  })
  after(async () => {
    await Promise.all([plain, ...open].map(database => database.close()))
    await proxy.close()
    await storage.remove()
  })

  function start(options: Partial<PostgresOptions> = {}): Database {
    const database = openPostgres({ url: storage.url, ...options })
    open.push(database)
    return database
  }

  const timeoutSettings = createStatement<[string]>(
    `select current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')`,
  )
  const timeoutsInMilliseconds = createStatement<[number, number]>(
    `select (select setting::bigint from pg_settings where name = 'statement_timeout'),
          (select setting::bigint from pg_settings where name = 'lock_timeout')`,
  )
  const countPrepared = createStatement<[number]>('select count(*) from pg_prepared_statements')
  const isStored = async (n: number) =>
    (await plain.run(createStatement(`select n from t where n = ${n}`), {})).length === 1
  const unavailable = { name: ServiceUnavailable.name, status: 503, headers: { 'retry-after': '1' } }

  /** Opens a pool of one connection, which is in use until `end` is called. */
  async function openExhausted(options: Partial<PostgresOptions>) {
    const database = start({ poolSize: 1, ...options })
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const holder = database.transaction(async () => {
      begin()
      await ended
    })
    await Promise.race([begun, holder])
    return { database, holder, end }
  }

  test('queries that start together in a transaction run one after another on its connection', async () => {
    const warnings: string[] = []
    const onWarning = ({ message }: Error) => void warnings.push(message)
    process.on('warning', onWarning)
    const numbers = await plain.transaction(async connection => {
      const run = async (n: number) => (await connection.run(createStatement<[number]>(`select ${n}`), {}))[0]![0]
      const query = async (n: number) =>
        (await sql<{ n: number }>`select ${n}::int as n`.execute(connection.kysely)).rows[0]!.n
      return Promise.all([run(1), query(2), run(3), query(4)])
    })
    await setImmediate()
    process.off('warning', onWarning)
    assert.deepEqual([numbers, warnings], [[1, 2, 3, 4], []])
  })

  test('a caller waits up to connectionTimeout for a free connection, and is then rejected', () =>
    withinLimits(200, checkConnectionTimeout))

  async function checkConnectionTimeout(connectionTimeout: number): Promise<void> {
    const { database, holder, end } = await openExhausted({ connectionTimeout })
    try {
      const refused = [
        database.run(backendPid, {}),
        database.write(insertNumber, { n: 1 }),
        database.transaction(async () => undefined),
        database.kysely.selectFrom('t').selectAll().execute(),
      ]
      await Promise.all(refused.map(result => assert.rejects(async () => result, unavailable)))
      assert.deepEqual(database.pool!(), { size: 1, open: 1, idle: 0, waiting: 0 })
    } finally {
      end()
    }
    await holder
    assert.equal((await database.run(backendPid, {})).length, 1)
  }

  test('at most maxWaiting callers wait, and the next caller is rejected at once', async () => {
    const { database, holder, end } = await openExhausted({ connectionTimeout: patience, maxWaiting: 2 })
    const waiting = [database.run(backendPid, {}), database.run(backendPid, {})]
    await assert.rejects(async () => database.run(backendPid, {}), unavailable)
    end()
    await holder
    assert.equal((await Promise.all(waiting)).length, 2)
    assert.equal((await database.run(backendPid, {})).length, 1)
  })

  test('timeouts end a slow statement and a wait for a lock, and the connection stays usable', () =>
    withinLimits(100, checkTimeouts))

  async function checkTimeouts(lockTimeout: number): Promise<void> {
    const database = start({ poolSize: 1, statementTimeout: 3 * lockTimeout, lockTimeout })
    const [before] = await database.run(backendPid, {})
    await assert.rejects(async () => database.run(createStatement('select pg_sleep(60)'), {}), {
      ...unavailable,
      codes: 'statement_timeout',
    })
    await plain.transaction(async ({ run }) => {
      await run(createStatement('lock table t in access exclusive mode'), {})
      await assert.rejects(async () => database.run(createStatement('select n from t'), {}), unavailable)
    })
    await assert.rejects(database.write(insertNumber, { n: 'x' }), { message: /invalid input syntax/ })
    await assert.rejects(database.write(insertNumber, { n: '99999999999999999999' }), ValidationError)
    assert.deepEqual(await database.run(backendPid, {}), [before])
  }

  test('an unbounded transaction runs without timeouts', () => withinLimits(100, checkUnboundedTransaction))

  async function checkUnboundedTransaction(limit: number): Promise<void> {
    const database = start({ statementTimeout: limit, lockTimeout: limit / 2, idleInTransactionTimeout: limit })
    const work = async ({ run, kysely }: Parameters<Parameters<Database['transaction']>[0]>[0]) => {
      assert.equal((await run(timeoutSettings, {}))[0]![0], '0 0')
      await sql`select pg_sleep(${sql.lit((3 * limit) / 1000)})`.execute(kysely)
      return 'done'
    }
    assert.equal(await database.transaction(work, { unbounded: true }), 'done')
    const [settings] = await database.run(timeoutsInMilliseconds, {})
    assert.deepEqual(settings, [limit, limit / 2])
  }

  test('an idle transaction is ended by the server, and only that transaction fails', async () => {
    const database = start({ idleInTransactionTimeout: 50 })
    const idle = database.transaction(async ({ first }) => {
      const [own] = (await first(backendPid, {}))!
      const alive = createStatement(`select 1 from pg_stat_activity where pid = ${own}`)
      await eventually(async () => (await plain.run(alive, {})).length === 0, 'the connection is closed')
    })
    await assert.rejects(idle, unavailable)
    assert.equal((await database.run(backendPid, {})).length, 1)
  })

  test('the connection stays usable after a row violates a unique constraint', async () => {
    const database = start({ poolSize: 1 })
    const [before] = await database.run(backendPid, {})
    await database.write(insertNumber, { n: 7 })
    await assert.rejects(database.write(insertNumber, { n: 7 }), ConstraintViolation)
    await assert.rejects(
      database.transaction(({ run }) => run(insertNumber, { n: 7 })),
      ConstraintViolation,
    )
    assert.deepEqual(await database.run(backendPid, {}), [before])
  })

  test('a commit or write whose result is lost is rejected with the code outcome_unknown', async () => {
    const database = start({ url: proxy.through(storage.url), poolSize: 1 })
    const unknown = { ...unavailable, codes: 'outcome_unknown' }
    await database.run(backendPid, {})
    proxy.cutAfter('commit')
    await assert.rejects(
      database.transaction(({ run }) => run(insertNumber, { n: 11 })),
      unknown,
    )
    assert.equal(await isStored(11), true)
    proxy.cutAfter('insert')
    await assert.rejects(database.write(insertNumber, { n: 12 }), unknown)
    assert.equal(await isStored(12), true)
    // If the connection is lost before COMMIT, the outcome is known.
    const lost = database.transaction(async ({ run }) => {
      await run(insertNumber, { n: 13 })
      proxy.cut()
      await run(insertNumber, { n: 14 })
    })
    await assert.rejects(lost, { ...unavailable, codes: 'service_unavailable' })
    assert.equal(await isStored(13), false)
  })

  test('a query to a server that stops responding is rejected in time, and its connection is discarded', () =>
    withinLimits(100, limit => checkSilentServer(limit).finally(proxy.heal)))

  async function checkSilentServer(limit: number): Promise<void> {
    const url = proxy.through(storage.url)
    const database = start({ url, statementTimeout: limit, connectionTimeout: 3 * limit, poolSize: 2 })
    await database.run(backendPid, {})
    proxy.freeze()
    const begun = performance.now()
    await assert.rejects(async () => database.run(backendPid, {}), unavailable)
    assert.equal(database.pool!().open, 0)
    // A new connection gets no response either.
    await assert.rejects(
      database.transaction(async () => undefined),
      unavailable,
    )
    assert.ok(performance.now() - begun < patience)
    proxy.heal()
    assert.equal((await database.run(backendPid, {})).length, 1)
  }

  test('an unreachable server is reported to onError once, and each caller gets 503', async () => {
    const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`
    for (const [url, message] of [
      [nowhere, /ECONNREFUSED/],
      [nowhere.replace('127.0.0.1', 'localhost'), /ECONNREFUSED/],
      [storage.url.replace('127.0.0.1', 'nowhere.invalid'), /ENOTFOUND|EAI_AGAIN/],
      [`${storage.url}_missing`, /does not exist/],
      [storage.url.replace('postgres@', 'nobody@'), /nobody/],
      [`${storage.url}?sslmode=verify-full`, /SSL/],
    ] as const) {
      const reported: Error[] = []
      const database = start({ url, connectionTimeout: patience, onError: error => reported.push(error) })
      for (let time = 0; time < 3; time++) await assert.rejects(async () => database.run(backendPid, {}), unavailable)
      assert.equal(reported.length, 1, url)
      assert.match(reported[0]!.message, message)
    }
  })

  test('behind a pooler, statements have no names, and only transactions set timeouts', async () => {
    const database = start({ poolSize: 1, pooler: 'transaction', statementTimeout: 1234, lockTimeout: 567 })
    assert.deepEqual(await database.run(timeoutSettings, {}), [['0 0']])
    assert.deepEqual(await database.transaction(({ run }) => run(timeoutSettings, {})), [['1234ms 567ms']])
    assert.deepEqual(await database.run(timeoutSettings, {}), [['0 0']])
    assert.deepEqual(await database.run(countPrepared, {}), [[0]])
  })
})
