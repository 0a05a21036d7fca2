// What the commands do to the tables: `migrate` prepares all of them, and commands about rows prepare only a new database.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { key, type Migrations, resource, text } from 'resource-api'
import { profile } from 'resource-api/service'
import { table, tables } from 'resource-api/tables'
import { openServices, readSettings } from '#service'
import { linkUser } from '../../src/service/commands/linkuser.ts'
import { migrateDatabase } from '../../src/service/commands/migrate.ts'
import { prepareNew } from '../../src/service/commands/prepare-new.ts'
import { loadData } from '../../src/service/data/load-data.ts'
import { createDatabase, createFile } from '../support/service.ts'

const secretKey = 'k'.repeat(32)
const books = table('books', {
  columns: { id: key(), title: text({ max: 20 }), colour: text({ max: 20, default: 'white' }) },
})
const shown = resource('books', { table: books, fields: books.pick('id', 'title'), feed: true })
const declared = profile('shop', {
  tables: tables({ owner: 'shop', tables: [books] }),
  resources: [shown],
  fixtures: { books: shown },
})

const step = (name: string) => sql`create table ${sql.table(name)} (id integer primary key)`
const createStepped = (...names: readonly string[]) =>
  profile('shop', {
    migrations: Object.fromEntries(
      names.map((name, index) => [`000${index + 1}_${name}`, async kysely => void (await step(name).execute(kysely))]),
    ) satisfies Migrations,
  })

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase }))
  suite(name, () => {
    async function open(shop: ReturnType<typeof profile>, databaseUrl: string) {
      const file = { profiles: [shop], databaseUrl, secretKey, logLevel: 'silent' } as const
      return openServices({ ...readSettings({ file }), secretKey })
    }

    test('commands about rows make the tables of a new database, and refuse one that lacks later steps', async t => {
      const storage = await createStorage()
      t.after(storage.remove)
      const first = await open(createStepped('one'), storage.url)
      await prepareNew(first)
      assert.deepEqual(await first.compareMigrations(), { missing: [], unknown: [] })
      await first.close()
      const second = await open(createStepped('one', 'two'), storage.url)
      const message = 'DATABASE_URL: the database lacks shop/0002_two: run "resource-api migrate"'
      await assert.rejects(prepareNew(second), { message })
      await assert.rejects(linkUser(second, 'ann', undefined, {}), { message })
      assert.equal((await second.compareMigrations()).missing.length, 1)
      await migrateDatabase(second, {})
      await assert.rejects(linkUser(second, 'ann', undefined, {}), { message: 'there is no user "ann"' })
      await second.close()
    })

    test('migrate creates what feeds need, and data files have the defaults of columns that no field shows', async t => {
      const storage = await createStorage()
      t.after(storage.remove)
      const services = await open(declared, storage.url)
      await migrateDatabase(services, {})
      assert.deepEqual(await loadData(services, { books: [{ title: 'Emma' }] }), { groups: 0, users: 0, books: 1 })
      const select = (from: string) =>
        services.database.transaction(({ kysely }) => kysely.selectFrom(from).selectAll().execute())
      const [book] = await select('books')
      assert.equal(book!.colour, 'white')
      const changes = await select('feed_changes')
      assert.deepEqual(
        changes.map(change => [change.table_name, change.action]),
        [
          ['', 'expired'],
          ['books', 'create'],
        ],
      )
      await services.close()
    })
  })
