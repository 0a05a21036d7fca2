// Applies missing migration steps. A lock covers all of them, so if two processes start at the same time, the second one waits and
// then has nothing to apply.

import type { Database } from '../database.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import { applyMissing, type Progress } from './apply-missing.ts'
import { type Comparison, splitMissing } from './compare.ts'
import { checkMismatches, compareWith, type MigrateOptions } from './compare-with.ts'
import { explainMismatch } from './explain-mismatch.ts'
import { findOwner, findStepName, readHistory } from './history.ts'
import type { LoadedMigrations, OwnedMigrations, OwnedStepNames } from './migrations.ts'
import { planMigration } from './plan.ts'
import { loadOwners } from './read-steps.ts'

export type { MigrateOptions } from './compare-with.ts'
export type { MigrationStep, Migrations, OwnedMigrations, OwnedStepNames } from './migrations.ts'

/**
 * Applies the missing steps: owner by owner in the given order, and the steps of each owner in the order of their names. Each step
 * has its own transaction. Returns the applied steps by owner. Steps of other owners in the database are left alone. A step that runs
 * no statement is not recorded. Throws an error if an owner is invalid or listed twice. Rejects with FailedMigration if a step throws
 * an error, or if it would lose rows of another table; and with UnusableDatabase if the database has applied a step that has changed
 * since then or that the program does not have, if a step creates a table that exists already, or if the database is not in UTF-8.
 * A step that fails changes nothing; the steps before it stay.
 *
 * @example await migrate(database, [throttleMigrations, { owner: 'books', steps: { '0001_books': createBooks } }])
 */
export async function migrate(
  database: Database,
  owners: readonly OwnedMigrations[],
  options: MigrateOptions = {},
): Promise<readonly OwnedStepNames[]> {
  const migration = { database, owners: await load(owners), options }
  await checkEncoding(database)
  const { comparison, history } = await compareWith(database, migration)
  if (options.mode !== 'development') checkMismatches(comparison, options)
  const isHalfDone = history.steps.some(({ unfinished }) => unfinished.length > 0)
  // Read before the session, which may have the only connection.
  const tables = new Set(await database.catalogue.names())
  const schemaOptions = { ...options, ...(options.progress && { report: options.progress }) }
  const progress: Progress = { applied: [], sentences: [], tables, isHalfDone }
  try {
    // Beginning a transaction proves that the database is writable. Another process may have to wait for it.
    if (!isHalfDone && hasNoWork(comparison, options)) await database.transaction(() => undefined, { unbounded: true })
    else await database.changeSchema(session => applyMissing(session, migration, progress), schemaOptions)
  } finally {
    const sentences = [...progress.sentences, ...describeApplied(groupSteps(progress.applied), comparison)]
    for (const sentence of sentences) options.report?.(sentence)
  }
  return groupSteps(progress.applied)
}

/** Groups steps named `owner/step` by owner. */
const groupSteps = (names: readonly string[]): readonly OwnedStepNames[] =>
  [...Map.groupBy(names, findOwner)].map(([owner, steps]) => ({ owner, steps: steps.map(findStepName) }))

/** The difference between the steps that a database has applied and those of the program. */
export interface MigrationDifference {
  /** Steps that the database has not applied. */
  readonly missing: readonly OwnedStepNames[]
  /** Applied steps that the program does not have: they were renamed or removed, or a newer version migrated the database. */
  readonly unknown: readonly OwnedStepNames[]
}

/**
 * Compares the names of the steps with those that the database has applied, and changes nothing. An owner without differences is
 * not listed, and neither is a step that runs no statement. Rejects with the database's error.
 */
export async function compareMigrations(
  database: Database,
  owners: readonly OwnedMigrations[],
): Promise<MigrationDifference> {
  const loaded = await load(owners)
  const plan = planMigration(await readHistory(database, loaded), loaded)
  const { missing } = await splitMissing(plan, { owners: loaded, dialect: database.dialect })
  return { missing, unknown: plan.unknown }
}

/** What `migrate` would do, and why it cannot. */
export interface MigrationReport extends Pick<Comparison, 'missing' | 'empty'> {
  /** Why the applied steps do not fit those of the program, with the way out. */
  readonly problems: readonly string[]
}

/** Compares the steps, also by what they do, and changes nothing. Rejects with the database's error. */
export async function inspectMigrations(
  database: Database,
  owners: readonly OwnedMigrations[],
): Promise<MigrationReport> {
  const { comparison } = await compareWith(database, { owners: await load(owners), options: {} })
  const { missing, empty, mismatches } = comparison
  return { missing, empty, problems: mismatches.map(mismatch => explainMismatch(mismatch)) }
}

async function load(owners: readonly OwnedMigrations[]): Promise<readonly LoadedMigrations[]> {
  checkOwners(owners)
  return loadOwners(owners)
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

const hasNoWork = (
  { missing, renamed, replaced, carriedOver, digests, mismatches }: Comparison,
  { accept = [] }: MigrateOptions,
): boolean =>
  missing.length === 0 &&
  mismatches.length === 0 &&
  accept.length === 0 &&
  [renamed, replaced, carriedOver, digests].every(({ size }) => size === 0)

const describeApplied = (applied: readonly OwnedStepNames[], { empty }: Comparison): readonly string[] => [
  ...applied.map(({ owner, steps }) => `Applied ${owner}: ${steps.join(', ')}.`),
  ...empty.flatMap(({ owner, steps }) =>
    steps.map(step => `The step "${step}" of "${owner}" runs no statement, so it is not recorded.`),
  ),
]
