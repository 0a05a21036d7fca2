// Liveness and readiness probes.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { createService, openServices, readSettings } from 'resource-api/service'
import defaultService from '../../src/seed/default-service.ts'
import { injectClient } from '../support/client.ts'
import type { TestOptions } from '../support/service.ts'
import { createDatabase, createFile, onEveryDatabase, type TestService } from '../support/service.ts'

const probes = ['/healthz', '/readyz']
// Every other path refuses these requests, by host and by throttle.
const strict: TestOptions = { allowedHosts: ['api.example.org'], throttles: { anon: '1/day' } }

for (const [title, options] of Object.entries<TestOptions>({
  'one profile': { ...strict, profiles: ['directory'] },
  'two profiles': strict,
})) {
  suite(title, () => {
    onEveryDatabase(options, service => {
      test('probes respond to every caller, with any Host, without throttling', () => checkProbes(service()))
    })
  })
}

async function checkProbes({ client, statements }: TestService): Promise<void> {
  for (const path of probes) {
    const before = statements.length
    for (const headers of [{ host: '10.0.0.7:8000' }, { host: 'evil.example', authorization: 'Token wrong' }]) {
      const response = await client.get(path, { headers })
      assert.deepEqual([response.status, response.text], [200, '{"status":"ok"}'])
      assert.equal(response.headers['content-type'], 'application/json')
      assert.equal(response.headers['cache-control'], 'no-store')
    }
    const head = await client.request('HEAD', path)
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(statements.length === before, path === '/healthz', 'only readiness asks the database')
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      const refused = await client.request(method, path)
      assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD'], method)
      assert.equal(refused.headers['cache-control'], 'no-store')
    }
  }
}

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  test(`readiness reports missing and unknown migrations, on ${name}`, async context => {
    const storage = await createStorage()
    context.after(storage.remove)
    const settings = readSettings({ file: { ...defaultService, databaseUrl: storage.url, logLevel: 'silent' } })
    const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
    await services.migrate()
    const app = await createService(services)
    const client = injectClient(app)
    const readReadiness = async () => {
      const { status, text } = await client.get('/readyz')
      return [status, JSON.parse(text).detail]
    }
    const missingMigrations = [503, 'The database lacks migrations.']
    assert.deepEqual(await readReadiness(), [200, undefined])

    const write = (statement: RawBuilder<unknown>) =>
      services.database.transaction(async ({ kysely }) => void (await statement.execute(kysely)))
    await write(sql`insert into resource_api_migrations (name, applied) values ('accounts/9999_future', 'now')`)
    assert.deepEqual(await readReadiness(), [503, 'The database has migrations that this version does not have.'])
    await write(sql`delete from resource_api_migrations where name in ('accounts/9999_future', 'audit/0001_audit_log')`)
    assert.deepEqual(await readReadiness(), missingMigrations)

    await app.close()
    await services.close()
  })

  test(`readiness fails without the database, and liveness does not, on ${name}`, async context => {
    const storage = await createStorage()
    context.after(storage.remove)
    const settings = readSettings({ file: { ...defaultService, databaseUrl: storage.url, logLevel: 'silent' } })
    const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
    await services.migrate()
    const app = await createService(services)
    context.after(() => app.close())
    await app.ready()
    await services.close()
    const client = injectClient(app)
    const { status, text } = await client.get('/readyz')
    assert.equal(status, 503)
    assert.equal(text, '{"status":"unavailable","failed":"database","detail":"The database does not respond."}')
    assert.equal((await client.get('/healthz')).status, 200)
  })
}
