// Applies missing migration steps. One transaction applies all of them, so if two processes start at the same time, the
// second one waits and then has nothing to apply.

import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Connection, Database } from './database.ts'
import type { ColumnTypes, Dialect } from './dialect.ts'
import { UnusableDatabase } from './unusable-database.ts'

/**
 * A step that runs on every database: `columns` has the column types, `dialect` the other differences between
 * databases.
 */
export interface MigrationStep {
  (kysely: Kysely<unknown>, columns: ColumnTypes, dialect: Dialect): Promise<void>
  /** The previous name of a renamed step. A database that applied the step under this name does not apply it again. */
  readonly formerName?: string
}

/**
 * Steps by name. Missing steps run in the order of their names, even if later steps have already been applied. The steps
 * of a library have a prefix, such as `library/0001_first`.
 */
export type Migrations = Readonly<Record<string, MigrationStep>>

/**
 * Applies the missing steps and returns their names. Rejects with the error of a step that fails, and with
 * UnusableDatabase if the database belongs to a newer version or to another program, or is not in UTF-8. After an error,
 * nothing has changed.
 */
export async function migrate(database: Database, migrations: Migrations): Promise<readonly string[]> {
  const { dialect } = database
  await checkEncoding(database)
  const applied = await readApplied(database)
  const { missing, unknown } = compare(applied, migrations)
  const renamed = findRenamed(applied, migrations)
  const isUpToDate = missing.length === 0 && unknown.length === 0 && renamed.size === 0
  const work = async ({ kysely }: Connection) => {
    // Beginning the transaction has proved that the database is writable.
    if (isUpToDate) return []
    const lock = dialect.lock('migrate')
    if (lock !== null) {
      // Kysely takes its own lock only after creating its tables. Without this lock, a concurrent migration would fail
      // to create the tables instead of waiting.
      await lock.execute(kysely)
      // If the role may not create tables, Kysely reports only that the transaction was aborted; this reports the reason.
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
      provider: { getMigrations: async () => toKyselyMigrations(migrations, dialect, failures) },
    })
    const { error, results = [] } = await migrator.migrateToLatest()
    // In an aborted PostgreSQL transaction, Kysely fails to release its lock and reports that instead of the step's error.
    if (error !== undefined) throw failures[0] ?? explainUnknownStep(error, Object.keys(migrations))
    return results.map(result => result.migrationName)
  }
  // A step can take long, and another process may have to wait for it.
  return database.transaction(work, { unbounded: true })
}

const probe = sql.table('resource_api_probe')

// A database in another encoding rejects most characters, or stores bytes without checking them.
async function checkEncoding({ kysely, dialect }: Database): Promise<void> {
  if (dialect.encoding === null) return
  const { rows } = await dialect.encoding.execute(kysely)
  const encoding = rows[0]?.encoding
  if (encoding === 'UTF8') return
  throw new UnusableDatabase(
    `the database has the encoding ${encoding} and cannot store every character: create one with createdb --encoding=UTF8 --template=template0`,
  )
}

// Kysely rejects a database with an applied step that `migrations` lacks.
function explainUnknownStep(error: unknown, names: readonly string[]): unknown {
  const [, step] = /previously executed migration (\S+) is missing/.exec((error as Error).message) ?? []
  if (step === undefined || names.includes(step)) return error
  return new UnusableDatabase(
    `the database is that of a newer version, which has applied "${step}": run that version, or restore an older backup`,
    { cause: error },
  )
}

const explainForeignDatabase = (reason: string): string =>
  `the database is that of another program (${reason}): use a different database`

/** The difference between the steps that a database has applied and those of the program. */
export interface MigrationDifference {
  /** Steps that the database has not applied. */
  readonly missing: readonly string[]
  /** Applied steps that the program does not have: a newer version migrated the database. */
  readonly unknown: readonly string[]
}

/** Compares the steps with one query and changes nothing; rejects with the database's error. */
export async function compareMigrations(database: Database, migrations: Migrations): Promise<MigrationDifference> {
  return compare(await readApplied(database), migrations)
}

function compare(names: readonly string[], migrations: Migrations): MigrationDifference {
  const renamed = findRenamed(names, migrations)
  const applied = new Set(names.map(name => renamed.get(name) ?? name))
  const declared = new Set(Object.keys(migrations))
  return { missing: [...declared.difference(applied)], unknown: [...applied.difference(declared)] }
}

// Maps former names that the database has applied to the current names.
function findRenamed(applied: readonly string[], migrations: Migrations): ReadonlyMap<string, string> {
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
    // The first migration creates Kysely's table.
    if (dialect.isMissingTable(error)) return []
    throw error
  }
}

function toKyselyMigrations(migrations: Migrations, dialect: Dialect, failures: unknown[]): Record<string, Migration> {
  const up = (step: MigrationStep) => (kysely: Kysely<unknown>) =>
    step(kysely, dialect.columns, dialect).catch(error => {
      const exists = error instanceof Error && / already exists/.test(error.message)
      failures.push(exists ? new UnusableDatabase(explainForeignDatabase(error.message), { cause: error }) : error)
      throw error
    })
  return Object.fromEntries(Object.entries(migrations).map(([name, step]) => [name, { up: up(step) }]))
}
