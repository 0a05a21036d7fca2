// Applies missing migration steps. One transaction applies all of them, so if two processes start at the same time, the
// second one waits and then has nothing to apply.

import { APIException } from '../../errors/exceptions.ts'
import type { Connection, Database, RunStep } from '../database.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import { ExistingTable, explainExistingTable } from './existing-table.ts'
import { FailedMigration } from './failed-migration.ts'
import { carryOver, createHistory, findOwner, readHistory, recordStep, renameSteps } from './history.ts'
import type { OwnedMigrations, OwnedStepNames } from './migrations.ts'
import { type MigrationPlan, planMigration } from './plan.ts'

export type { MigrationStep, Migrations, OwnedMigrations, OwnedStepNames } from './migrations.ts'

/**
 * Applies the missing steps: owner by owner in the given order, and the steps of each owner in the order of their names.
 * Returns the applied steps by owner. Steps of other owners in the database are left alone. Throws an error if an owner
 * is invalid or listed twice. Rejects with FailedMigration if a step throws an error, and with UnusableDatabase if a newer version
 * has migrated the database, if a step creates a table that exists already, or if the database is not in UTF-8. After an
 * error, nothing has changed.
 *
 * @example await migrate(database, [throttleMigrations, { owner: 'books', steps: { '0001_books': createBooks } }])
 */
export async function migrate(
  database: Database,
  owners: readonly OwnedMigrations[],
): Promise<readonly OwnedStepNames[]> {
  checkOwners(owners)
  await checkEncoding(database)
  const isUpToDate = hasNoWork(await readPlan(database, owners))
  // Beginning the transaction proves that the database is writable.
  try {
    // A step can take long, and another process may have to wait for it.
    return isUpToDate
      ? await database.transaction(() => [], { unbounded: true })
      : await database.changeSchema((connection, runStep) => applyMissing(connection, runStep, database, owners))
  } catch (error) {
    throw error instanceof ExistingTable ? await explainExistingTable(error, database) : error
  }
}

/** The difference between the steps that a database has applied and those of the program. */
export interface MigrationDifference {
  /** Steps that the database has not applied. */
  readonly missing: readonly OwnedStepNames[]
  /** Applied steps that the program does not have: a newer version migrated the database. */
  readonly unknown: readonly OwnedStepNames[]
}

/**
 * Compares the steps with those that the database has applied, and changes nothing. An owner without differences is
 * not listed. Rejects with the database's error.
 */
export async function compareMigrations(
  database: Database,
  owners: readonly OwnedMigrations[],
): Promise<MigrationDifference> {
  checkOwners(owners)
  const { missing, unknown } = planMigration(await readHistory(database, owners), owners)
  return { missing, unknown }
}

function checkOwners(owners: readonly OwnedMigrations[]): void {
  const names = new Set<string>()
  for (const { owner } of owners) {
    if (!/^[a-z][a-z0-9-]*$/.test(owner))
      throw new Error(
        `migrations of the owner "${owner}": write lower-case letters, digits and hyphens, beginning with a letter`,
      )
    if (names.has(owner))
      throw new Error(`two sets of migrations have the owner "${owner}": rename one, or put their steps into one set`)
    names.add(owner)
  }
}

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

async function readPlan(
  database: Pick<Database, 'kysely' | 'dialect'>,
  owners: readonly OwnedMigrations[],
): Promise<MigrationPlan> {
  const plan = planMigration(await readHistory(database, owners), owners)
  const [newer] = plan.unknown
  if (newer === undefined) return plan
  throw new UnusableDatabase(
    `the database is that of a newer version, which has applied the step "${newer.steps[0]}" of "${newer.owner}": run that version, or restore an older backup`,
  )
}

const hasNoWork = ({ missing, renamed, carriedOver }: MigrationPlan): boolean =>
  missing.length === 0 && renamed.size === 0 && carriedOver.size === 0

async function applyMissing(
  { kysely }: Connection,
  runStep: RunStep,
  { dialect }: Database,
  owners: readonly OwnedMigrations[],
): Promise<readonly OwnedStepNames[]> {
  await dialect.lock('migrate')?.execute(kysely)
  await createHistory(kysely, dialect)
  // Another process may have migrated the database before this one got the lock.
  const plan = await readPlan({ kysely, dialect }, owners)
  await renameSteps(kysely, plan.renamed)
  await carryOver(kysely, plan.carriedOver)
  const earlierOwners = new Set([...plan.applied].map(findOwner))
  const currentOwners = new Set<string>()
  const migrations = new Map(owners.map(({ owner, steps }) => [owner, steps]))
  for (const { owner, steps } of plan.missing) {
    currentOwners.add(owner)
    for (const step of steps) {
      try {
        await runStep(() => migrations.get(owner)![step]!(kysely, dialect.columns, dialect))
      } catch (error) {
        // An outage of the database is not the fault of the step.
        if (error instanceof APIException) throw error
        const table = error instanceof Error ? dialect.findExistingTable(error) : undefined
        throw table === undefined
          ? new FailedMigration(owner, step, error)
          : new ExistingTable({ owner, step, table, earlierOwners, currentOwners }, error)
      }
      await recordStep(kysely, `${owner}/${step}`)
    }
  }
  return plan.missing
}
