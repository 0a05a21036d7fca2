// Notes and the tables that refer to them, for the tests of this folder.

import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../database.ts'
import { type MigrationStep, migrate } from '../../migrations/migrate.ts'

export async function run(kysely: Kysely<unknown>, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) await sql.raw(text).execute(kysely)
}

/** A step of these statements. */
export const statements =
  (...texts: readonly string[]): MigrationStep =>
  kysely =>
    run(kysely, ...texts)

/** Rebuilds the notes. `between` runs before the old table is dropped. */
export const rebuildNotes = ({
  copy = 'select id, title from notes',
  between = [] as readonly string[],
  columns = 'id integer primary key autoincrement not null, title text not null',
} = {}): readonly string[] => [
  `create table notes_new (${columns})`,
  `insert into notes_new (id, title) ${copy}`,
  ...between,
  'drop table notes',
  'alter table notes_new rename to notes',
]

/** Notes, and two tables that refer to them: SQLite would delete the comments of a deleted note, and keep its marks. */
const createNotes: MigrationStep = async (kysely, { key, reference, text }) => {
  await kysely.schema.createTable('notes').addColumn('id', key).addColumn('title', text).execute()
  for (const [table, action] of [['comments', 'cascade'] as const, ['marks', 'set null'] as const])
    await kysely.schema
      .createTable(table)
      .addColumn('id', key)
      .addColumn('note_id', reference, column => column.references('notes.id').onDelete(action))
      .execute()
  await run(
    kysely,
    "insert into notes (title) values ('a'), ('b'), ('c')",
    'insert into comments (note_id) values (1), (2), (2)',
    'insert into marks (note_id) values (2), (3)',
  )
}

/** Creates the notes, and runs these statements. */
export async function addNotes(database: Database, ...texts: readonly string[]): Promise<Database> {
  await migrate(database, [{ owner: 'notes', steps: { '0001': createNotes } }])
  await database.transaction(({ kysely }) => run(kysely, ...texts))
  return database
}

export const apply = (database: Database, ...steps: readonly MigrationStep[]) => {
  const named = [createNotes, ...steps].map((step, index) => [`000${index + 1}`, step] as const)
  return migrate(database, [{ owner: 'notes', steps: Object.fromEntries(named) }])
}

/** The rows of these tables. */
export async function readRows({ kysely }: Pick<Database, 'kysely'>, ...tables: readonly string[]) {
  const rows: Record<string, readonly unknown[]> = {}
  for (const table of tables) {
    const result = await sql`select * from ${sql.table(table)}`.execute(kysely)
    rows[table] = result.rows.map(row => Object.values(row as object))
  }
  return rows
}

export const readSetting = (database: Database, name: string) =>
  database.transaction(async ({ kysely }) => {
    const { rows } = await sql<Record<string, number>>`pragma ${sql.raw(name)}`.execute(kysely)
    return rows[0]?.[name]
  })

/** Foreign keys have their effect again, and `alter table` its own. */
export async function assertUsualSettings(database: Database): Promise<void> {
  assert.equal(await readSetting(database, 'foreign_keys'), 1)
  assert.equal(await readSetting(database, 'legacy_alter_table'), 0)
  await assert.rejects(
    database.transaction(({ kysely }) => run(kysely, 'insert into comments (note_id) values (99)')),
    /FOREIGN KEY constraint failed/,
  )
}
