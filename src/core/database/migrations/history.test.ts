// Databases of earlier versions, and those that other programs migrate with Kysely's Migrator.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import { throttleMigrations } from '../../policy/throttling/database-store.ts'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'
import { compareMigrations, type Migrations, migrate } from './migrate.ts'
import type { LoadedMigrations } from './migrations.ts'
import { applied, createTable, migrateWithKysely, openNew, readNames, things } from './testing.ts'

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`carrying over from earlier versions, ${name}`, () => {
    const open = (context: TestContext) => openNew(context, createStorage)
    const hasTable = async (database: Database, table: string) => (await database.catalogue.names()).includes(table)

    test('steps get their owner and their current name, and the empty table is removed', async context => {
      const database = await open(context)
      await migrateWithKysely(database, { ...things.steps, '0004_rates': throttleMigrations.steps['0001_rates']! })
      const owners = [things, throttleMigrations]
      assert.deepEqual(await compareMigrations(database, owners), { missing: [], unknown: [] })
      assert.deepEqual(await migrate(database, owners), [])
      assert.deepEqual(await readNames(database), ['things/0001_first', 'throttles/0001_rates'])
      for (const table of ['kysely_migration', 'kysely_migration_lock'])
        assert.equal(await hasTable(database, table), false, table)
      assert.deepEqual(await migrate(database, owners), [])
      // An earlier version fails, and changes nothing.
      await assert.rejects(migrateWithKysely(database, things.steps))
      assert.equal(await hasTable(database, 'kysely_migration'), false)
    })

    test('steps are carried over once if several processes start, in the transaction of the missing steps', async context => {
      const storage = await createStorage()
      const databases = [1, 2, 3].map(() => openDatabase(storage.url))
      context.after(async () => {
        await Promise.all(databases.map(database => database.close()))
        await storage.remove()
      })
      const [database] = databases as [Database]
      await migrateWithKysely(database, things.steps)
      const fail = () => Promise.reject(new Error('no'))
      await assert.rejects(migrate(database, [things, { owner: 'other', steps: { '0001': fail } }]), {
        message: 'the step "0001" of the migrations of "other" failed: no',
      })
      assert.deepEqual(await readNames(database, 'kysely_migration'), ['0001_first'])
      assert.equal(await hasTable(database, 'resource_api_migrations'), false)
      const more = { owner: 'things', steps: { ...things.steps, '0002_more': createTable('more') } }
      const results = await Promise.all(databases.map(each => migrate(each, [more])))
      assert.deepEqual(results.flat(), [{ owner: 'things', steps: ['0002_more'] }])
    })

    test('an owner that is configured later takes its steps then', async context => {
      const database = await open(context)
      const other: LoadedMigrations = { owner: 'other', steps: { '0002_other': createTable('others') } }
      await migrateWithKysely(database, { ...things.steps, ...other.steps })
      await migrate(database, [things])
      assert.deepEqual(await readNames(database, 'kysely_migration'), ['0002_other'])
      assert.deepEqual(await migrate(database, [things, other]), [])
      assert.deepEqual(await readNames(database), ['other/0002_other', 'things/0001_first'])
    })

    test("the steps of another program that uses Kysely's Migrator stay, and both programs continue", async context => {
      const database = await open(context)
      const own: Migrations = { '0001_own': createTable('own') }
      await migrateWithKysely(database, own)
      assert.deepEqual(await migrate(database, [things]), applied)
      await migrateWithKysely(database, { ...own, '0002_own': createTable('more') })
      assert.deepEqual(await compareMigrations(database, [things]), { missing: [], unknown: [] })
      assert.deepEqual(await migrate(database, [things]), [])
      assert.deepEqual(await readNames(database, 'kysely_migration'), ['0001_own', '0002_own'])
    })

    test('a step of another program is not taken by an owner that has a history', async context => {
      const database = await open(context)
      await migrate(database, [things])
      await migrateWithKysely(database, { '0002_second': createTable('other_things') })
      const more = { owner: 'things', steps: { ...things.steps, '0002_second': createTable('more_things') } }
      assert.deepEqual(await migrate(database, [more]), [{ owner: 'things', steps: ['0002_second'] }])
      assert.deepEqual(await readNames(database, 'kysely_migration'), ['0002_second'])
    })

    test('a step of an application is not mistaken for a renamed step of a library', async context => {
      const database = await open(context)
      const own: LoadedMigrations = { owner: 'own', steps: { '0004_rates': createTable('own_rates') } }
      await migrateWithKysely(database, own.steps)
      assert.deepEqual(await migrate(database, [throttleMigrations, own]), [
        { owner: 'throttles', steps: ['0001_rates'] },
      ])
    })

    test('a step that can be of several owners is an error', async context => {
      const database = await open(context)
      await migrateWithKysely(database, things.steps)
      const other: LoadedMigrations = { owner: 'other', steps: { '0001_first': createTable('others') } }
      await assert.rejects(
        migrate(database, [things, other]),
        /the step "0001_first", which can be things\/0001_first or other\/0001_first: migrate it once with only/,
      )
      assert.deepEqual(await migrate(database, [things]), [])
      assert.deepEqual(await migrate(database, [things, other]), [{ owner: 'other', steps: ['0001_first'] }])
    })
  })
}
