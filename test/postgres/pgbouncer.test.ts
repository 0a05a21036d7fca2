// Runs the service behind pgbouncer in transaction mode, where each statement or transaction may use a different server
// connection. src/core/database/postgres/postgres.test.ts tests lost prepared statements without pgbouncer.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { hashPassword } from 'resource-api/accounts'
import { createService, openServices, readSettings } from 'resource-api/service'
import { openPostgres } from '#core'
import { Parameter, type Statement } from '../../src/core/database/database.ts'
import defaultService from '../../src/seed/default-service.ts'
import { injectClient } from '../support/client.ts'
import { pgbouncer, startPgbouncer, type TestPooler } from '../support/pgbouncer.ts'
import { createDatabase, type Storage } from '../support/service.ts'

const runConcurrently = <Result>(count: number, task: (index: number) => Result | Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => task(index)))

const statements: readonly Statement[] = Array.from({ length: 5 }, (_, index) => ({
  sql: `select ${index}, cast($1 as bigint), pg_backend_pid()`,
  parameters: [new Parameter('n')],
}))

suite('behind pgbouncer', { skip: pgbouncer === undefined && 'pgbouncer is not installed' }, () => {
  let storage: Storage
  let pooler: TestPooler
  let lenientPooler: TestPooler

  before(async () => {
    storage = await createDatabase()
    pooler = await startPgbouncer(storage.url)
    const ignored = 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout'
    lenientPooler = await startPgbouncer(storage.url, [`ignore_startup_parameters = ${ignored}`])
  })
  after(async () => {
    await Promise.all([pooler?.stop(), lenientPooler?.stop()])
    await storage?.remove()
  })

  test('the service works with DATABASE_POOLER=transaction', async context => {
    const file = { ...defaultService, databaseUrl: pooler.through(storage.url), logLevel: 'silent' as const }
    const settings = readSettings({ file, environment: { DATABASE_POOLER: 'transaction', DATABASE_POOL_SIZE: '8' } })
    const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
    context.after(() => services.close())
    await services.migrate()
    const app = await createService(services)
    context.after(() => app.close())
    const client = injectClient(app)
    const passwordHash = await hashPassword('correct horse battery staple')
    const token = await services.database.transaction(async connection => {
      const user = { username: 'ann', passwordHash, isStaff: false, isSuperuser: false, isActive: true }
      return services.accounts.tokens.getOrCreate(await services.accounts.users.create(user, connection), connection)
    })
    const created = await runConcurrently(30, index =>
      client.post('/directory/groups/', { token, json: { name: `group ${index}` } }),
    )
    assert.deepEqual(new Set(created.map(({ status }) => status)), new Set([201]))
    const lists = await runConcurrently(30, () => client.get('/directory/groups/', { token }))
    for (const list of lists) assert.equal(list.json().count, 30)
  })

  test('without DATABASE_POOLER, the error message names the setting', async context => {
    const messages: string[] = []
    const database = openPostgres({ url: pooler.through(storage.url), onError: error => messages.push(error.message) })
    context.after(() => database.close())
    await assert.rejects(async () => database.run(statements[0]!, { n: 1 }), { status: 503 })
    assert.match(messages[0]!, /startup parameter.*set DATABASE_POOLER=transaction/)
  })

  test('if the pooler ignores the startup parameters, unnamed statements are used, and none fails', async context => {
    const messages: string[] = []
    const url = lenientPooler.through(storage.url)
    const databases = await runConcurrently(3, async () =>
      openPostgres({ url, onError: error => messages.push(error.message) }),
    )
    context.after(() => Promise.all(databases.map(database => database.close())))
    for (let round = 0; round < 5; round++) {
      const rows = await runConcurrently(60, n => databases[n % 3]!.first(statements[n % 5]!, { n }))
      assert.deepEqual(
        rows.map(row => row!.slice(0, 2)),
        rows.map((_, n) => [n % 5, n]),
      )
    }
    assert.ok(messages.length > 0 && messages.length <= 3)
    for (const message of messages) assert.match(message, /set DATABASE_POOLER=transaction/)
  })
})
