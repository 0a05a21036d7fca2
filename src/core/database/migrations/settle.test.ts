// In development, the newest steps are edited, renamed and removed.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import type { StepFunction } from './declared-step.ts'
import { migrate, type OwnedMigrations } from './migrate.ts'
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
  readNames,
  toOwners,
  write,
} from './testing.ts'

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(`changed steps in development, ${name}`, () => {
    const open = (context: TestContext) => openNew(context, createStorage)

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
      await develop(database, { '0001': createBooks })
      await write(database, 'insert into books (id) values (1), (2)')
      assert.deepEqual(await develop(database, { '0001': createBooks, '0002': createMuch('title') }), [
        'Applied books: 0002.',
      ])
      const changed = { '0001': createBooks, '0002': createMuch('name') }
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
      await develop(database, { '0001': createBooks, '0002': createView('titles') })
      const changed = { '0001': createBooks, '0002': createView('names') }
      assert.deepEqual(await develop(database, changed), ['Took back books: 0002.', 'Applied books: 0002.'])
      assert.deepEqual((await database.catalogue.names()).toSorted().slice(0, 2), ['books', 'names'])
    })

    test('a step is not taken back if rows or values would be lost', async context => {
      const changed = { '0001': createBooks, '0002': createMuch('name') }
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
        await develop(database, { '0001': createBooks, '0002': createMuch('title') })
        await write(database, 'insert into books (id) values (1), (2)')
        await write(database, text)
        const reason = `${describeApplied('0002')}has changed since then and cannot be taken back, because ${obstacle}: ${changedAdvice('0002')}; or use a new database`
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
        await develop(database, { '0001': createBooks, '0002': step })
        await assertRefused(database, { '0001': createBooks, '0002': addColumn('x') }, obstacle, {
          mode: 'development',
        })
      }
    })

    test('a step is not taken back if a later step ran, or another table refers to its table', async context => {
      const database = await open(context)
      const steps = { '0001': createBooks, '0002': addColumn('stars'), '0003': createTable('shelves') }
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
      const steps = { '0001': createBooks, '0002': addColumn('stars'), '0003': createTable('shelves') }
      await develop(database, steps)
      const changed = { '0001': createBooks, '0002': addColumn('rating') }
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
      await develop(database, { '0001': createBooks, '0002_x': addColumn('stars') })
      await write(database, "insert into books (id, stars) values (1, 'five')")
      const renamed = { '0001': createBooks, '0002_stars': addColumn('stars') }
      assert.deepEqual(await develop(database, renamed), ['Renamed books: 0002_x to 0002_stars.'])
      assert.deepEqual(await readNames(database), ['books/0001', 'books/0002_stars'])
      assert.deepEqual(await apply(database, renamed), [])
    })

    test('if the changed step fails, the old one stays applied', async context => {
      const database = await open(context)
      await develop(database, { '0001': createBooks, '0002': addColumn('stars') })
      const failing: StepFunction = async (kysely, columns, dialect) => {
        await addColumn('rating')(kysely, columns, dialect)
        throw new Error('not finished')
      }
      await assert.rejects(
        develop(database, { '0001': createBooks, '0002': failing }),
        /"0002" .* failed: not finished/,
      )
      assert.deepEqual(await readColumns(database), ['id', 'stars'])
      assert.deepEqual(await develop(database, { '0001': createBooks, '0002': addColumn('stars') }), [])
      assert.equal((await develop(database, { '0001': createBooks, '0002': addColumn('rating') })).length, 2)
      assert.deepEqual(await readColumns(database), ['id', 'rating'])
    })
  })
}
