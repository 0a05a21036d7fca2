import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import type { Database } from '../database.ts'
import { openDatabase } from '../open.ts'
import { openSqlite } from '../sqlite/sqlite.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import { compareMigrations, type MigrationStep, migrate, type OwnedMigrations } from './migrate.ts'
import { applied, createTable, openNew, readNames, selectOne, things } from './testing.ts'

const run = (database: Database, text: string) =>
  database.transaction(async ({ kysely }) => void (await sql.raw(text).execute(kysely)))

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(name, () => {
    const open = (context: TestContext) => openNew(context, createStorage)
    test('processes that migrate a new database at the same time apply each step once', async context => {
      const storage = await createStorage()
      const databases = [1, 2, 3].map(() => openDatabase(storage.url))
      context.after(async () => {
        await Promise.all(databases.map(database => database.close()))
        await storage.remove()
      })
      const results = await Promise.all(databases.map(database => migrate(database, [things])))
      assert.deepEqual(results.flat(), applied)
    })

    test('a step that fails rolls back itself; the steps before it stay, and the next run goes on', async context => {
      const database = await open(context)
      let isBroken = true
      const failing: OwnedMigrations = {
        owner: 'another',
        steps: {
          '0001_good': createTable('good'),
          async '0002_bad'(kysely, { key }) {
            await kysely.schema.createTable('bad').addColumn('id', key).execute()
            if (isBroken) throw new Error('no')
          },
        },
      }
      const sentences: string[] = []
      const report = (sentence: string) => void sentences.push(sentence)
      await assert.rejects(migrate(database, [things, failing], { report }), {
        name: 'FailedMigration',
        message: 'the step "0002_bad" of the migrations of "another" failed: no',
      })
      assert.deepEqual(sentences, ['Applied things: 0001_first.', 'Applied another: 0001_good.'])
      assert.deepEqual((await database.catalogue.names()).toSorted(), ['good', 'resource_api_migrations', 'things'])
      assert.deepEqual(await readNames(database), ['another/0001_good', 'things/0001_first'])
      isBroken = false
      assert.deepEqual(await migrate(database, [things, failing]), [{ owner: 'another', steps: ['0002_bad'] }])
      assert.deepEqual(await migrate(database, [things, failing]), [])
    })

    test('a step cannot end its transaction', async context => {
      const database = await open(context)
      const inner: MigrationStep = kysely =>
        kysely.transaction().execute(inside => selectOne(inside, {} as never, {} as never))
      const owners = [things, { owner: 'inner', steps: { '0001': inner } }]
      await assert.rejects(
        migrate(database, owners),
        /the step "0001" of the migrations of "inner" failed: .* transaction/,
      )
      assert.deepEqual(await readNames(database), ['things/0001_first'])
    })

    test('owners are migrated in the given order, and may use the same names of steps', async context => {
      const database = await open(context)
      const createOwner = (owner: string, ...steps: readonly string[]): OwnedMigrations => ({
        owner,
        steps: Object.fromEntries(steps.map(step => [step, note(owner, step)])),
      })
      await run(database, 'create table ran (place integer primary key, name text)')
      const note =
        (owner: string, step: string): MigrationStep =>
        kysely =>
          sql
            .raw(`insert into ran select count(*), '${owner}/${step}' from ran`)
            .execute(kysely)
            .then(() => undefined)
      const [zoo, ant] = [createOwner('zoo', '0002', '0001'), createOwner('ant', '0001')]
      assert.deepEqual(await migrate(database, [zoo, ant]), [
        { owner: 'zoo', steps: ['0001', '0002'] },
        { owner: 'ant', steps: ['0001'] },
      ])
      const { rows } = await sql<{ name: string }>`select name from ran order by place`.execute(database.kysely)
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['zoo/0001', 'zoo/0002', 'ant/0001'],
      )
      const later = createOwner('zoo', '0000', '0001', '0002', '0003')
      assert.deepEqual(await migrate(database, [later, ant]), [{ owner: 'zoo', steps: ['0000', '0003'] }])
    })

    test('an owner that is not configured keeps its history', async context => {
      const database = await open(context)
      const other: OwnedMigrations = { owner: 'thing', steps: { '0001_other': createTable('others') } }
      await migrate(database, [things, other])
      for (const owners of [[things], [other], []]) {
        assert.deepEqual(await compareMigrations(database, owners), { missing: [], unknown: [] })
        assert.deepEqual(await migrate(database, owners), [])
      }
      assert.deepEqual(await readNames(database), ['thing/0001_other', 'things/0001_first'])
    })

    test('a wrong list of owners is an error before anything runs', async context => {
      const database = await open(context)
      for (const owner of ['', 'Things', '1st', 'a/b', 'a_b', 'ä']) {
        const wrong = [things, { owner, steps: {} }]
        await assert.rejects(migrate(database, wrong), /the owner ".*": write lower-case letters, digits and hyphens/)
        await assert.rejects(compareMigrations(database, wrong), /write lower-case letters/)
      }
      await assert.rejects(migrate(database, [things, { owner: 'things', steps: {} }]), /two sets .* owner "things"/)
      assert.deepEqual(await database.catalogue.names(), [])
    })

    test('compareMigrations lists missing and unknown steps by owner', async context => {
      const database = await open(context)
      const more = { ...things, steps: { ...things.steps, '0002_second': selectOne } }
      const other: OwnedMigrations = { owner: 'other', steps: { '0001_first': selectOne } }
      const second = [{ owner: 'things', steps: ['0002_second'] }]
      assert.deepEqual(await compareMigrations(database, [more, other]), {
        missing: [
          { owner: 'things', steps: ['0001_first', '0002_second'] },
          { owner: 'other', steps: ['0001_first'] },
        ],
        unknown: [],
      })
      await migrate(database, [things, other])
      assert.deepEqual(await compareMigrations(database, [more, other]), { missing: second, unknown: [] })
      await migrate(database, [more])
      assert.deepEqual(await compareMigrations(database, [more, other]), { missing: [], unknown: [] })
      assert.deepEqual(await compareMigrations(database, [things]), { missing: [], unknown: second })
      await assert.rejects(
        migrate(database, [things]),
        (error: Error) =>
          error instanceof UnusableDatabase &&
          /^the database has applied the step "0002_second" of "things" on .* UTC, which this program does not have: put it back; /.test(
            error.message,
          ),
      )
    })

    test('a renamed step is not applied again', async context => {
      const database = await open(context)
      await migrate(database, [things])
      const formerNames = ['0000_older', '0001_first']
      const renamed = { owner: 'things', steps: { '0001_new': Object.assign(createTable('things'), { formerNames }) } }
      assert.deepEqual(await compareMigrations(database, [renamed]), { missing: [], unknown: [] })
      assert.deepEqual(await migrate(database, [renamed]), [])
      assert.deepEqual(await readNames(database), ['things/0001_new'])
    })

    suite('a step that creates a table that exists', () => {
      const books: OwnedMigrations = { owner: 'books', steps: { '0001_books': createTable('things') } }
      const problem = 'the database already has a table "things", which the step "0001_books" of "books" creates: '
      const rejects = (database: Database, owners: readonly OwnedMigrations[], advice: string) =>
        assert.rejects(
          migrate(database, owners),
          (error: Error) => error instanceof UnusableDatabase && error.message === problem + advice,
        )

      test('names the owners that ran before it', async context => {
        const database = await open(context)
        const advice = 'a step of "things" or "books" has created it: choose another name for the table of "books"'
        await rejects(database, [things, books], advice)
        assert.deepEqual(await database.catalogue.names(), [])
      })

      test('names the owners that the database had before', async context => {
        const database = await open(context)
        await migrate(database, [things])
        await rejects(
          database,
          [things, books],
          'if it belongs to "things", choose another name for the table of "books"; if it belongs to another program, use a different database',
        )
        assert.deepEqual(await readNames(database), ['things/0001_first'])
      })

      test('says that the database is of another program if no owner has a history', async context => {
        const database = await open(context)
        await run(database, 'create table things (id integer)')
        await rejects(database, [books], 'it is the database of another program; use a different database')
        assert.deepEqual(await database.catalogue.names(), ['things'])
      })
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
  await migrate(database, [things])
  other.exec('begin immediate')
  await assert.rejects(migrate(database, [things]), ServiceUnavailable)
  // A step waits longer than a write.
  const sentences: string[] = []
  const further: OwnedMigrations = { owner: 'further', steps: { '0001': createTable('further') } }
  const report = (sentence: string) => {
    if (sentences.push(sentence) === 1) other.exec('rollback')
  }
  await migrate(database, [things, further], { report })
  assert.equal(sentences[0], 'Waiting for another program that writes to the database.')
  assert.deepEqual(await migrate(database, [things]), [])
})
