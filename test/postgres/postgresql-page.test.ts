// Checks docs/postgresql.md: the defaults in its table, and that its roles have only the rights that the service needs.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import pg from 'pg'
import { hashPassword } from 'resource-api/accounts'
import { createService, openServices, readSettings, type Services } from 'resource-api/service'
import defaultService from '../../src/seed/default-service.ts'
import { postgresSchema } from '../../src/service/settings/database-settings.ts'
import { injectClient } from '../support/client.ts'

const page = readFileSync(new URL('../../docs/postgresql.md', import.meta.url), 'utf8')
const server = process.env.TEST_POSTGRES_URL!

test('the page lists each setting with its default', () => {
  const { pooler: _, ...defaults } = postgresSchema.parse({})
  const rows = [...page.matchAll(/^\| `(\w+)`[^|]* \| (\d+)/gm)].map(([, name, value]) => [name, Number(value)])
  assert.deepEqual(Object.fromEntries(rows), defaults)
})

test('the owner role on the page can migrate, and the service role can run the service but not change tables', async context => {
  const name = `api_${randomBytes(4).toString('hex')}`
  const blocks = [...page.matchAll(/```sql\n(.*?)```/gs)].map(([, sql]) => sql!.replaceAll(/\bapi(?=\b|_owner)/g, name))
  const [timeouts, roles, rights] = blocks as [string, string, string]
  context.after(() =>
    administrate(server, `drop database ${name} with (force); drop role ${name}; drop role ${name}_owner`),
  )
  await administrate(server, roles)
  await administrate(server.replace(/\/postgres$/, `/${name}`), rights)
  await administrate(server, timeouts)

  const owner = openAs(name, `${name}_owner`)
  await owner.migrate()
  await owner.close()
  const services = openAs(name, name)
  context.after(() => services.close())
  assert.deepEqual(await services.migrate(), [])
  await assert.rejects(services.database.kysely.schema.dropTable('users').execute(), /must be owner/)
  await assert.rejects(services.database.kysely.schema.createTable('mine').execute(), /permission denied/)
  await exerciseService(services)
})

const openAs = (database: string, user: string): Services => {
  const url = server.replace('postgres@', `${user}@`).replace(/\/postgres$/, `/${database}`)
  const throttles = { anon: ['1000/minute'] }
  const settings = readSettings({ file: { ...defaultService, databaseUrl: url, logLevel: 'silent', throttles } })
  return openServices({ ...settings, secretKey: 'x'.repeat(40) })
}

// Writes users, tokens, groups, snippets, rates and audit log entries.
async function exerciseService(services: Services): Promise<void> {
  const app = await createService(services)
  const client = injectClient(app)
  const password = 'correct horse battery staple'
  await services.database.transaction(async connection => {
    const passwordHash = await hashPassword(password)
    await services.accounts.users.create(
      { username: 'ann', passwordHash, isStaff: true, isSuperuser: true, isActive: true },
      connection,
    )
  })
  const { token } = (await client.post('/api-token-auth/', { json: { username: 'ann', password } })).json()
  const group = await client.post('/directory/groups/', { token, json: { name: 'all' } })
  const snippet = await client.post('/snippet/snippets/', { token, json: { code: 'pass' } })
  assert.deepEqual([group.status, snippet.status], [201, 201])
  for (const path of [group, snippet].map(({ headers }) => new URL(headers.location!).pathname))
    assert.equal((await client.delete(path, { token })).status, 204)
  assert.equal((await client.get('/snippet/snippets/')).status, 200)
  assert.equal((await client.get('/admin/audit-log/', { token })).status, 200)
  await app.close()
}

async function administrate(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of sql.split(';')) if (statement.trim() !== '') await client.query(statement)
  } finally {
    await client.end()
  }
}
