// PostgreSQL that is slow, away, exhausted or behind a pooler: every wait ends, and the process lives on.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { freePort } from '../../../test/support/free-port.ts'
import { createDatabase, type Storage } from '../../../test/support/service.ts'
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts'
import { ServiceUnavailable, ValidationError } from '../errors/exceptions.ts'
import { ConstraintViolation, type Database, Parameter, type Statement } from './database.ts'
import { openPostgres, type PostgresOptions } from './postgres.ts'

let storage: Storage
let proxy: TcpProxy
let plain: Database
const open: Database[] = []

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

const query = <Row extends readonly unknown[]>(text: string): Statement<Row> => ({ sql: text, parameters: [] })
const add: Statement = { sql: 'insert into t (n) values ($1) returning n', parameters: [new Parameter('n')] }
const pid = query<[number]>('select pg_backend_pid()')
const setting = query<[string]>(`select current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')`)
const prepared = query<[number]>('select count(*) from pg_prepared_statements')
const isThere = async (n: number) => (await plain.run(query(`select n from t where n = ${n}`), {})).length === 1
const unavailable = { name: ServiceUnavailable.name, status: 503, headers: { 'retry-after': '1' } }

/** A database of one connection that is in use until `end` is called. */
async function exhausted(options: Partial<PostgresOptions>) {
  const database = start({ poolSize: 1, ...options })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const holder = database.transaction(async () => {
    begin()
    await ended
  })
  await begun
  return { database, holder, end }
}

test('who finds no free connection waits so long, and is then refused', async () => {
  const { database, holder, end } = await exhausted({ connectionTimeout: 200 })
  const refused = [
    database.run(pid, {}),
    database.write(add, { n: 1 }),
    database.transaction(async () => undefined),
    database.kysely.selectFrom('t').selectAll().execute(),
  ]
  await Promise.all(refused.map(asked => assert.rejects(async () => asked, unavailable)))
  assert.deepEqual(database.pool!(), { size: 1, open: 1, idle: 0, waiting: 0 })
  end()
  await holder
  assert.equal((await database.run(pid, {})).length, 1)
})

test('no more than so many wait: the next is refused while they still do', async () => {
  const { database, holder, end } = await exhausted({ connectionTimeout: 60_000, maxWaiting: 2 })
  const waiting = [database.run(pid, {}), database.run(pid, {})]
  await assert.rejects(async () => database.run(pid, {}), unavailable)
  end()
  await holder
  assert.equal((await Promise.all(waiting)).length, 2)
  assert.equal((await database.run(pid, {})).length, 1)
})

test('a slow statement and a lock that is held end in time, and the connection remains', async () => {
  const database = start({ poolSize: 1, statementTimeout: 300, lockTimeout: 100 })
  const [before] = await database.run(pid, {})
  await assert.rejects(async () => database.run(query('select pg_sleep(60)'), {}), unavailable)
  await plain.transaction(async ({ run }) => {
    await run(query('lock table t in access exclusive mode'), {})
    await assert.rejects(async () => database.run(query('select n from t'), {}), unavailable)
  })
  await assert.rejects(database.write(add, { n: 'x' }), { message: /invalid input syntax/ })
  await assert.rejects(database.write(add, { n: '99999999999999999999' }), ValidationError)
  assert.deepEqual(await database.run(pid, {}), [before])
})

test('what has to take its time is given it', async () => {
  const database = start({ statementTimeout: 100, lockTimeout: 50, idleInTransactionTimeout: 100 })
  const work = async ({ run, kysely }: Parameters<Parameters<Database['transaction']>[0]>[0]) => {
    assert.equal((await run(setting, {}))[0]![0], '0 0')
    await sql`select pg_sleep(0.3)`.execute(kysely)
    return 'done'
  }
  assert.equal(await database.transaction(work, { unbounded: true }), 'done')
  assert.equal((await database.run(setting, {}))[0]![0], '100ms 50ms')
})

test('a transaction that is forgotten, or whose connection dies, fails alone', async () => {
  const database = start({ idleInTransactionTimeout: 50 })
  const until = async (work: () => Promise<boolean>) => {
    for (const deadline = Date.now() + 10_000; !(await work()); ) assert.ok(Date.now() < deadline)
  }
  const forgotten = database.transaction(async ({ first }) => {
    const [own] = (await first(pid, {}))!
    const alive = query(`select 1 from pg_stat_activity where pid = ${own}`)
    await until(async () => (await plain.run(alive, {})).length === 0)
  })
  await assert.rejects(forgotten, unavailable)
  assert.equal((await database.run(pid, {})).length, 1)
})

test('a row that breaks a key does not cost the connection', async () => {
  const database = start({ poolSize: 1 })
  const [before] = await database.run(pid, {})
  await database.write(add, { n: 7 })
  await assert.rejects(database.write(add, { n: 7 }), ConstraintViolation)
  await assert.rejects(
    database.transaction(({ run }) => run(add, { n: 7 })),
    ConstraintViolation,
  )
  assert.deepEqual(await database.run(pid, {}), [before])
})

test('a commit or a write of which nobody hears is an error that says so', async () => {
  const database = start({ url: proxy.through(storage.url), poolSize: 1 })
  const unknown = { ...unavailable, codes: 'outcome_unknown' }
  await database.run(pid, {})
  proxy.cutAfter('commit')
  await assert.rejects(
    database.transaction(({ run }) => run(add, { n: 11 })),
    unknown,
  )
  assert.equal(await isThere(11), true)
  proxy.cutAfter('insert')
  await assert.rejects(database.write(add, { n: 12 }), unknown)
  assert.equal(await isThere(12), true)
  // Before COMMIT was sent, the outcome is known.
  const lost = database.transaction(async ({ run }) => {
    await run(add, { n: 13 })
    proxy.cut()
    await run(add, { n: 14 })
  })
  await assert.rejects(lost, { ...unavailable, codes: 'service_unavailable' })
  assert.equal(await isThere(13), false)
})

test('a server that no longer answers is given up in time, and its connection with it', async () => {
  const database = start({
    url: proxy.through(storage.url),
    statementTimeout: 100,
    connectionTimeout: 300,
    poolSize: 2,
  })
  await database.run(pid, {})
  proxy.freeze()
  const begun = performance.now()
  await assert.rejects(async () => database.run(pid, {}), unavailable)
  assert.equal(database.pool!().open, 0)
  // Nor does a new connection get an answer.
  await assert.rejects(
    database.transaction(async () => undefined),
    unavailable,
  )
  assert.ok(performance.now() - begun < 10_000)
  proxy.heal()
  assert.equal((await database.run(pid, {})).length, 1)
})

test('a server that cannot be reached is told to the operator once, and to the caller as unavailable', async () => {
  const nowhere = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`
  for (const [url, message] of [
    [nowhere, /ECONNREFUSED/],
    [nowhere.replace('127.0.0.1', 'localhost'), /ECONNREFUSED/],
    [storage.url.replace('127.0.0.1', 'nowhere.invalid'), /ENOTFOUND|EAI_AGAIN/],
    [`${storage.url}_missing`, /does not exist/],
    [storage.url.replace('postgres@', 'nobody@'), /nobody/],
    [`${storage.url}?sslmode=verify-full`, /SSL/],
  ] as const) {
    const told: Error[] = []
    const database = start({ url, connectionTimeout: 20_000, onError: error => told.push(error) })
    for (let time = 0; time < 3; time++) await assert.rejects(async () => database.run(pid, {}), unavailable)
    assert.equal(told.length, 1, url)
    assert.match(told[0]!.message, message)
  }
})

test('statements that the server has forgotten are run without names from then on', async () => {
  const told: Error[] = []
  const database = start({ poolSize: 1, onError: error => told.push(error) })
  const forget = () => sql`deallocate all`.execute(database.kysely)
  await database.run(prepared, {})
  assert.deepEqual(await database.run(prepared, {}), [[1]])
  await forget()
  assert.deepEqual(await database.run(prepared, {}), [[0]])
  await forget()
  assert.deepEqual(await database.write(add, { n: 21 }), [[21]])
  assert.deepEqual(await database.run(prepared, {}), [[0]])
  assert.equal(told.length, 1)
  assert.match(told[0]!.message, /DATABASE_POOLER=transaction/)
})

test('a transaction whose statement is forgotten fails, and the next does not', async () => {
  const database = start({ poolSize: 1 })
  const work = () => database.transaction(({ first }) => first(pid, {}))
  await work()
  await sql`deallocate all`.execute(database.kysely)
  await assert.rejects(work(), unavailable)
  assert.equal((await work())!.length, 1)
})

test('for a pooler, statements have no names, and only transactions bring their timeouts', async () => {
  const database = start({ poolSize: 1, pooler: 'transaction', statementTimeout: 1234, lockTimeout: 567 })
  assert.deepEqual(await database.run(setting, {}), [['0 0']])
  assert.deepEqual(await database.transaction(({ run }) => run(setting, {})), [['1234ms 567ms']])
  assert.deepEqual(await database.run(setting, {}), [['0 0']])
  assert.deepEqual(await database.run(prepared, {}), [[0]])
})
