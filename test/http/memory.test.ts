// `sqlite::memory:` is a database like any other that lasts as long as it is open.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import { hyperlinkedIdentity, limitOffset, migrate, openDatabase, resource, text } from 'resource-api'
import { createService, openServices, readSettings } from 'resource-api/service'
import { compile } from '#core'
import defaultService from '../../src/seed/default-service.ts'
import { injectClient } from '../support/client.ts'
import { authors, libraryMigrations } from '../support/library.ts'
import { startApi } from '../support/own-api.ts'

const library = [{ owner: 'library', steps: libraryMigrations }]

test('sqlite::memory: migrates, is written and is read, by the connections of one database alone', async () => {
  const database = openDatabase('sqlite::memory:')
  assert.deepEqual(await migrate(database, library), [{ owner: 'library', steps: ['0001_library'] }])
  assert.deepEqual(await migrate(database, library), [])
  const { client, stop } = await startApi({
    database,
    resources: [authors],
    pagination: limitOffset({ defaultLimit: 2 }),
  })
  const count = async () => (await client.get('/authors/')).json().count
  for (const [index, name] of ['Ann', 'Bea', 'Cyd'].entries()) {
    const created = await client.post('/authors/', { json: { name } })
    assert.equal(created.status, 201, created.text)
    assert.equal((await client.get(created.headers.location!)).json().name, name)
    assert.equal(await count(), index + 1)
  }
  const taken = await client.post('/authors/', { json: { name: 'Ann' } })
  assert.deepEqual([taken.status, taken.json()], [400, { name: ['This field must be unique.'] }])
  assert.deepEqual(await database.latest(compile(database, sql`select count(*) from authors`), {}), [3])

  const other = openDatabase('sqlite::memory:')
  await assert.rejects(async () => other.run(compile(other, sql`select 1 from authors`), {}), /no such table/)
  await other.close()
  await stop()
  await database.close()
})

test('in memory, a transaction that fails leaves nothing behind, and no read of it is kept', async () => {
  const database = openDatabase('sqlite::memory:')
  await migrate(database, library)
  const seen: number[] = []
  const people = resource('people', {
    table: 'authors',
    fields: { url: hyperlinkedIdentity(), name: text() },
    async afterSave({ connection: { kysely } }) {
      // A read while the transaction is open sees what it has written so far.
      const read = async () => seen.push((await client.get('/people/?limit=5')).json().count)
      await read()
      await kysely.insertInto('authors').values({ name: 'Bea' }).execute()
      await read()
      throw new Error('no')
    },
  })
  const { client, stop } = await startApi({ database, resources: [people], pagination: limitOffset() })
  const empty = { count: 0, next: null, previous: null, results: [] }
  assert.equal((await client.post('/people/', { json: { name: 'Ann' } })).status, 500)
  assert.deepEqual(seen, [1, 2])
  for (const limit of [5, 6]) assert.deepEqual((await client.get(`/people/?limit=${limit}`)).json(), empty)
  await stop()
  await database.close()
})

test('the service runs in memory, and makes no file', async () => {
  const settings = readSettings({ file: { ...defaultService, databaseUrl: 'sqlite::memory:', logLevel: 'silent' } })
  const services = openServices({ ...settings, secretKey: 'x'.repeat(40) })
  await services.migrate()
  const app = await createService(services)
  const client = injectClient(app)
  const user = { username: 'ann', passwordHash: undefined, isStaff: false, isSuperuser: false, isActive: true }
  const token = await services.database.transaction(async connection =>
    services.accounts.tokens.getOrCreate(await services.accounts.users.create(user, connection), connection),
  )
  const created = await client.post('/snippet/snippets/', { token, json: { code: 'print(1)' } })
  assert.equal(created.status, 201, created.text)
  assert.equal((await client.get('/snippet/snippets/')).json().length, 1)
  assert.equal((await client.get('/directory/users/', { token })).json().count, 1)
  assert.equal((await client.post('/api-token-auth/', { form: { username: 'ann', password: 'x' } })).status, 400)
  await app.close()
  await services.close()
  for (const file of [':memory:', ':memory:-rates']) assert.ok(!existsSync(file), file)
})
