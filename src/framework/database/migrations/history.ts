// The table that records the applied steps, and the table of earlier versions, which is the default one of Kysely's
// Migrator: it may hold the steps of another program, and these stay (decision 044).

import { type Kysely, sql } from 'kysely'
import type { Connection } from '../database.ts'
import type { Dialect } from '../dialect.ts'
import type { OwnedMigrations } from './migrations.ts'

const historyTable = 'resource_api_migrations'
const earlierTable = 'kysely_migration'
const earlierLockTable = 'kysely_migration_lock'

/** The names of the applied steps. */
export interface History {
  /** As `owner/step`. */
  readonly names: readonly string[]
  /** Without an owner, from the table of earlier versions. Empty if that table cannot have steps of the owners. */
  readonly withoutOwner: readonly string[]
}

/** Returns the owner of `owner/step`; names of owners contain no slash. */
export const findOwner = (name: string): string => name.slice(0, name.indexOf('/'))

export const hasStepsOf = (owner: string, names: readonly string[]): boolean =>
  names.some(name => findOwner(name) === owner)

type Reader = Pick<Connection, 'kysely'> & { readonly dialect: Dialect }

/** Reads the history with one query, unless an owner has none yet. */
export async function readHistory(database: Reader, owners: readonly OwnedMigrations[]): Promise<History> {
  const names = await readNames(database, historyTable)
  const hasAll = owners.every(({ owner, steps }) => Object.keys(steps).length === 0 || hasStepsOf(owner, names))
  const mayHaveEarlier = !hasAll && (await hasTable(database, earlierTable))
  return { names, withoutOwner: mayHaveEarlier ? await readNames(database, earlierTable) : [] }
}

export async function hasTable({ kysely, dialect }: Reader, table: string): Promise<boolean> {
  const { rows } = await dialect.findTable(table).execute(kysely)
  return rows.length > 0
}

async function readNames({ kysely, dialect }: Reader, table: string): Promise<readonly string[]> {
  try {
    const rows = await kysely.selectFrom(table).select('name').orderBy('name').execute()
    return rows.map(({ name }) => name as string)
  } catch (error) {
    // The first migration creates the table; the carry-over of another process removes the earlier one.
    if (dialect.isMissingTable(error)) return []
    throw error
  }
}

export async function createHistory(kysely: Kysely<unknown>, { columns }: Dialect): Promise<void> {
  await kysely.schema
    .createTable(historyTable)
    .ifNotExists()
    .addColumn('name', columns.text, column => column.primaryKey())
    .addColumn('applied', columns.text, column => column.notNull())
    .execute()
}

export async function recordStep(
  kysely: Kysely<unknown>,
  name: string,
  applied = new Date().toISOString(),
): Promise<void> {
  await sql`insert into ${sql.table(historyTable)} (name, applied) values (${name}, ${applied})`.execute(kysely)
}

/** Replaces former names with current ones. */
export async function renameSteps(kysely: Kysely<unknown>, names: ReadonlyMap<string, string>): Promise<void> {
  for (const [former, name] of names)
    await sql`update ${sql.table(historyTable)} set name = ${name} where name = ${former}`.execute(kysely)
}

/**
 * Moves names from the table of earlier versions, with the times at which they were applied. Removes that table if it is
 * empty then.
 */
export async function carryOver(kysely: Kysely<unknown>, names: ReadonlyMap<string, string>): Promise<void> {
  if (names.size === 0) return
  const [history, earlier] = [sql.table(historyTable), sql.table(earlierTable)]
  for (const [former, name] of names) {
    const { rows } = await sql<{
      timestamp: string
    }>`delete from ${earlier} where name = ${former} returning timestamp`.execute(kysely)
    for (const { timestamp } of rows)
      await sql`insert into ${history} (name, applied) values (${name}, ${timestamp}) on conflict do nothing`.execute(
        kysely,
      )
  }
  const { rows } = await sql`select name from ${earlier} limit 1`.execute(kysely)
  if (rows.length > 0) return
  await kysely.schema.dropTable(earlierTable).execute()
  await kysely.schema.dropTable(earlierLockTable).ifExists().execute()
}
