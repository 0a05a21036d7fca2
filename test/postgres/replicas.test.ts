// Tests with a real primary and a real streaming replica: reads see every write that was acknowledged before.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import pg from 'pg'
import type { Database } from 'resource-api'
import { hashPassword } from 'resource-api/accounts'
import { createService, openServices, readSettings } from 'resource-api/service'
import { Parameter, type Statement } from '../../src/core/database/database.ts'
import { openReplicated, type ReplicatedOptions } from '../../src/core/database/postgres/replicas.ts'
import defaultService from '../../src/seed/default-service.ts'
import { injectClient } from '../support/client.ts'
import { patience } from '../support/patience.ts'
import { startReplication, type TestReplication } from '../support/postgres.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'

let servers: TestReplication
let primary: pg.Client
let replica: pg.Client

before(async () => {
  servers = await startReplication()
  primary = await connect(servers.primary.url)
  replica = await connect(servers.replica.url)
  await primary.query('create table t (n bigint not null)')
  await primary.query('insert into t values (0)')
})
after(async () => {
  await Promise.all([primary?.end(), replica?.end()])
  await servers?.remove()
})
afterEach(() => resumeReplay())

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return client
}

const query = <Row extends readonly unknown[]>(text: string): Statement<Row> => ({ sql: text, parameters: [] })
const isReplica = query<[boolean]>('select pg_is_in_recovery()')
const read = query<[number, boolean]>('select n, pg_is_in_recovery() from t')
const write: Statement = { sql: 'update t set n = $1', parameters: [new Parameter('n')] }

const openDatabase = (options: Partial<ReplicatedOptions> = {}) =>
  openReplicated({ url: servers.primary.url, replicaUrls: [servers.replica.url], replicaRest: 200, ...options })

async function waitUntil(condition: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + patience; !(await condition()); ) assert.ok(Date.now() < deadline, 'timed out')
}

async function pauseReplay(): Promise<void> {
  await replica.query('select pg_wal_replay_pause()')
  await waitUntil(
    async () => (await replica.query('select pg_get_wal_replay_pause_state() as is')).rows[0].is === 'paused',
  )
}
const resumeReplay = () => replica.query('select pg_wal_replay_resume()')

async function waitForReplay(): Promise<void> {
  const { rows } = await primary.query('select pg_current_wal_flush_lsn() as lsn')
  await waitUntil(
    async () => (await replica.query('select pg_last_wal_replay_lsn() >= $1 as is', [rows[0].lsn])).rows[0].is,
  )
}

/** Retries until the replica serves reads: it first has to replay the primary's background writes. */
async function waitForReplica(database: Database): Promise<void> {
  await waitUntil(async () => (await database.first(isReplica, {}))![0])
}

test('reads go to the replica; writes, transactions and authentication go to the primary', async context => {
  const database = openDatabase()
  context.after(() => database.close())
  await waitForReplica(database)
  await waitUntil(async () => (await database.run(isReplica, {}))[0]![0])
  assert.deepEqual(await database.latest(isReplica, {}), [false])
  assert.deepEqual(await database.write(isReplica, {}), [[false]])
  assert.deepEqual(await database.transaction(({ first }) => first(isReplica, {})), [false])
})

test('reads go to the primary until the replica has replayed the last write of any process', async context => {
  const databases = [openDatabase(), openDatabase(), openDatabase({ pooler: 'transaction' })]
  context.after(() => Promise.all(databases.map(database => database.close())))
  for (const database of databases) await waitForReplica(database)
  await pauseReplay()
  await databases[0]!.write(write, { n: 1 })
  for (const database of databases) assert.deepEqual(await database.first(read, {}), [1, false])
  await resumeReplay()
  for (const database of databases) await waitForReplica(database)
})

test('reads see every write that was acknowledged before, even while the replica pauses and resumes', async context => {
  const databases = [openDatabase({ poolSize: 3 }), openDatabase({ poolSize: 3 })]
  context.after(() => Promise.all(databases.map(database => database.close())))
  let acknowledged = 1
  let isOver = false
  const readsFrom = { primary: 0, replica: 0 }
  const writer = async () => {
    for (let n = acknowledged + 1; (n <= 250 || readsFrom.replica === 0) && !isOver; n++) {
      await databases[n % 2]!.write(write, { n })
      acknowledged = n
    }
  }
  const reader = async (database: (typeof databases)[number]) => {
    for (let lastRead = 0; !isOver; ) {
      const expected = Math.max(lastRead, acknowledged)
      const [n, isFromReplica] = (await database.first(read, {}))!
      assert.ok(n >= expected, `${n} was read when ${expected} had been acknowledged or read`)
      lastRead = n
      readsFrom[isFromReplica ? 'replica' : 'primary']++
    }
  }
  const pauser = async () => {
    while (!isOver) {
      // The replica may cancel the position query like any other statement.
      await pauseReplay().catch(() => undefined)
      await resumeReplay().catch(() => undefined)
    }
  }
  const stop = () => {
    isOver = true
  }
  const readers = [0, 1, 0, 1].map(index => reader(databases[index]!))
  await Promise.all([writer().finally(stop), pauser(), ...readers.map(reads => reads.finally(stop))])
  context.diagnostic(`reads: ${JSON.stringify(readsFrom)}`)
  assert.ok(readsFrom.replica > 0)
  await waitForReplica(databases[0]!)
})

test('a read that a replica cancels because of replay is retried on the primary', async context => {
  const database = openDatabase()
  context.after(() => database.close())
  const slow = query(
    'select pg_is_in_recovery(), pg_sleep(case when pg_is_in_recovery() then 3600 else 0 end) from t limit 1',
  )
  await waitForReplica(database)
  const read = database.first(slow, {})
  await waitUntil(async () => {
    const { rows } = await replica.query(`select 1 from pg_stat_activity where wait_event = 'PgSleep'`)
    return rows.length > 0
  })
  await primary.query('update t set n = n')
  await primary.query('vacuum t')
  assert.equal((await read)![0], false)
})

test('reads are distributed over all replicas', async context => {
  const { url } = servers.replica
  const database = openDatabase({ replicaUrls: [url, url], poolSize: 1 })
  context.after(() => database.close())
  const pids = new Set<number>()
  await waitUntil(async () => {
    const [pid, isFromReplica] = (await database.first(
      query<[number, boolean]>('select pg_backend_pid(), pg_is_in_recovery()'),
      {},
    ))!
    if (isFromReplica) pids.add(pid)
    return pids.size === 2
  })
})

test('an unreachable or hanging replica, or a server that is not a replica, is reported and gets no reads for a while', async context => {
  const proxy = await startTcpProxy(servers.replica.url)
  context.after(() => proxy.close())
  const messages: string[] = []
  const onError = (error: Error) => messages.push(error.message)
  const database = openDatabase({ replicaUrls: [proxy.through(servers.replica.url)], onError })
  const misconfigured = openDatabase({ replicaUrls: [servers.primary.url], onError })
  context.after(() => Promise.all([database.close(), misconfigured.close()]))
  assert.deepEqual(await misconfigured.first(isReplica, {}), [false])
  assert.match(messages.pop()!, /^the replica 127\.0\.0\.1:\d+ fails, .*: the server is not a replica$/)
  await waitForReplica(database)
  // A hanging replica delays only one read.
  proxy.freeze()
  await primary.query('update t set n = n')
  assert.deepEqual(await database.first(isReplica, {}), [false])
  assert.match(messages.at(-1)!, /^the replica .*: Query read timeout$/)
  proxy.heal()
  await waitForReplica(database)
  proxy.cut()
  await proxy.close()
  for (let time = 0; time < 20; time++) assert.deepEqual(await database.first(isReplica, {}), [false])
})

test('reads work while a replica is stopped, and use it again after it restarts', async context => {
  const database = openDatabase()
  context.after(() => database.close())
  await waitForReplica(database)
  await servers.replica.stop()
  await database.write(write, { n: 300 })
  for (let time = 0; time < 20; time++) assert.deepEqual(await database.first(read, {}), [300, false])
  await servers.replica.start()
  replica = await connect(servers.replica.url)
  await waitUntil(async () => {
    const [n, isFromReplica] = (await database.first(read, {}))!
    assert.equal(n, 300)
    return isFromReplica
  })
})

test('a service with replicas shows the latest writes, with exact counts', async context => {
  const file = {
    ...defaultService,
    databaseUrl: servers.primary.url,
    databaseReplicaUrls: [servers.replica.url],
    logLevel: 'silent' as const,
  }
  const settings = readSettings({ file })
  const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
  context.after(() => services.close())
  await services.migrate()
  const app = await createService(services)
  context.after(() => app.close())
  const client = injectClient(app)
  const token = await services.database.transaction(async connection => {
    const passwordHash = await hashPassword('correct horse battery staple')
    const user = { username: 'ann', passwordHash, isStaff: false, isSuperuser: false, isActive: true }
    const id = await services.accounts.users.create(user, connection)
    return services.accounts.tokens.getOrCreate(id, connection)
  })
  for (let count = 1; count <= 6; count++) {
    if (count % 2 === 0) await pauseReplay()
    else await waitForReplay()
    const created = await client.post('/directory/groups/', { token, json: { name: `group ${count}` } })
    assert.equal(created.status, 201)
    const list = (await client.get('/directory/groups/', { token })).json()
    assert.deepEqual([list.count, list.results.length], [count, count])
    const { pathname } = new URL(created.headers.location!)
    assert.equal((await client.get(pathname, { token })).json().name, `group ${count}`)
    await resumeReplay()
  }
})
