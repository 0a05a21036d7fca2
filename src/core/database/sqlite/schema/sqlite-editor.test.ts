// What only SQLite has: tables that are rebuilt keep what a state cannot say, and are rebuilt only if they must be.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { createFile } from '../../../../../test/support/service.ts'
import type { Database } from '../../database.ts'
import { createFullTextIndex } from '../../full-text.ts'
import { step } from '../../migrations/declared-step.ts'
import { migrate } from '../../migrations/migrate.ts'
import type { Change } from '../../schema/change.ts'
import { openSqlite } from '../sqlite.ts'

interface Opened {
  readonly database: Database
  /** The statements that have run since the last call. */
  readStatements(): readonly string[]
}

async function open(context: TestContext, ...texts: readonly string[]): Promise<Opened> {
  const storage = await createFile()
  let statements: string[] = []
  const observe = (text: string) => void statements.push(text)
  const database = openSqlite({ path: storage.url.slice('sqlite:'.length), observe })
  context.after(async () => {
    await database.close()
    await storage.remove()
  })
  await run(database, ...texts)
  const readStatements = () => {
    const found = statements
    statements = []
    return found
  }
  return { database, readStatements }
}

const run = (database: Database, ...texts: readonly string[]) =>
  database.transaction(async ({ kysely }) => {
    for (const text of texts) await sql.raw(text).execute(kysely)
  })

const apply = (database: Database, ...changes: readonly Change[]) =>
  migrate(database, [{ owner: 'notes', steps: { '0001': step({ change: changes }) } }])

const read = async ({ kysely }: Database, query: string) =>
  (await sql.raw<object>(query).execute(kysely)).rows.map(row => Object.values(row))

const notes = 'create table notes (id integer primary key autoincrement not null, title text, stars integer)'
const rebuilding: Change = { table: 'notes', alterColumn: 'stars', type: 'integer', fill: 0 }

suite('a table that a change rebuilds', () => {
  test('keeps collations, other constraints, STRICT and WITHOUT ROWID', async context => {
    const { database } = await open(
      context,
      `create table tags (name text collate nocase not null, place integer check (place > 0), stars int,
        note text default 'a, b) c' -- its note
        , primary key (name, place), constraint few check (stars < 9) /* few */) strict, without rowid`,
      "insert into tags values ('A', 1, null, 'n')",
    )
    await apply(database, { table: 'tags', alterColumn: 'stars', type: { sqlite: 'int', postgres: 'int' }, fill: 3 })
    const [[text]] = (await read(database, "select sql from sqlite_schema where name = 'tags'")) as [[string]]
    assert.equal(
      text,
      `CREATE TABLE "tags" ("name" text collate nocase not null, "place" integer check (place > 0), "stars" int not null, "note" text default 'a, b) c', primary key (name, place), constraint few check (stars < 9)) strict, without rowid`,
    )
    assert.deepEqual(await read(database, "select * from tags where name = 'a'"), [['A', 1, 3, 'n']])
  })

  test('does not use the keys of deleted rows again', async context => {
    const { database } = await open(
      context,
      notes,
      "insert into notes (id, title) values (9, 'x'), (3, 'y')",
      'delete from notes where id = 9',
    )
    await apply(database, rebuilding)
    await run(database, "insert into notes (title, stars) values ('z', 1)")
    assert.deepEqual(await read(database, 'select id from notes order by id'), [[3], [10]])
  })

  test('keeps implicit rowids, so a full-text index still finds its rows', async context => {
    const { database } = await open(
      context,
      'create table notes (title text, stars integer)',
      "insert into notes (title) values ('apple'), ('pear'), ('plum')",
      'delete from notes where rowid = 2',
    )
    await database.transaction(({ kysely }) =>
      createFullTextIndex(kysely, database.dialect, { table: 'notes', columns: ['title'], key: 'rowid' }),
    )
    await apply(database, rebuilding)
    assert.deepEqual(await read(database, 'select rowid, title from notes order by rowid'), [
      [1, 'apple'],
      [3, 'plum'],
    ])
  })

  test('keeps its triggers, those of other tables, its views and indexes with expressions', async context => {
    const { database } = await open(
      context,
      notes,
      'create table log (text text)',
      'create index lower_titles on notes (lower(title))',
      "create trigger noted after insert on notes begin insert into log values ('noted ' || new.title); end",
      'create trigger logged after insert on log begin update notes set stars = stars + 1; end',
      'create view titles as select title from notes',
      "insert into notes (title) values ('a')",
    )
    await apply(database, rebuilding)
    await run(database, "insert into notes (title, stars) values ('b', 5)")
    assert.deepEqual(await read(database, 'select title, stars from notes'), [
      ['a', 1],
      ['b', 6],
    ])
    assert.deepEqual(await read(database, 'select * from log'), [['noted a'], ['noted b']])
    assert.deepEqual(await read(database, 'select * from titles'), [['a'], ['b']])
    const { notes: found } = await database.dialect.schema.readState(database.kysely)
    assert.deepEqual(found.notes, ['the index "lower_titles" contains an expression', 'the trigger "noted"'])
  })

  test('says which index or trigger does not fit it any longer', async context => {
    const { database } = await open(context, notes, 'create index lower_titles on notes (lower(title))')
    await assert.rejects(
      apply(database, rebuilding, { table: 'notes', dropColumn: 'title' }),
      /table "notes": the index "lower_titles" does not fit the changed table \(no such column: title\): drop it before/,
    )
  })

  test('does not get equal values under a unique index', async context => {
    const { database } = await open(
      context,
      notes,
      'create unique index by_stars on notes (stars)',
      'insert into notes (stars) values (0), (null)',
    )
    await assert.rejects(
      apply(database, rebuilding),
      /table "notes": rows would have equal values under the unique index "by_stars": change them first$/,
    )
    assert.deepEqual(await read(database, 'select stars from notes order by id'), [[0], [null]])
  })

  test('is not blamed for rows of other tables that referred to nothing before', async context => {
    const { database } = await open(context, notes, 'create table old (note_id references notes (id))')
    await database.changeSchema(session =>
      session.transaction(async ({ kysely }) => void (await sql`insert into old values (77)`.execute(kysely))),
    )
    await apply(database, rebuilding)
    assert.deepEqual(await read(database, 'select * from old'), [[77]])
  })

  test('is rebuilt once for all changes of a step, and not for those that SQLite makes itself', async context => {
    const { database, readStatements } = await open(context, notes, "insert into notes (title) values ('a')")
    const count = (text: string) => readStatements().filter(each => each.includes(text)).length
    const light: readonly Change[] = [
      { table: 'notes', addColumn: 'x', type: 'text', nullable: true },
      { table: 'notes', addColumn: 'y', type: 'text', default: 'y' },
      { table: 'notes', renameColumn: 'x', to: 'z' },
      { table: 'notes', addIndex: 'by_title', columns: ['title'] },
      { table: 'notes', dropColumn: 'z' },
    ]
    const heavy: readonly Change[] = [
      rebuilding,
      { table: 'notes', addColumn: 'c', type: 'text', fill: 'c' },
      { table: 'notes', addCheck: 'few', sql: '"stars" < 9' },
      { table: 'notes', dropColumn: 'y' },
      { table: 'notes', addIndex: 'by_stars', columns: ['stars'] },
    ]
    await apply(database, ...light)
    assert.equal(count('resource_api_new'), 0)
    const steps = { '0001': step({ change: light }), '0002': step({ change: heavy }) }
    await migrate(database, [{ owner: 'notes', steps }])
    assert.equal(count('create table "resource_api_new'), 1)
    assert.deepEqual(await read(database, 'select * from notes'), [[1, 'a', 0, 'c']])
  })

  test('loses a UNIQUE constraint like an index', async context => {
    const { database } = await open(
      context,
      'create table tags (id integer primary key, name text unique, a int, b int, unique (a, b))',
      "insert into tags values (1, 'x', 1, 1)",
    )
    const readIndexes = async () =>
      Object.keys((await database.dialect.schema.readState(database.kysely, ['tags'])).tables.tags!.indexes)
    assert.deepEqual((await readIndexes()).toSorted(), ['tags_a_b_unique', 'tags_name_unique'])
    await apply(
      database,
      { table: 'tags', dropIndex: 'tags_name_unique' },
      { table: 'tags', renameIndex: 'tags_a_b_unique', to: 'pairs' },
    )
    assert.deepEqual(await readIndexes(), ['pairs'])
    await run(database, "insert into tags values (2, 'x', 1, 2)")
    await assert.rejects(run(database, "insert into tags values (3, 'y', 1, 2)"), /UNIQUE/)
  })
})
