// On PostgreSQL, a query of a list that takes too long is ended; its connection serves the next request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { filter, integer, key, migrate, openDatabase, pageNumber, resource, text } from 'resource-api'
import { libraryMigrations } from '../support/library.ts'
import { fullDetailsHandler, startApi } from '../support/own-api.ts'
import { createDatabase } from '../support/service.ts'

const authors = resource('authors', {
  table: 'authors',
  actions: ['list'],
  fields: { id: key(), name: text() },
  filters: { sleep: filter(integer(), ({ value }) => sql`pg_sleep(${value}) is not null`, { volatile: true }) },
})

test('a list that runs into the time limit is 503, with a code, and its connection stays usable', async context => {
  const storage = await createDatabase()
  const database = openDatabase(storage.url, { postgres: { poolSize: 1, statementTimeout: 500, lockTimeout: 400 } })
  await migrate(database, [{ owner: 'library', steps: libraryMigrations }])
  await database.transaction(({ kysely }) => kysely.insertInto('authors').values({ name: 'Ann' }).execute())
  const resources = [authors]
  const { client, stop } = await startApi({
    database,
    resources,
    pagination: pageNumber({ pageSize: 2 }),
    exceptionHandler: fullDetailsHandler,
  })
  context.after(async () => {
    await stop()
    await database.close()
    await storage.remove()
  })
  const findProcess = async () => (await sql`select pg_backend_pid() as pid`.execute(database.kysely)).rows
  const before = await findProcess()
  const slow = await client.get('/authors/?sleep=60')
  assert.deepEqual(
    [slow.status, slow.headers['retry-after'], slow.json()],
    [
      503,
      '1',
      { message: 'The database did not finish in time. Ask for less, or try again later.', code: 'statement_timeout' },
    ],
  )
  assert.equal((await client.get('/authors/')).json().count, 1)
  assert.deepEqual(await findProcess(), before)
})
