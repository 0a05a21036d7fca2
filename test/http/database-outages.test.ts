// PostgreSQL is slow, unreachable or back again: clients get 503 in time, and the process recovers without a restart.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { hashPassword } from 'resource-api/accounts'
import { createService, openServices, readSettings, type Services } from 'resource-api/service'
import defaultService from '../../src/seed/default-service.ts'
import { type Client, injectClient, type TestResponse } from '../support/client.ts'
import { createDatabase, type Storage } from '../support/service.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

let storage: Storage
let proxy: TcpProxy
let services: Services
let client: Client
let close: () => Promise<void>
let token: string

suite('outages of the database', () => {
  before(async () => {
    storage = await createDatabase()
    proxy = await startTcpProxy(storage.url)
    // Short enough to wait for, and long enough for a busy machine.
    const postgres = { poolSize: 3, connectionTimeout: 2000, statementTimeout: 1500, lockTimeout: 1000 }
    const file = {
      ...defaultService,
      databaseUrl: proxy.through(storage.url),
      postgres,
      logLevel: 'silent' as const,
      auditRetention: null,
    }
    const settings = readSettings({ file })
    services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
    await services.migrate()
    const app = await createService(services)
    client = injectClient(app)
    close = () => app.close()
    token = await services.database.transaction(async connection => {
      const passwordHash = await hashPassword('correct horse battery staple')
      const user = { username: 'ann', passwordHash, isStaff: false, isSuperuser: false, isActive: true }
      return services.accounts.tokens.getOrCreate(await services.accounts.users.create(user, connection), connection)
    })
  })
  after(async () => {
    await close()
    await services.close()
    await proxy.close()
    await storage.remove()
  })

  const unavailable = 'The service is temporarily unavailable. Try again later.'

  function assertUnavailable(response: TestResponse, detail = unavailable): void {
    assert.deepEqual([response.status, response.headers['retry-after'], response.json()], [503, '1', { detail }])
  }

  test('while the database does not respond, reads, writes and logins are 503; they succeed once it responds again', async () => {
    const sendRequests = () =>
      Promise.all([
        client.get('/snippet/snippets/'),
        client.get('/directory/groups/', { token }),
        client.post('/directory/groups/', { token, json: { name: 'never' } }),
        client.get('/directory/groups/', { basic: 'ann:correct horse battery staple' }),
      ])
    for (const response of [await client.get('/directory/groups/', { token }), await client.get('/snippet/snippets/')])
      assert.equal(response.status, 200)
    proxy.freeze()
    for (const response of await sendRequests()) assertUnavailable(response)
    proxy.heal()
    assert.deepEqual(
      (await sendRequests()).map(({ status }) => status),
      [200, 200, 201, 200],
    )
  })

  test('a write whose commit result is lost is 503 with a detail that the change may have been made', async () => {
    const json = { title: 'made without a word', code: 'pass' }
    proxy.cutAfter(json.title)
    const message =
      'The connection to the database was lost. The change may or may not have been made: look before you try again.'
    assertUnavailable(await client.post('/snippet/snippets/', { token, json }), message)
    // The other pooled connections are broken too, and the pool may not have noticed yet.
    let list = await client.get('/snippet/snippets/')
    for (let time = 0; time < 3 && list.status === 503; time++) list = await client.get('/snippet/snippets/')
    assert.deepEqual(
      list.json().map(({ title }: { title: string }) => title),
      [json.title],
    )
  })

  test('a request that waits for a locked table is 503, and other requests succeed', async () => {
    await services.database.transaction(async ({ kysely }) => {
      await sql`lock table snippets in access exclusive mode`.execute(kysely)
      assertUnavailable(await client.get('/snippet/snippets/'))
      assert.equal((await client.get('/directory/groups/', { token })).status, 200)
    })
    assert.equal((await client.get('/snippet/snippets/')).status, 200)
  })
})
