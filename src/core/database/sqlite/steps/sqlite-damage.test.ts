// A step fails, and changes nothing, if it would lose rows, references, indexes, triggers or views, or if it controls the transaction.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createFile } from '../../../../../test/support/service.ts'
import type { Database } from '../../database.ts'
import type { MigrationStep } from '../../migrations/migrate.ts'
import { openNew } from '../../migrations/testing.ts'
import { addNotes, apply, assertUsualSettings, readRows, rebuildNotes, run, statements } from './testing.ts'

/** Opens a database with the notes, after these statements. */
const openNotes = async (context: TestContext, ...texts: readonly string[]) =>
  addNotes(await openNew(context, createFile), ...texts)

/** The schema and all rows, without the table that records the steps. */
async function readAll({ kysely }: Database): Promise<unknown> {
  const { rows: schema } = await sql<{ name: string; type: string }>`
    select name, type, tbl_name, sql from sqlite_schema where name not like '%resource_api%' order by name`.execute(
    kysely,
  )
  const tables = schema.filter(({ type, name }) => type === 'table' && name !== 'sqlite_sequence')
  return { schema, rows: await readRows({ kysely }, ...tables.map(({ name }) => name)) }
}

/** The step fails with this reason, and nothing has changed. */
async function assertFails(database: Database, step: MigrationStep, reason: string | RegExp): Promise<void> {
  const before = await readAll(database)
  const prefix = 'the step "0002" of the migrations of "notes" failed: '
  await assert.rejects(apply(database, step), ({ name, message }: Error) => {
    assert.equal(name, 'FailedMigration')
    assert.ok(message.startsWith(prefix), message)
    const found = message.slice(prefix.length)
    if (typeof reason === 'string') assert.equal(found, reason)
    else assert.match(found, reason)
    return true
  })
  assert.deepEqual(await readAll(database), before)
  await assertUsualSettings(database)
}

suite('a step fails, and changes nothing,', () => {
  const cases: Readonly<
    Record<string, readonly [before: readonly string[], step: MigrationStep, reason: string | RegExp]>
  > = {
    'if it copies too few rows': [
      [],
      statements(...rebuildNotes({ copy: 'select id, title from notes where id <> 2' })),
      '2 rows of "comments" would refer to rows of "notes" that do not exist, and 1 row of "marks" would refer to rows of "notes" that do not exist: copy all rows of a table, and delete or change the rows that refer to a row before the row itself, because "on delete" has no effect in a step',
    ],
    'if it deletes rows to which others refer': [
      [],
      statements('delete from notes where id = 1'),
      /^1 row of "comments" would refer to rows of "notes" that do not exist: /,
    ],
    'if it adds a reference to a row that does not exist': [
      [],
      statements('alter table comments add column other integer not null default 9 references notes (id)'),
      /^3 rows of "comments" would refer to rows of "notes" that do not exist: /,
    ],
    'if it deletes rows of another table while it rebuilds one': [
      [],
      statements(...rebuildNotes({ between: ['delete from comments', 'delete from marks where id = 1'] })),
      'it drops or rebuilds a table, and "comments", which refers to "notes", has 0 of 3 rows left, and "marks", which refers to "notes", has 1 of 2 rows left: if these rows are to be deleted, delete them in a step of its own',
    ],
    'if it renames the old table first': [
      [],
      statements(
        'alter table notes rename to notes_old',
        'create table notes (id integer primary key, title text)',
        'insert into notes select * from notes_old',
        'drop table notes_old',
      ),
      'the column "note_id" of "comments" now refers to the table "notes_old", which does not exist: remove the column, or, to change a table, create the new one under another name, copy the rows, drop the old one, and then rename the new one',
    ],
    'if it drops a table to which another one refers': [
      [],
      statements('drop table notes'),
      /^the column "note_id" of "comments" now refers to the table "notes", which does not exist: /,
    ],
    'if it removes the key to which another table refers': [
      [],
      statements(...rebuildNotes({ columns: 'id integer not null, title text' })),
      /^the table "comments" could no longer be written \(foreign key mismatch - "comments" referencing "notes"\): /,
    ],
    'if an index needs a column that it removes': [
      ['create index by_title on notes (title)'],
      statements(
        'create table notes_new (id integer primary key autoincrement not null)',
        'insert into notes_new select id from notes',
        'drop table notes',
        'alter table notes_new rename to notes',
      ),
      'the index "by_title" disappeared with the table "notes" and cannot be created again (no such column: title): drop it at the beginning of the step, and create the one that you want',
    ],
    'if a view needs a column that it removes': [
      ['create view titles as select title from notes'],
      statements(
        'create table notes_new (id integer primary key autoincrement not null)',
        'insert into notes_new select id from notes',
        'drop table notes',
        'alter table notes_new rename to notes',
      ),
      'the view "titles" could no longer be used (no such column: title): drop it at the beginning of the step, and create it again at the end',
    ],
    'if a trigger elsewhere needs a column that it removes': [
      ['create trigger untitled after insert on marks begin update notes set title = null where id = new.note_id; end'],
      statements(
        'create table notes_new (id integer primary key autoincrement not null)',
        'insert into notes_new select id from notes',
        'drop table notes',
        'alter table notes_new rename to notes',
      ),
      'the table "marks" could no longer be written (no such column: title): drop the triggers that need what the step removes, or keep the columns to which foreign keys refer unique',
    ],
    'if it throws an error in the middle': [
      ['create view titles as select title from notes'],
      async kysely => {
        await run(kysely, ...rebuildNotes().slice(0, -1))
        throw new Error('stop')
      },
      'stop',
    ],
    'if it copies a column that does not exist': [
      [],
      statements(...rebuildNotes({ copy: 'select id, "tittle" from notes' })),
      /^no such column: "?tittle"?/,
    ],
    'if it commits': [
      [],
      statements(...rebuildNotes(), 'commit', 'pragma foreign_keys = on', 'begin', 'delete from notes'),
      'a step cannot begin, commit or roll back a transaction, because it runs in one: remove that statement',
    ],
    'if it begins a transaction': [
      [],
      kysely => kysely.transaction().execute(inside => run(inside, 'delete from marks')),
      /^a step cannot begin, commit or roll back a transaction, /,
    ],
  }
  for (const [name, [before, step, reason]] of Object.entries(cases))
    test(name, async context => assertFails(await openNotes(context, ...before), step, reason))
})

test('a new table may have the name of one that the same step has renamed', async context => {
  const database = await openNotes(context)
  await apply(
    database,
    statements(
      'alter table marks rename to old_marks',
      'create table marks (id integer primary key, note_id integer references notes (id))',
      ...rebuildNotes(),
    ),
  )
  const { old_marks, marks } = await readRows(database, 'old_marks', 'marks')
  assert.deepEqual([old_marks?.length, marks?.length], [2, 0])
})
