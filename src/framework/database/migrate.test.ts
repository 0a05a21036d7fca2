import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { createDatabase, createFile } from '../../../test/support/service.ts'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import { compareMigrations, type Migrations, migrate } from './migrate.ts'
import { openDatabase } from './open.ts'
import { openSqlite } from './sqlite.ts'

const first: Migrations = {
  async '0001_first'(kysely, { key }) {
    await kysely.schema.createTable('things').addColumn('id', key).execute()
  },
}

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(name, () => {
    test('processes that migrate a new database at the same time apply each step once', async context => {
      const storage = await createStorage()
      const databases = [1, 2, 3].map(() => openDatabase(storage.url))
      context.after(async () => {
        await Promise.all(databases.map(database => database.close()))
        await storage.remove()
      })
      const applied = await Promise.all(databases.map(database => migrate(database, first)))
      assert.deepEqual(applied.flat(), ['0001_first'])
    })

    test('a step that fails rolls back itself and the steps before it', async context => {
      const storage = await createStorage()
      const database = openDatabase(storage.url)
      context.after(async () => {
        await database.close()
        await storage.remove()
      })
      const second: Migrations = {
        ...first,
        async '0002_second'(kysely) {
          await kysely.schema.createTable('things').addColumn('id', 'integer').execute()
        },
      }
      await assert.rejects(migrate(database, second), /things/)
      assert.deepEqual(await migrate(database, first), ['0001_first'])
      assert.deepEqual(await migrate(database, first), [])
    })

    test('compareMigrations lists missing steps and steps of a newer version separately', async context => {
      const storage = await createStorage()
      const database = openDatabase(storage.url)
      context.after(async () => {
        await database.close()
        await storage.remove()
      })
      const both: Migrations = { ...first, '0002_second': async () => undefined }
      assert.deepEqual(await compareMigrations(database, both), { missing: ['0001_first', '0002_second'], unknown: [] })
      await migrate(database, first)
      assert.deepEqual(await compareMigrations(database, both), { missing: ['0002_second'], unknown: [] })
      await migrate(database, both)
      assert.deepEqual(await compareMigrations(database, both), { missing: [], unknown: [] })
      assert.deepEqual(await compareMigrations(database, first), { missing: [], unknown: ['0002_second'] })
    })
  })
}

test('on SQLite, migrating an up-to-date database fails if the database is locked', async context => {
  const storage = await createFile()
  const path = storage.url.slice('sqlite:'.length)
  const database = openSqlite({ path, busyTimeout: 20 })
  const other = new DatabaseSync(path)
  context.after(async () => {
    other.close()
    await database.close()
    await storage.remove()
  })
  await migrate(database, first)
  other.exec('begin immediate')
  await assert.rejects(migrate(database, first), ServiceUnavailable)
  other.exec('rollback')
  assert.deepEqual(await migrate(database, first), [])
})
