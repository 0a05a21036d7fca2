// Brings a database's tables to the newest form. All of it is one transaction, so two processes that start at once
// migrate once: the second waits, and finds nothing left to do.

import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Connection, Database } from './database.ts'
import type { ColumnTypes, Dialect } from './dialect.ts'
import { UnusableDatabase } from './unusable-database.ts'

/** A step, the same for all databases: `columns` has their column types, `dialect` their other differences. */
export interface MigrationStep {
  (kysely: Kysely<unknown>, columns: ColumnTypes, dialect: Dialect): Promise<void>
  /** The name that the step had before: a database that has applied it under that name does not apply it again. */
  readonly formerName?: string
}

/**
 * Steps by name. Those that a database has not applied run in the order of their names, also if later ones have been
 * applied: the steps of a library have names of their own, such as `library/0001_first`.
 */
export type Migrations = Readonly<Record<string, MigrationStep>>

/**
 * Applies the steps that the database has not seen; answers their names. Throws where one fails, and UnusableDatabase
 * where the database is a newer program's or another's, or cannot hold every text: nothing is changed.
 */
export async function migrate(database: Database, migrations: Migrations): Promise<readonly string[]> {
  const { dialect } = database
  await checkEncoding(database)
  const applied = await readApplied(database)
  const { missing, unknown } = compare(applied, migrations)
  const renamed = renamedSteps(applied, migrations)
  const isNewest = missing.length === 0 && unknown.length === 0 && renamed.size === 0
  const work = async ({ kysely }: Connection) => {
    // The transaction alone has shown that the database can be written.
    if (isNewest) return []
    const lock = dialect.lock('migrate')
    if (lock !== null) {
      // Kysely takes its own lock only after it has created its tables, where the loser of a race fails instead of waiting.
      await lock.execute(kysely)
      // In a transaction that may not create tables, Kysely reports that it was aborted, and not why.
      await sql`create table ${probe} ()`.execute(kysely)
      await sql`drop table ${probe}`.execute(kysely)
    }
    for (const [former, name] of renamed)
      await sql`update kysely_migration set name = ${name} where name = ${former}`.execute(kysely)
    const failures: unknown[] = []
    const migrator = new Migrator({
      db: kysely,
      disableTransactions: true,
      allowUnorderedMigrations: true,
      provider: { getMigrations: async () => toKysely(migrations, dialect, failures) },
    })
    const { error, results = [] } = await migrator.migrateToLatest()
    // In a PostgreSQL transaction that has failed, Kysely cannot release its lock, and reports that instead of why.
    if (error !== undefined) throw failures[0] ?? whyRefused(error, Object.keys(migrations))
    return results.map(result => result.migrationName)
  }
  // A step may take long, and the second process waits for the first.
  return database.transaction(work, { unbounded: true })
}

const probe = sql.table('resource_api_probe')

// A database in another encoding refuses most characters, or keeps bytes that it never checks.
async function checkEncoding({ kysely, dialect }: Database): Promise<void> {
  if (dialect.encoding === null) return
  const { rows } = await dialect.encoding.execute(kysely)
  const encoding = rows[0]?.encoding
  if (encoding === 'UTF8') return
  throw new UnusableDatabase(
    `the database has the encoding ${encoding} and cannot hold every character: make another with createdb --encoding=UTF8 --template=template0`,
  )
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
export async function compareMigrations(database: Database, migrations: Migrations): Promise<MigrationDifference> {
  return compare(await readApplied(database), migrations)
}

function compare(names: readonly string[], migrations: Migrations): MigrationDifference {
  const renamed = renamedSteps(names, migrations)
  const applied = new Set(names.map(name => renamed.get(name) ?? name))
  const known = new Set(Object.keys(migrations))
  return { missing: [...known.difference(applied)], unknown: [...applied.difference(known)] }
}

// The steps that a database has applied under their former names: from the former name to the present one.
function renamedSteps(applied: readonly string[], migrations: Migrations): ReadonlyMap<string, string> {
  const renamed = Object.entries(migrations).flatMap(([name, { formerName }]) =>
    formerName !== undefined && !(formerName in migrations) && applied.includes(formerName) && !applied.includes(name)
      ? [[formerName, name] as const]
      : [],
  )
  return new Map(renamed)
}

async function readApplied({ kysely, dialect }: Database): Promise<readonly string[]> {
  try {
    const rows = await kysely.selectFrom('kysely_migration').select('name').execute()
    return rows.map(({ name }) => name as string)
  } catch (error) {
    // Kysely's own table comes with the first step.
    if (dialect.isMissingTable(error)) return []
    throw error
  }
}

function toKysely(migrations: Migrations, dialect: Dialect, failures: unknown[]): Record<string, Migration> {
  const up = (step: MigrationStep) => (kysely: Kysely<unknown>) =>
    step(kysely, dialect.columns, dialect).catch(error => {
      const exists = error instanceof Error && / already exists/.test(error.message)
      failures.push(exists ? new UnusableDatabase(anotherProgram(error.message), { cause: error }) : error)
      throw error
    })
  return Object.fromEntries(Object.entries(migrations).map(([name, step]) => [name, { up: up(step) }]))
}
