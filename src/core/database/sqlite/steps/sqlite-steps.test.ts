// On SQLite, a step changes a table as SQLite's manual describes it: a new table, a copy of the rows, a drop and a rename. It
// loses no rows, references, indexes, triggers and views that it does not name.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { createFile } from '../../../../../test/support/service.ts'
import { createFullTextIndex } from '../../full-text.ts'
import type { MigrationStep } from '../../migrations/migrate.ts'
import { openNew } from '../../migrations/testing.ts'
import { openDatabase } from '../../open.ts'
import {
  addNotes,
  apply,
  assertUsualSettings,
  readRows,
  readSetting,
  rebuildNotes,
  run,
  statements,
} from './testing.ts'

/** Opens a database with the notes, after these statements. */
const openNotes = async (context: TestContext, ...texts: readonly string[]) =>
  addNotes(await openNew(context, createFile), ...texts)

/** The same rebuild as a newcomer writes it, with Kysely. */
const rebuildWithKysely: MigrationStep = async (kysely, { key, text }) => {
  const tables = kysely as Kysely<Record<'notes' | 'notes_new', { id: number; title: string }>>
  await kysely.schema
    .createTable('notes_new')
    .addColumn('id', key)
    .addColumn('title', text, column => column.notNull())
    .execute()
  await tables
    .insertInto('notes_new')
    .columns(['id', 'title'])
    .expression(tables.selectFrom('notes').select(['id', 'title']))
    .execute()
  await kysely.schema.dropTable('notes').execute()
  await kysely.schema.alterTable('notes_new').renameTo('notes').execute()
}

const notesAndOthers = ['notes', 'comments', 'marks'] as const
const allRows = {
  notes: [
    [1, 'a'],
    [2, 'b'],
    [3, 'c'],
  ],
  comments: [
    [1, 1],
    [2, 2],
    [3, 2],
  ],
  marks: [
    [1, 2],
    [2, 3],
  ],
}

suite('a table that a step rebuilds', () => {
  test('keeps its rows and those that refer to it, whether they would be deleted or set to null', async context => {
    for (const step of [rebuildWithKysely, statements(...rebuildNotes())]) {
      const database = await openNotes(context)
      assert.deepEqual(await apply(database, step), [{ owner: 'notes', steps: ['0002'] }])
      assert.deepEqual(await readRows(database, ...notesAndOthers), allRows)
      await assertUsualSettings(database)
      await database.transaction(({ kysely }) => run(kysely, 'delete from notes where id = 2'))
      assert.deepEqual(await readRows(database, 'comments', 'marks'), {
        comments: [[1, 1]],
        marks: [
          [1, null],
          [2, 3],
        ],
      })
    }
  })

  test('keeps them in a database in memory too', async context => {
    const database = openDatabase('sqlite::memory:')
    context.after(() => database.close())
    await apply(database, rebuildWithKysely)
    assert.deepEqual(await readRows(database, ...notesAndOthers), allRows)
    await assertUsualSettings(database)
  })

  test('keeps them if the step sets foreign keys and the like itself', async context => {
    for (const setting of ['off', 'on']) {
      const database = await openNotes(context, 'create view titles as select title from notes')
      const step = statements(
        ...['foreign_keys', 'defer_foreign_keys', 'legacy_alter_table'].map(name => `pragma ${name} = ${setting}`),
        ...rebuildNotes(),
        ...['ignore_check_constraints', 'recursive_triggers', 'legacy_alter_table'].map(name => `pragma ${name} = on`),
      )
      await apply(database, step)
      assert.deepEqual(await readRows(database, ...notesAndOthers), allRows)
      await assertUsualSettings(database)
      for (const name of ['ignore_check_constraints', 'recursive_triggers'])
        assert.equal(await readSetting(database, name), 0, name)
    }
  })

  test('may refer to itself, and have generated columns', async context => {
    const database = await openNotes(
      context,
      'alter table notes add column parent_id integer references notes (id) on delete cascade',
      'alter table notes add column size integer as (length(title))',
      'update notes set parent_id = 1 where id > 1',
    )
    const [create, copy, ...others] = rebuildNotes({
      columns:
        'id integer primary key autoincrement not null, title text not null, parent_id integer references notes (id) on delete cascade, size integer as (length(title))',
    })
    await apply(database, statements(create!, copy!.replaceAll('title', 'title, parent_id'), ...others))
    assert.deepEqual((await readRows(database, 'notes')).notes, [
      [1, 'a', null, 1],
      [2, 'b', 1, 1],
      [3, 'c', 1, 1],
    ])
    await database.transaction(({ kysely }) => run(kysely, 'delete from notes where id = 1'))
    assert.deepEqual(await readRows(database, ...notesAndOthers), {
      notes: [],
      comments: [],
      marks: [
        [1, null],
        [2, null],
      ],
    })
  })

  test('keeps its indexes and triggers, and the views and triggers elsewhere that use it', async context => {
    const database = await openNotes(
      context,
      'create table log (text)',
      'create unique index notes_by_title on notes (title)',
      'create index long_notes on notes (id) where length(title) > 1',
      'create trigger log_notes after insert on notes begin insert into log values (new.title); end',
      'create trigger log_comments after insert on comments begin insert into log select title from notes where id = new.note_id; end',
      'create view titles as select title from notes',
      'create trigger add_title instead of insert on titles begin insert into notes (title) values (new.title); end',
    )
    const { kysely } = database
    const readSchema = async () =>
      (await sql`select name, tbl_name, sql from sqlite_schema where type <> 'table' order by name`.execute(kysely))
        .rows
    const before = await readSchema()
    await apply(database, statements(...rebuildNotes()))
    assert.deepEqual(await readSchema(), before)
    await database.transaction(inside =>
      run(inside.kysely, "insert into titles values ('d')", 'insert into comments (note_id) values (1)'),
    )
    assert.deepEqual(await readRows(database, 'log', 'titles'), {
      log: [['d'], ['a']],
      titles: [['a'], ['b'], ['c'], ['d']],
    })
    const addAgain = database.transaction(inside => run(inside.kysely, "insert into notes (title) values ('a')"))
    await assert.rejects(addAgain, /UNIQUE/)
  })

  test('keeps its full-text index up to date', async context => {
    const database = await openNotes(context)
    const index = { table: 'notes', columns: ['title'] }
    await apply(
      database,
      (kysely, _, dialect) => createFullTextIndex(kysely, dialect, index),
      rebuildWithKysely,
      statements("insert into notes (title) values ('later')"),
    )
    const { rows } = await sql`select rowid from notes_full_text where notes_full_text match 'later'`.execute(
      database.kysely,
    )
    assert.equal(rows.length, 1)
  })

  test('does not get the indexes and triggers back that the step drops, or creates itself', async context => {
    const database = await openNotes(
      context,
      'create index by_title on notes (title)',
      'create index by_length on notes (length(title))',
      'create trigger first after insert on notes begin select 1; end',
      'create trigger second after insert on notes begin select 1; end',
    )
    const step = statements(
      'drop index by_title',
      'drop trigger first',
      ...rebuildNotes(),
      'create index by_length on notes (length(title), id)',
      'create trigger second after insert on notes begin select 2; end',
    )
    await apply(database, step)
    const { rows } =
      await sql`select name, sql from sqlite_schema where name in ('by_title', 'by_length', 'first', 'second') order by name`.execute(
        database.kysely,
      )
    assert.deepEqual(
      rows.map(row => Object.values(row as object)),
      [
        ['by_length', 'CREATE INDEX by_length on notes (length(title), id)'],
        ['second', 'CREATE TRIGGER second after insert on notes begin select 2; end'],
      ],
    )
  })

  test('does not use the keys of deleted rows again', async context => {
    for (const remaining of ['id < 3', 'false']) {
      const database = await openNotes(context, `delete from notes where not (${remaining})`)
      await apply(database, rebuildWithKysely, statements("insert into notes (title) values ('new')"))
      const { rows } = await sql<{ id: number }>`select max(id) as id from notes`.execute(database.kysely)
      assert.equal(rows[0]!.id, 4)
    }
  })
})

test('a table that a step renames takes references, views and triggers with it', async context => {
  const database = await openNotes(
    context,
    'create table log (text)',
    'create view titles as select title from notes',
    'create trigger log_comments after insert on comments begin insert into log select title from notes where id = new.note_id; end',
  )
  await apply(database, statements('alter table notes rename to pages', 'create index by_title on pages (title)'))
  const renamed = { pages: allRows.notes, comments: allRows.comments, titles: [['a'], ['b'], ['c']] }
  assert.deepEqual(await readRows(database, 'pages', 'comments', 'titles'), renamed)
  await database.transaction(({ kysely }) => run(kysely, 'insert into comments (note_id) values (1)'))
  assert.deepEqual(await readRows(database, 'log'), { log: [['a']] })
  await assertUsualSettings(database)
})

test('tables that refer to each other, or to a table of a later step, can be created', async context => {
  const database = await openNotes(context)
  await apply(
    database,
    statements(
      'create table a (id integer primary key, b references b (id))',
      'create table b (id integer primary key, a references a (id), c references c (id))',
    ),
    statements('create table c (id integer primary key)'),
  )
  assert.deepEqual(await readRows(database, 'a', 'b', 'c'), { a: [], b: [], c: [] })
})

test('a step may delete rows, with those that refer to them', async context => {
  const database = await openNotes(context)
  await apply(
    database,
    statements(
      'delete from comments where note_id = 2',
      'update marks set note_id = null where note_id = 2',
      'delete from notes where id = 2',
    ),
    statements('drop table marks'),
  )
  assert.deepEqual(await readRows(database, 'notes', 'comments'), {
    notes: [
      [1, 'a'],
      [3, 'c'],
    ],
    comments: [[1, 1]],
  })
})

test('rows that referred to nothing before the step are not its fault', async context => {
  const database = await openNotes(context)
  // As an import leaves them that switches foreign keys off.
  await apply(
    database,
    statements('create table other (id integer primary key)', 'create table old (other_id references other (id))'),
  )
  const { kysely } = database
  await database.changeSchema(session =>
    session.transaction(inside => run(inside.kysely, 'insert into old values (7), (8)')),
  )
  assert.equal((await sql`select * from pragma_foreign_key_check('old')`.execute(kysely)).rows.length, 2)
  const second = statements(
    'create table other (id integer primary key)',
    'create table old (other_id references other (id))',
  )
  await apply(database, second, rebuildWithKysely, statements('alter table old rename to older'))
  assert.deepEqual(await readRows(database, 'older', 'comments'), { older: [[7], [8]], comments: allRows.comments })
})

test('a step that fails leaves the steps before it, and a later run goes on', async context => {
  const database = await openNotes(context)
  const [good, bad] = [rebuildWithKysely, statements('drop table notes')]
  await assert.rejects(apply(database, good, bad), /the step "0003" .* refers to the table "notes"/)
  await assertUsualSettings(database)
  assert.deepEqual(await apply(database, good, statements('drop table marks')), [{ owner: 'notes', steps: ['0003'] }])
  assert.deepEqual(await readRows(database, 'notes', 'comments'), { notes: allRows.notes, comments: allRows.comments })
})

test('two connections that rebuild the same table at the same time do it once', async context => {
  const storage = await createFile()
  const databases = [1, 2, 3].map(() => openDatabase(storage.url))
  context.after(async () => {
    await Promise.all(databases.map(database => database.close()))
    await storage.remove()
  })
  await apply(databases[0]!)
  const results = await Promise.all(databases.map(database => apply(database, rebuildWithKysely)))
  assert.deepEqual(results.flat(), [{ owner: 'notes', steps: ['0002'] }])
  assert.deepEqual(await readRows(databases[1]!, ...notesAndOthers), allRows)
  for (const database of databases) await assertUsualSettings(database)
})

test('rows that other transactions write while steps wait are checked by foreign keys', async context => {
  const database = await openNotes(context)
  const wrong = () => database.transaction(({ kysely }) => run(kysely, 'insert into comments (note_id) values (99)'))
  const [migrated, ...others] = await Promise.allSettled([apply(database, rebuildWithKysely), wrong(), wrong()])
  assert.equal(migrated.status, 'fulfilled')
  for (const other of others) assert.equal(other.status, 'rejected')
  assert.deepEqual(await readRows(database, ...notesAndOthers), allRows)
})
