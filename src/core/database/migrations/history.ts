// The table that records the applied steps, and the table of earlier versions, which is the default one of Kysely's
// Migrator: it may hold the steps of another program, and these stay (decision 044).

import { type Kysely, sql } from 'kysely'
import type { Database } from '../database.ts'
import type { LaterWork } from '../editors/schema-editor.ts'
import type { Change } from '../schema/change.ts'
import type { Creation } from './creations.ts'
import type { LoadedMigrations } from './migrations.ts'

const historyTable = 'resource_api_migrations'
const earlierTable = 'kysely_migration'
const earlierLockTable = 'kysely_migration_lock'

/** The tables that record the applied steps, also those of earlier versions. */
export const migrationTables: readonly string[] = [historyTable, earlierTable, earlierLockTable]

/** A step that the database has applied. */
export interface AppliedStep {
  /** As `owner/step`. */
  readonly name: string
  /** The time, in ISO format. */
  readonly applied: string
  /** The digest of its outline; null: an earlier version applied the step. */
  readonly digest: string | null
  readonly creations: TakeBackPlan
  /** The work that follows the commit of the step, and is not done yet. */
  readonly unfinished: readonly LaterWork[]
}

/** The creations of the step's function, or the step's changes as data. Null if it did more, or if this version did not run it. */
export type TakeBackPlan = readonly Creation[] | { readonly changes: readonly Change[] } | null

export interface History {
  readonly steps: readonly AppliedStep[]
  /** Names without an owner, from the table of earlier versions. Empty if that table cannot have steps of the owners. */
  readonly withoutOwner: readonly string[]
}

/** Returns the owner of `owner/step`; names of owners contain no slash. */
export const findOwner = (name: string): string => name.slice(0, name.indexOf('/'))

/** Returns the step of `owner/step`. */
export const findStepName = (name: string): string => name.slice(name.indexOf('/') + 1)

export const hasStepsOf = (owner: string, steps: readonly AppliedStep[]): boolean =>
  steps.some(({ name }) => findOwner(name) === owner)

type Reader = Pick<Database, 'kysely' | 'dialect'>

/** Reads the history with one query, unless an owner has none yet. */
export async function readHistory(database: Reader, owners: readonly LoadedMigrations[]): Promise<History> {
  const rows = await readRows(database, historyTable)
  const steps = rows.map(({ name, applied, digest = null, creations, unfinished }) => ({
    ...{ name: name!, applied: applied!, digest },
    creations: JSON.parse(creations ?? 'null') as TakeBackPlan,
    unfinished: JSON.parse(unfinished ?? '[]') as readonly LaterWork[],
  }))
  const hasAll = owners.every(owner => Object.keys(owner.steps).length === 0 || hasStepsOf(owner.owner, steps))
  const mayHaveEarlier = !hasAll && (await hasTable(database, earlierTable))
  const earlier = mayHaveEarlier ? await readRows(database, earlierTable) : []
  return { steps, withoutOwner: earlier.map(({ name }) => name!) }
}

export async function hasTable({ kysely, dialect }: Reader, table: string): Promise<boolean> {
  const { rows } = await dialect.findTable(table).execute(kysely)
  return rows.length > 0
}

// Earlier versions did not have all columns.
type Row = Readonly<Partial<Record<'name' | 'applied' | 'digest' | 'creations' | 'unfinished', string | null>>>

async function readRows({ kysely, dialect }: Reader, table: string): Promise<readonly Row[]> {
  try {
    return await kysely.selectFrom(table).selectAll().orderBy('name').execute()
  } catch (error) {
    // The first migration creates the table; the carry-over of another process removes the earlier one.
    if (dialect.isMissingTable(error)) return []
    throw error
  }
}

/** Creates the table, or adds the columns that earlier versions did not have. */
export async function createHistory(database: Reader): Promise<void> {
  const { kysely, dialect } = database
  const { text } = dialect.columns
  const isNew = !(await hasTable(database, historyTable))
  const createTable = () =>
    kysely.schema
      .createTable(historyTable)
      // Another process may have created it a moment ago.
      .ifNotExists()
      .addColumn('name', text, column => column.primaryKey())
      .addColumn('applied', text, column => column.notNull())
      .addColumn('digest', text)
      .addColumn('creations', text)
      .addColumn('unfinished', text)
      .execute()
  await createTable()
  const [row] = await readRows(database, historyTable)
  for (const column of ['digest', 'creations', 'unfinished'] as const)
    if (row !== undefined && row[column] === undefined)
      await kysely.schema.alterTable(historyTable).addColumn(column, text).execute()
  if (isNew || row !== undefined) return
  // Only rows show which columns the table has.
  await kysely.schema.dropTable(historyTable).execute()
  await createTable()
}

export type NewStep = Pick<AppliedStep, 'name' | 'digest' | 'creations' | 'unfinished'>

export async function recordStep(kysely: Kysely<unknown>, step: NewStep): Promise<void> {
  const { name, digest, creations, unfinished } = step
  const applied = new Date().toISOString()
  const created = creations && JSON.stringify(creations)
  await sql`insert into ${sql.table(historyTable)} (name, applied, digest, creations, unfinished)
    values (${name}, ${applied}, ${digest}, ${created}, ${formatUnfinished(unfinished)})`.execute(kysely)
}

const formatUnfinished = (unfinished: readonly LaterWork[]): string | null =>
  unfinished.length === 0 ? null : JSON.stringify(unfinished)

export async function recordUnfinished(
  kysely: Kysely<unknown>,
  name: string,
  unfinished: readonly LaterWork[],
): Promise<void> {
  const left = formatUnfinished(unfinished)
  await sql`update ${sql.table(historyTable)} set unfinished = ${left} where name = ${name}`.execute(kysely)
}

/** Records the digests of steps, by name. */
export async function recordDigests(kysely: Kysely<unknown>, digests: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, digest] of digests)
    await sql`update ${sql.table(historyTable)} set digest = ${digest} where name = ${name}`.execute(kysely)
}

export async function forgetStep(kysely: Kysely<unknown>, name: string): Promise<void> {
  await sql`delete from ${sql.table(historyTable)} where name = ${name}`.execute(kysely)
}

/** Replaces former names with current ones. */
export async function renameSteps(kysely: Kysely<unknown>, names: ReadonlyMap<string, string>): Promise<void> {
  for (const [former, name] of names)
    await sql`update ${sql.table(historyTable)} set name = ${name} where name = ${former}`.execute(kysely)
}

/** Records each step instead of those that it replaces, with the time of the last of them. */
export async function replaceSteps(
  kysely: Kysely<unknown>,
  names: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const table = sql.table(historyTable)
  for (const [name, replaced] of names) {
    const others = replaced.slice(0, -1)
    for (const other of others) await forgetStep(kysely, other)
    await sql`update ${table} set name = ${name}, digest = null, creations = null where name = ${replaced.at(-1)!}`.execute(
      kysely,
    )
  }
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
