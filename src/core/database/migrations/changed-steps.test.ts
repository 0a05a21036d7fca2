// Steps that were edited, renamed or removed after a database applied them, and steps that were saved before they were finished.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import type { StepFunction } from './declared-step.ts'
import { compareMigrations, inspectMigrations, type Migrations } from './migrate.ts'
import {
  addColumn,
  apply,
  assertRefused,
  changedAdvice,
  createBooks,
  createTable,
  describeApplied,
  develop,
  openNew,
  readColumns,
  readHistory,
  readNames,
  toOwners,
  write,
} from './testing.ts'

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`changed steps, ${name}`, () => {
    const open = (context: TestContext) => openNew(context, createStorage)

    test('a step that was written in another way, and still runs the same statements, has not changed', async context => {
      const database = await open(context)
      await apply(database, {
        async '0001'(kysely, { key, text }) {
          await kysely.schema.createTable('books').addColumn('id', key).addColumn('title', text).execute()
          await kysely.schema.createIndex('by_title').on('books').column('title').execute()
        },
      })
      const addTitle = (kysely: Kysely<unknown>, text: Parameters<StepFunction>[1]['text']) =>
        kysely.schema
          .createIndex('by_title')
          .on('books')
          .columns(['title'])
          .execute()
          .then(() => void text)
      const rewritten: StepFunction = async ({ schema: tables }, types) => {
        // A comment, other names and another order of words.
        let builder = tables.createTable('books')
        builder = builder.addColumn('id', types.key)
        builder = builder.addColumn('title', types.text)
        await builder.execute()
        return addTitle({ schema: tables } as Kysely<unknown>, types.text)
      }
      assert.deepEqual(await apply(database, { '0001': rewritten }), [])
      assert.deepEqual(await inspectMigrations(database, toOwners({ '0001': rewritten })), {
        missing: [],
        empty: [],
        problems: [],
      })
    })

    test('values that are bound, and the time of the run, do not count', async context => {
      const database = await open(context)
      const step =
        (value: string): StepFunction =>
        async (kysely, { text }) => {
          await kysely.schema
            .createTable('books')
            .addColumn('id', 'integer')
            .addColumn('created', text, column => column.defaultTo(value))
            .execute()
          await sql`insert into books (id, created) values (1, ${value})`.execute(kysely)
        }
      await apply(database, { '0001': step('2026-01-01T00:00:00.000Z') })
      assert.deepEqual(await apply(database, { '0001': step('2026-11-27T12:34:56.789Z') }), [])
    })

    test('a step that needs rows is the same whatever rows there are', async context => {
      const database = await open(context)
      const step = (): StepFunction => async kysely => {
        const books = (kysely as Kysely<{ books: { id: number } }>).selectFrom('books').select('id')
        for (const { id } of await books.execute()) await sql`update books set id = ${id + 10}`.execute(kysely)
        const { id } = await books.executeTakeFirstOrThrow()
        await sql.raw(`insert into books (id) values (${id + 1})`).execute(kysely)
      }
      await apply(database, { '0001': createBooks })
      await write(database, 'insert into books (id) values (1)')
      assert.equal((await apply(database, { '0001': createBooks, '0002': step() })).length, 1)
      assert.deepEqual(await apply(database, { '0001': createBooks, '0002': step() }), [])
    })

    test('a step that has changed is an error, and no further step is applied', async context => {
      const database = await open(context)
      await apply(database, { '0001': createBooks, '0002': addColumn('stars') })
      const changed = { '0001': createBooks, '0002': addColumn('rating') }
      const sentence = `${describeApplied('0002')}has changed since then: ${changedAdvice('0002')}`
      await assertRefused(database, changed, sentence)
      await assertRefused(database, { ...changed, '0003': addColumn('pages') }, sentence)
      const { problems, missing } = await inspectMigrations(
        database,
        toOwners({ ...changed, '0003': addColumn('pages') }),
      )
      assert.deepEqual([problems.length, missing], [1, [{ owner: 'books', steps: ['0003'] }]])
      assert.deepEqual(await compareMigrations(database, toOwners(changed)), { missing: [], unknown: [] })
      assert.deepEqual(await apply(database, { '0001': createBooks, '0002': addColumn('stars') }), [])
    })

    test('in production, steps are compared by content only if steps are missing, and otherwise do not run', async context => {
      const database = await open(context)
      const production = { mode: 'production' } as const
      await apply(database, { '0001': createBooks }, production)
      let runs = 0
      const changed: StepFunction = async kysely => {
        runs += 1
        await createTable('magazines')(kysely, {} as never, {} as never)
      }
      assert.deepEqual(await apply(database, { '0001': changed }, production), [])
      assert.deepEqual(await compareMigrations(database, toOwners({ '0001': changed })), { missing: [], unknown: [] })
      assert.equal(runs, 0)
      const more = { '0001': changed, '0002': addColumn('stars') }
      await assertRefused(database, more, /^the database has applied the step "0001" .* has changed since/, production)
      await assertRefused(database, {}, /which this program does not have/, production)
    })

    test('a change that does the same can be accepted', async context => {
      const database = await open(context)
      await apply(database, { '0001': createBooks, '0002': addColumn('stars') })
      const written: StepFunction = kysely =>
        sql
          .raw('alter table books add column stars text')
          .execute(kysely)
          .then(() => undefined)
      const steps = { '0001': createBooks, '0002': written, '0003': addColumn('pages') }
      assert.deepEqual(await apply(database, steps, { accept: ['books/0002'] }), [{ owner: 'books', steps: ['0003'] }])
      assert.deepEqual(await apply(database, steps), [])
      for (const accept of ['books/0002', 'books/0009', '0001'])
        await assert.rejects(apply(database, steps, { accept: [accept] }), {
          message: `accept: "${accept}" is not a step that has changed since the database applied it`,
        })
    })

    test('a step that runs no statement is not recorded, and runs once it has one', async context => {
      const database = await open(context)
      const empty = { '0001': createBooks, '0002': async () => undefined }
      assert.deepEqual(await develop(database, empty), [
        'Applied books: 0001.',
        'The step "0002" of "books" runs no statement, so it is not recorded.',
      ])
      assert.deepEqual(await readNames(database), ['books/0001'])
      assert.deepEqual(await apply(database, empty), [])
      assert.deepEqual(await compareMigrations(database, toOwners(empty)), { missing: [], unknown: [] })
      assert.deepEqual(await inspectMigrations(database, toOwners(empty)), {
        missing: [],
        empty: [{ owner: 'books', steps: ['0002'] }],
        problems: [],
      })
      assert.deepEqual(await apply(database, { '0001': createBooks, '0002': addColumn('stars') }), [
        { owner: 'books', steps: ['0002'] },
      ])
      assert.deepEqual(await readColumns(database), ['id', 'stars'])
    })

    test('a step for another kind of database is not missing', async context => {
      const database = await open(context)
      const steps: Migrations = {
        '0001': createBooks,
        async '0002'(kysely, _, dialect) {
          if (dialect.name === 'another') await addColumn('stars')(kysely, dialect.columns, dialect)
        },
      }
      await apply(database, steps)
      assert.deepEqual(await compareMigrations(database, toOwners(steps)), { missing: [], unknown: [] })
    })

    test('a step that was renamed is recognized by what it does', async context => {
      const database = await open(context)
      await apply(database, { '0001': createBooks, '0002_x': addColumn('stars') })
      const renamed = { '0001': createBooks, '0002_stars': addColumn('stars') }
      const sentence = `${describeApplied('0002_x')}is now named "0002_stars": give it its old name back, or add the old name to its "formerNames"`
      await assertRefused(database, renamed, sentence)
      const { missing, problems } = await inspectMigrations(database, toOwners(renamed))
      assert.deepEqual([missing, problems.length], [[], 1])
      const formerNames = {
        '0001': createBooks,
        '0002_stars': Object.assign(addColumn('stars'), { formerNames: ['0002_x'] }),
      }
      assert.deepEqual(await apply(database, formerNames), [])
      assert.deepEqual(await readNames(database), ['books/0001', 'books/0002_stars'])
    })

    test('a step that is gone is an error that says what can have happened', async context => {
      const database = await open(context)
      await apply(database, { '0001': createBooks, '0002': addColumn('stars') })
      await assertRefused(
        database,
        { '0001': createBooks },
        `${describeApplied('0002')}this program does not have: put it back; or add its name to the "formerNames" of the step that replaces it; or, if a newer version of the program has applied it, run that version or restore an older backup`,
      )
      await assertRefused(
        database,
        { '0001': createBooks, '0003': addColumn('rating') },
        /"0002" .* this program does not have/,
      )
      assert.deepEqual(await compareMigrations(database, toOwners({ '0001': createBooks })), {
        missing: [],
        unknown: [{ owner: 'books', steps: ['0002'] }],
      })
    })

    test('a database of an earlier version keeps its rows, and its steps get the digests of the present ones', async context => {
      const database = await open(context)
      for (const text of [
        'create table resource_api_migrations (name text primary key, applied text not null)',
        "insert into resource_api_migrations values ('books/0001', '2026-11-20T08:00:00.000Z'), ('others/0001', 'then')",
        'create table books (id integer primary key)',
        'insert into books values (7)',
      ])
        await write(database, text)
      assert.deepEqual(await compareMigrations(database, toOwners({ '0001': createBooks })), {
        missing: [],
        unknown: [],
      })
      assert.deepEqual(await apply(database, { '0001': createBooks }, { mode: 'production' }), [])
      assert.deepEqual(Object.keys((await readHistory(database))[0]!), ['name', 'applied'])
      assert.deepEqual(await apply(database, { '0001': createBooks }), [])
      const [own, other] = await readHistory(database)
      assert.match(own!.digest!, /^1-/)
      assert.equal(own!.applied, '2026-11-20T08:00:00.000Z')
      assert.deepEqual(
        { ...other },
        {
          ...{ name: 'others/0001', applied: 'then', digest: null, creations: null },
          unfinished: null,
        },
      )
      assert.equal((await sql`select id from books`.execute(database.kysely)).rows.length, 1)
      const sentence =
        'the database has applied the step "0001" of "books" on 2026-11-20 at 08:00 UTC, which has changed since then: '
      await assert.rejects(apply(database, { '0001': createTable('magazines') }), ({ message }: Error) =>
        message.startsWith(sentence),
      )
      await assertRefused(
        database,
        { '0001': createTable('magazines') },
        `${describeApplied('0001')}has changed since then and cannot be taken back, because it did more than create tables, columns, indexes and views: ${changedAdvice('0001')}; or use a new database`,
        { mode: 'development' },
      )
    })

    test('an empty history of an earlier version, and digests of a later version, are no obstacle', async context => {
      const database = await open(context)
      await write(database, 'create table resource_api_migrations (name text primary key, applied text not null)')
      await apply(database, { '0001': createBooks })
      await write(database, "update resource_api_migrations set digest = '2-unknown'")
      assert.deepEqual(await apply(database, { '0001': createTable('magazines') }), [])
      assert.match((await readHistory(database))[0]!.digest!, /^1-/)
    })
  })
}
