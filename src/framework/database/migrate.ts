// Brings a database's tables to the newest form. All of it is one transaction, so two processes that start at once
// migrate once: the second waits, and finds nothing left to do.

import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Connection, Database } from './database.ts'
import type { SqlFunctions } from './json.ts'
import { UnusableDatabase } from './unusable-database.ts'

/** A step, the same for both databases: `columns` knows their types. */
export type MigrationStep = (kysely: Kysely<unknown>, columns: ColumnTypes) => Promise<void>

/** Steps by name; they run in the order of their names. */
export type Migrations = Readonly<Record<string, MigrationStep>>

/** Column types under one name for both databases. */
export interface ColumnTypes {
  readonly key: RawBuilder<unknown>
  readonly reference: RawBuilder<unknown>
  readonly boolean: RawBuilder<unknown>
  readonly text: RawBuilder<unknown>
  /** A double. */
  readonly number: RawBuilder<unknown>
  /** So many digits, and how many of them stand after the point. */
  decimal(digits: number, places: number): RawBuilder<unknown>
  readonly date: RawBuilder<unknown>
  readonly time: RawBuilder<unknown>
  readonly dateTime: RawBuilder<unknown>
  readonly duration: RawBuilder<unknown>
  readonly uuid: RawBuilder<unknown>
  readonly json: RawBuilder<unknown>
}

/**
 * Applies the steps that the database has not seen; answers their names. Throws where one fails, and UnusableDatabase
 * where the database is a newer program's or another's: nothing is changed.
 */
export async function migrate(database: Database, migrations: Migrations): Promise<readonly string[]> {
  const columns = columnTypes(database.functions.name)
  const { missing, unknown } = await compareMigrations(database, migrations)
  const isNewest = missing.length === 0 && unknown.length === 0
  const work = async ({ kysely }: Connection) => {
    // The transaction alone has shown that the database can be written.
    if (isNewest) return []
    if (database.functions.name === 'postgres') await lock.execute(kysely)
    const failures: unknown[] = []
    const migrator = new Migrator({
      db: kysely,
      disableTransactions: true,
      provider: { getMigrations: async () => toKysely(migrations, columns, failures) },
    })
    const { error, results = [] } = await migrator.migrateToLatest()
    // In a PostgreSQL transaction that has failed, Kysely cannot release its lock, and reports that instead of why.
    if (error !== undefined) throw failures[0] ?? whyRefused(error, Object.keys(migrations))
    return results.map(result => result.migrationName)
  }
  // A step may take long, and the second process waits for the first.
  return database.transaction(work, { unbounded: true })
}

// Kysely refuses a database that knows a step which the program does not.
function whyRefused(error: unknown, known: readonly string[]): unknown {
  const [, step] = /previously executed migration (\S+) is missing/.exec((error as Error).message) ?? []
  if (step === undefined || known.includes(step)) return error
  return new UnusableDatabase(
    `the database is that of a newer version, which has done "${step}": run that version, or restore a backup from before it`,
    { cause: error },
  )
}

const anotherProgram = (reason: string): string =>
  `the database is that of another program (${reason}): name a database of this one's own`

/** How a database differs from what a program knows. */
export interface MigrationDifference {
  /** Steps that the database has not seen. */
  readonly missing: readonly string[]
  /** Steps that the program does not know: the database is that of a newer one. */
  readonly unknown: readonly string[]
}

/** Compares without changing anything, with one query; rejects as the database does. */
export async function compareMigrations({ kysely }: Database, migrations: Migrations): Promise<MigrationDifference> {
  const applied = new Set(await readApplied(kysely))
  const known = new Set(Object.keys(migrations))
  return { missing: [...known.difference(applied)], unknown: [...applied.difference(known)] }
}

async function readApplied(kysely: Database['kysely']): Promise<readonly string[]> {
  try {
    const rows = await kysely.selectFrom('kysely_migration').select('name').execute()
    return rows.map(({ name }) => name as string)
  } catch (error) {
    // Kysely's own table comes with the first step.
    if (isMissingTable(error)) return []
    throw error
  }
}

// PostgreSQL's texts are in the server's language, its codes are not.
const isMissingTable = (error: unknown): boolean =>
  (error as { code?: unknown }).code === '42P01' || /no such table/.test((error as Error).message)

// Kysely's own lock comes after it has made its tables, and there the loser of a race fails instead of waiting.
const lock = sql`select pg_advisory_xact_lock(hashtext('resource-api migrate'))`

function toKysely(migrations: Migrations, columns: ColumnTypes, failures: unknown[]): Record<string, Migration> {
  const up = (step: MigrationStep) => (kysely: Kysely<unknown>) =>
    step(kysely, columns).catch(error => {
      const exists = error instanceof Error && / already exists/.test(error.message)
      failures.push(exists ? new UnusableDatabase(anotherProgram(error.message), { cause: error }) : error)
      throw error
    })
  return Object.fromEntries(Object.entries(migrations).map(([name, step]) => [name, { up: up(step) }]))
}

function columnTypes(name: SqlFunctions['name']): ColumnTypes {
  const postgres = name === 'postgres'
  return {
    key: postgres
      ? sql`bigint generated by default as identity primary key`
      : sql`integer primary key autoincrement not null`,
    reference: postgres ? sql`bigint` : sql`integer`,
    boolean: postgres ? sql`boolean` : sql`integer`,
    // Order and equality by code point, as SQLite has them.
    text: postgres ? sql`text collate "C"` : sql`text`,
    number: sql`double precision`,
    decimal: (digits, places) => sql`numeric(${sql.lit(digits)}, ${sql.lit(places)})`,
    // SQLite has no types for these, and would take a text that looks like a number for one.
    date: postgres ? sql`date` : sql`text`,
    time: postgres ? sql`time` : sql`text`,
    dateTime: postgres ? sql`timestamptz` : sql`text`,
    duration: sql`bigint`,
    uuid: postgres ? sql`uuid` : sql`text`,
    json: postgres ? sql`json` : sql`text`,
  }
}
