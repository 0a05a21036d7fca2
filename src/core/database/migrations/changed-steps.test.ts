// Steps that were edited, renamed or removed after a database applied them, and steps that were saved before they were finished.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import type { Database } from '../database.ts'
import type { StepFunction } from './declared-step.ts'
import {
  compareMigrations,
  inspectMigrations,
  type MigrateOptions,
  type Migrations,
  migrate,
  type OwnedMigrations,
} from './migrate.ts'
import { createTable, openNew, readNames } from './testing.ts'

const toOwners = (steps: Migrations): readonly OwnedMigrations[] => [{ owner: 'books', steps }]

const apply = (database: Database, steps: Migrations, options?: MigrateOptions) =>
  migrate(database, toOwners(steps), options)

/** Applies the steps as `dev` does, and returns what it reports. */
async function develop(database: Database, steps: Migrations): Promise<readonly string[]> {
  const sentences: string[] = []
  await apply(database, steps, { mode: 'development', report: sentence => void sentences.push(sentence) })
  return sentences
}

const first = createTable('books')
const addColumn =
  (column: string): StepFunction =>
  ({ schema }, { text }) =>
    schema.alterTable('books').addColumn(column, text).execute()

async function readColumns({ catalogue }: Database, table = 'books'): Promise<readonly string[] | undefined> {
  return (await catalogue.tables([table])).get(table)?.columns.map(({ name }) => name)
}

const write = (database: Database, text: string) =>
  database.transaction(async ({ kysely }) => void (await sql.raw(text).execute(kysely)))

const readHistory = async ({ kysely }: Database) =>
  (await sql<Record<string, string | null>>`select * from resource_api_migrations order by name`.execute(kysely)).rows

/** Asserts that nothing can be applied, for this reason, and that nothing changes. */
async function assertRefused(database: Database, steps: Migrations, reason: RegExp | string, options?: MigrateOptions) {
  const before = [await readHistory(database), (await database.catalogue.names()).toSorted()]
  await assert.rejects(apply(database, steps, options), ({ name, message }: Error) => {
    assert.equal(name, 'UnusableDatabase', message)
    const found = message.replace(/ on \d{4}-\d\d-\d\d at \d\d:\d\d UTC/, ' ON A DAY')
    if (typeof reason === 'string') assert.equal(found, reason)
    else assert.match(found, reason)
    return true
  })
  assert.deepEqual([await readHistory(database), (await database.catalogue.names()).toSorted()], before)
}

const applied = (step: string) => `the database has applied the step "${step}" of "books" ON A DAY, which `
const changedAdvice = (step: string) =>
  `undo the change and write a new step; or, if the step still does the same, accept it with migrate --accept books/${step}`

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
      await apply(database, { '0001': first })
      await write(database, 'insert into books (id) values (1)')
      assert.equal((await apply(database, { '0001': first, '0002': step() })).length, 1)
      assert.deepEqual(await apply(database, { '0001': first, '0002': step() }), [])
    })

    test('a step that has changed is an error, and no further step is applied', async context => {
      const database = await open(context)
      await apply(database, { '0001': first, '0002': addColumn('stars') })
      const changed = { '0001': first, '0002': addColumn('rating') }
      const sentence = `${applied('0002')}has changed since then: ${changedAdvice('0002')}`
      await assertRefused(database, changed, sentence)
      await assertRefused(database, { ...changed, '0003': addColumn('pages') }, sentence)
      const { problems, missing } = await inspectMigrations(
        database,
        toOwners({ ...changed, '0003': addColumn('pages') }),
      )
      assert.deepEqual([problems.length, missing], [1, [{ owner: 'books', steps: ['0003'] }]])
      assert.deepEqual(await compareMigrations(database, toOwners(changed)), { missing: [], unknown: [] })
      assert.deepEqual(await apply(database, { '0001': first, '0002': addColumn('stars') }), [])
    })

    test('in production, steps are compared by content only if steps are missing, and otherwise do not run', async context => {
      const database = await open(context)
      const production = { mode: 'production' } as const
      await apply(database, { '0001': first }, production)
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
      await apply(database, { '0001': first, '0002': addColumn('stars') })
      const written: StepFunction = kysely =>
        sql
          .raw('alter table books add column stars text')
          .execute(kysely)
          .then(() => undefined)
      const steps = { '0001': first, '0002': written, '0003': addColumn('pages') }
      assert.deepEqual(await apply(database, steps, { accept: ['books/0002'] }), [{ owner: 'books', steps: ['0003'] }])
      assert.deepEqual(await apply(database, steps), [])
      for (const accept of ['books/0002', 'books/0009', '0001'])
        await assert.rejects(apply(database, steps, { accept: [accept] }), {
          message: `accept: "${accept}" is not a step that has changed since the database applied it`,
        })
    })

    test('a step that runs no statement is not recorded, and runs once it has one', async context => {
      const database = await open(context)
      const empty = { '0001': first, '0002': async () => undefined }
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
      assert.deepEqual(await apply(database, { '0001': first, '0002': addColumn('stars') }), [
        { owner: 'books', steps: ['0002'] },
      ])
      assert.deepEqual(await readColumns(database), ['id', 'stars'])
    })

    test('a step for another kind of database is not missing', async context => {
      const database = await open(context)
      const steps: Migrations = {
        '0001': first,
        async '0002'(kysely, _, dialect) {
          if (dialect.name === 'another') await addColumn('stars')(kysely, dialect.columns, dialect)
        },
      }
      await apply(database, steps)
      assert.deepEqual(await compareMigrations(database, toOwners(steps)), { missing: [], unknown: [] })
    })

    test('a step that was renamed is recognized by what it does', async context => {
      const database = await open(context)
      await apply(database, { '0001': first, '0002_x': addColumn('stars') })
      const renamed = { '0001': first, '0002_stars': addColumn('stars') }
      const sentence = `${applied('0002_x')}is now named "0002_stars": give it its old name back, or add the old name to its "formerNames"`
      await assertRefused(database, renamed, sentence)
      const { missing, problems } = await inspectMigrations(database, toOwners(renamed))
      assert.deepEqual([missing, problems.length], [[], 1])
      const formerNames = {
        '0001': first,
        '0002_stars': Object.assign(addColumn('stars'), { formerNames: ['0002_x'] }),
      }
      assert.deepEqual(await apply(database, formerNames), [])
      assert.deepEqual(await readNames(database), ['books/0001', 'books/0002_stars'])
    })

    test('a step that is gone is an error that says what can have happened', async context => {
      const database = await open(context)
      await apply(database, { '0001': first, '0002': addColumn('stars') })
      await assertRefused(
        database,
        { '0001': first },
        `${applied('0002')}this program does not have: put it back; or add its name to the "formerNames" of the step that replaces it; or, if a newer version of the program has applied it, run that version or restore an older backup`,
      )
      await assertRefused(
        database,
        { '0001': first, '0003': addColumn('rating') },
        /"0002" .* this program does not have/,
      )
      assert.deepEqual(await compareMigrations(database, toOwners({ '0001': first })), {
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
      assert.deepEqual(await compareMigrations(database, toOwners({ '0001': first })), { missing: [], unknown: [] })
      assert.deepEqual(await apply(database, { '0001': first }, { mode: 'production' }), [])
      assert.deepEqual(Object.keys((await readHistory(database))[0]!), ['name', 'applied'])
      assert.deepEqual(await apply(database, { '0001': first }), [])
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
        `${applied('0001')}has changed since then and cannot be taken back, because it did more than create tables, columns, indexes and views: ${changedAdvice('0001')}; or use a new database`,
        { mode: 'development' },
      )
    })

    test('an empty history of an earlier version, and digests of a later version, are no obstacle', async context => {
      const database = await open(context)
      await write(database, 'create table resource_api_migrations (name text primary key, applied text not null)')
      await apply(database, { '0001': first })
      await write(database, "update resource_api_migrations set digest = '2-unknown'")
      assert.deepEqual(await apply(database, { '0001': createTable('magazines') }), [])
      assert.match((await readHistory(database))[0]!.digest!, /^1-/)
    })

    suite('in development,', () => {
      /** Creates a table and, on the books, columns of many kinds. */
      const createMuch =
        (column: string): StepFunction =>
        async ({ schema }, { key, text, reference, boolean, json }) => {
          await schema
            .createTable('shelves')
            .addColumn('id', key)
            .addColumn('book_id', reference, id => id.references('books.id'))
            .execute()
          await schema.alterTable('shelves').addColumn(column, text).execute()
          await schema.createIndex('shelves_in_order').on('shelves').column(column).execute()
          const addToBooks = schema.alterTable('books')
          await addToBooks.addColumn(column, text).execute()
          await addToBooks.addColumn('data', json).execute()
          await addToBooks.addColumn('state', text, state => state.notNull().defaultTo("it's new")).execute()
          await addToBooks.addColumn('lent', boolean, lent => lent.notNull().defaultTo(sql`false`)).execute()
          await addToBooks.addColumn('previous_id', reference, id => id.references('books.id')).execute()
          await schema.createIndex('books_in_order').on('books').column(column).unique().execute()
        }

      test('the newest step is taken back and runs again, if no data is lost', async context => {
        const database = await open(context)
        await develop(database, { '0001': first })
        await write(database, 'insert into books (id) values (1), (2)')
        assert.deepEqual(await develop(database, { '0001': first, '0002': createMuch('title') }), [
          'Applied books: 0002.',
        ])
        const changed = { '0001': first, '0002': createMuch('name') }
        assert.deepEqual(await develop(database, changed), ['Took back books: 0002.', 'Applied books: 0002.'])
        assert.deepEqual(await readColumns(database), ['id', 'name', 'data', 'state', 'lent', 'previous_id'])
        assert.deepEqual(await readColumns(database, 'shelves'), ['id', 'book_id', 'name'])
        assert.deepEqual(await develop(database, changed), [])
        assert.equal((await sql`select id from books`.execute(database.kysely)).rows.length, 2)
      })

      test('a view is taken back, and a step that only read', async context => {
        const database = await open(context)
        const createView =
          (name: string): StepFunction =>
          async kysely => {
            const books = (kysely as Kysely<{ books: { id: number } }>).selectFrom('books').select('id')
            await books.execute()
            await kysely.schema.createView(name).as(books).execute()
          }
        await develop(database, { '0001': first, '0002': createView('titles') })
        const changed = { '0001': first, '0002': createView('names') }
        assert.deepEqual(await develop(database, changed), ['Took back books: 0002.', 'Applied books: 0002.'])
        assert.deepEqual((await database.catalogue.names()).toSorted().slice(0, 2), ['books', 'names'])
      })

      test('a step is not taken back if rows or values would be lost', async context => {
        const changed = { '0001': first, '0002': createMuch('name') }
        const cases = {
          "insert into shelves (title) values ('top')": 'the table "shelves", which it created, has 1 row',
          "update books set title = 'Dune' where id = 2":
            'the column "title" of "books", which it created, has values in 1 row',
          "update books set state = 'old'": 'the column "state" of "books", which it created, has values in 2 rows',
          'update books set lent = true': 'the column "lent" of "books", which it created, has values in 2 rows',
          "update books set data = '{}'": 'the column "data" of "books", which it created, has values in 2 rows',
        }
        for (const [text, obstacle] of Object.entries(cases)) {
          const database = await open(context)
          await develop(database, { '0001': first, '0002': createMuch('title') })
          await write(database, 'insert into books (id) values (1), (2)')
          await write(database, text)
          const reason = `${applied('0002')}has changed since then and cannot be taken back, because ${obstacle}: ${changedAdvice('0002')}; or use a new database`
          await assertRefused(database, changed, reason, { mode: 'development' })
          assert.ok((await readColumns(database))!.includes('title'))
        }
      })

      test('a step is not taken back if it changed more than that', async context => {
        const obstacle =
          /^the database has applied the step "0002" .* and cannot be taken back, because it did more than create tables, columns, indexes and views: undo the change/
        const steps: readonly StepFunction[] = [
          ({ schema }) => schema.alterTable('books').renameTo('volumes').execute(),
          ({ schema }) => schema.alterTable('books').renameColumn('id', 'number').execute(),
          ({ schema }) => schema.createTable('books').ifNotExists().addColumn('id', 'integer').execute(),
          ({ schema }) => schema.createIndex('by_id').ifNotExists().on('books').column('id').execute(),
          kysely => sql`create table shelves (id integer)`.execute(kysely).then(() => undefined),
          kysely =>
            (kysely as Kysely<{ books: { id: number } }>)
              .insertInto('books')
              .values({ id: 1 })
              .execute()
              .then(() => undefined),
        ]
        for (const step of steps) {
          const database = await open(context)
          await develop(database, { '0001': first, '0002': step })
          await assertRefused(database, { '0001': first, '0002': addColumn('x') }, obstacle, { mode: 'development' })
        }
      })

      test('a step is not taken back if a later step ran, or another table refers to its table', async context => {
        const database = await open(context)
        const steps = { '0001': first, '0002': addColumn('stars'), '0003': createTable('shelves') }
        await develop(database, steps)
        const changed = { ...steps, '0002': addColumn('rating') }
        await assertRefused(database, changed, /because the step "0003" ran after it: undo/, { mode: 'development' })
        const sections: OwnedMigrations = {
          owner: 'sections',
          steps: {
            '0001': ({ schema }, { reference }) =>
              schema
                .createTable('sections')
                .addColumn('shelf_id', reference, id => id.references('shelves.id'))
                .execute(),
          },
        }
        await migrate(database, [...toOwners(steps), sections])
        const before = (await database.catalogue.names()).toSorted()
        await assert.rejects(
          migrate(database, [...toOwners({ ...steps, '0003': createTable('racks') }), sections], {
            mode: 'development',
          }),
          /^UnusableDatabase: the database has applied the step "0003" .* cannot be taken back, because .*(?:sections|shelves)/,
        )
        assert.deepEqual((await database.catalogue.names()).toSorted(), before)
      })

      test('several steps are taken back, newest first, and one that is gone', async context => {
        const database = await open(context)
        const steps = { '0001': first, '0002': addColumn('stars'), '0003': createTable('shelves') }
        await develop(database, steps)
        const changed = { '0001': first, '0002': addColumn('rating') }
        assert.deepEqual(await develop(database, changed), [
          'Took back books: 0003.',
          'Took back books: 0002.',
          'Applied books: 0002.',
        ])
        assert.deepEqual(await readColumns(database), ['id', 'rating'])
        assert.equal(await readColumns(database, 'shelves'), undefined)
        assert.deepEqual(await readNames(database), ['books/0001', 'books/0002'])
      })

      test('a step gets its new name', async context => {
        const database = await open(context)
        await develop(database, { '0001': first, '0002_x': addColumn('stars') })
        await write(database, "insert into books (id, stars) values (1, 'five')")
        const renamed = { '0001': first, '0002_stars': addColumn('stars') }
        assert.deepEqual(await develop(database, renamed), ['Renamed books: 0002_x to 0002_stars.'])
        assert.deepEqual(await readNames(database), ['books/0001', 'books/0002_stars'])
        assert.deepEqual(await apply(database, renamed), [])
      })

      test('if the changed step fails, the old one stays applied', async context => {
        const database = await open(context)
        await develop(database, { '0001': first, '0002': addColumn('stars') })
        const failing: StepFunction = async (kysely, columns, dialect) => {
          await addColumn('rating')(kysely, columns, dialect)
          throw new Error('not finished')
        }
        await assert.rejects(develop(database, { '0001': first, '0002': failing }), /"0002" .* failed: not finished/)
        assert.deepEqual(await readColumns(database), ['id', 'stars'])
        assert.deepEqual(await develop(database, { '0001': first, '0002': addColumn('stars') }), [])
        assert.equal((await develop(database, { '0001': first, '0002': addColumn('rating') })).length, 2)
        assert.deepEqual(await readColumns(database), ['id', 'rating'])
      })
    })
  })
}
