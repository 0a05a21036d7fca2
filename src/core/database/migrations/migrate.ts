// Applies missing migration steps. One transaction applies all of them, so if two processes start at the same time, the
// second one waits and then has nothing to apply.

import { APIException } from '../../errors/exceptions.ts'
import type { Connection, Database, RunStep } from '../database.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import { type Comparison, compareSteps, type Mismatch, splitMissing } from './compare.ts'
import { watchCreations } from './creations.ts'
import { ExistingTable, explainExistingTable } from './existing-table.ts'
import { explainMismatch } from './explain-mismatch.ts'
import { FailedMigration } from './failed-migration.ts'
import {
  carryOver,
  createHistory,
  findOwner,
  type History,
  readHistory,
  recordDigests,
  recordStep,
  renameSteps,
} from './history.ts'
import type { OwnedMigrations, OwnedStepNames } from './migrations.ts'
import { planMigration } from './plan.ts'
import { settleMismatches } from './settle.ts'
import { outlineStep } from './step-outline.ts'

export type { MigrationStep, Migrations, OwnedMigrations, OwnedStepNames } from './migrations.ts'

export interface MigrateOptions {
  /**
   * `development`: a step that was renamed keeps its record. The newest step is taken back if it has changed or is gone, and then
   * runs again, unless data would be lost. `production`: if no step is missing, applied steps are compared by name only, and
   * none of their code runs. Default: an applied step that has changed, or is gone, is an error.
   */
  readonly mode?: 'development' | 'production' | undefined
  /** Applied steps, as `owner/step`, that have changed and still do the same: what they are now is recorded. */
  readonly accept?: readonly string[]
  /** Called after the commit with a sentence for each owner whose steps were applied, and for other events. */
  readonly report?: (sentence: string) => void
}

/**
 * Applies the missing steps: owner by owner in the given order, and the steps of each owner in the order of their names.
 * Returns the applied steps by owner. Steps of other owners in the database are left alone. A step that runs no statement is not
 * recorded. Throws an error if an owner is invalid or listed twice. Rejects with FailedMigration if a step throws an error, or if it
 * would lose rows of another table; and with UnusableDatabase if the database has applied a step that has changed since then or that
 * the program does not have, if a step creates a table that exists already, or if the database is not in UTF-8. After an error,
 * nothing has changed.
 *
 * @example await migrate(database, [throttleMigrations, { owner: 'books', steps: { '0001_books': createBooks } }])
 */
export async function migrate(
  database: Database,
  owners: readonly OwnedMigrations[],
  options: MigrateOptions = {},
): Promise<readonly OwnedStepNames[]> {
  checkOwners(owners)
  await checkEncoding(database)
  const { comparison } = await compareWith(database, owners, options)
  if (options.mode !== 'development') checkMismatches(comparison, options)
  const { applied, sentences } = await apply({ database, owners, options }, comparison)
  for (const sentence of sentences) options.report?.(sentence)
  return applied
}

interface Outcome {
  readonly applied: readonly OwnedStepNames[]
  readonly sentences: readonly string[]
}

async function apply(migration: Migration, comparison: Comparison): Promise<Outcome> {
  const { database, options } = migration
  const unchanged: Outcome = { applied: [], sentences: describeApplied([], comparison) }
  try {
    // Beginning the transaction proves that the database is writable. A step can take long, and another process may have to wait for it.
    return hasNoWork(comparison, options)
      ? await database.transaction(() => unchanged, { unbounded: true })
      : await database.changeSchema((connection, runStep) => applyMissing(connection, runStep, migration))
  } catch (error) {
    throw error instanceof ExistingTable ? await explainExistingTable(error, database) : error
  }
}

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
  checkOwners(owners)
  const plan = planMigration(await readHistory(database, owners), owners)
  const { missing } = await splitMissing(plan, { owners, dialect: database.dialect })
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
  checkOwners(owners)
  const { comparison } = await compareWith(database, owners, {})
  const { missing, empty, mismatches } = comparison
  return { missing, empty, problems: mismatches.map(mismatch => explainMismatch(mismatch)) }
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

interface Migration {
  readonly database: Database
  readonly owners: readonly OwnedMigrations[]
  readonly options: MigrateOptions
}

async function compareWith(
  database: Pick<Database, 'kysely' | 'dialect'>,
  owners: readonly OwnedMigrations[],
  { mode, accept = [] }: MigrateOptions,
): Promise<{ readonly history: History; readonly comparison: Comparison }> {
  const history = await readHistory(database, owners)
  const comparesContents = mode !== 'production' || accept.length > 0
  const { dialect } = database
  return {
    history,
    comparison: await compareSteps(planMigration(history, owners), { owners, dialect, comparesContents }),
  }
}

const isAccepted = ({ owner, step, kind }: Mismatch, { accept = [] }: MigrateOptions): boolean =>
  kind === 'changed' && accept.includes(`${owner}/${step}`)

function checkMismatches({ mismatches }: Comparison, options: MigrateOptions): void {
  const accepted = mismatches.filter(mismatch => isAccepted(mismatch, options))
  const names = accepted.map(({ owner, step }) => `${owner}/${step}`)
  const unfounded = (options.accept ?? []).find(name => !names.includes(name))
  if (unfounded !== undefined)
    throw new Error(`accept: "${unfounded}" is not a step that has changed since the database applied it`)
  const problem = mismatches.find(mismatch => !accepted.includes(mismatch))
  if (problem !== undefined) throw new UnusableDatabase(explainMismatch(problem))
}

const hasNoWork = (
  { missing, renamed, carriedOver, digests, mismatches }: Comparison,
  { accept = [] }: MigrateOptions,
): boolean =>
  missing.length === 0 &&
  mismatches.length === 0 &&
  accept.length === 0 &&
  [renamed, carriedOver, digests].every(({ size }) => size === 0)

async function applyMissing({ kysely }: Connection, runStep: RunStep, migration: Migration): Promise<Outcome> {
  const { database, owners, options } = migration
  const { dialect } = database
  await dialect.lock('migrate')?.execute(kysely)
  await createHistory({ kysely, dialect })
  // Another process may have migrated the database before this one got the lock.
  const read = () => compareWith({ kysely, dialect }, owners, options)
  const { comparison: earlier } = await read()
  await renameSteps(kysely, earlier.renamed)
  await carryOver(kysely, earlier.carriedOver)
  let { history, comparison } = await read()
  const sentences: string[] = []
  if (options.mode === 'development') {
    const unaccepted = comparison.mismatches.filter(mismatch => !isAccepted(mismatch, options))
    sentences.push(...(await settleMismatches(kysely, runStep, history, unaccepted)))
    if (sentences.length > 0) ({ comparison } = await read())
  }
  checkMismatches(comparison, options)
  await recordDigests(kysely, new Map([...comparison.digests, ...listAccepted(comparison)]))
  await runSteps({ kysely }, runStep, migration, comparison)
  return { applied: comparison.missing, sentences: [...sentences, ...describeApplied(comparison.missing, comparison)] }
}

// After the check, all remaining mismatches are accepted.
const listAccepted = ({ mismatches }: Comparison): readonly (readonly [name: string, digest: string])[] =>
  mismatches.map(({ owner, step, digest }) => [`${owner}/${step}`, digest!] as const)

const describeApplied = (applied: readonly OwnedStepNames[], { empty }: Comparison): readonly string[] => [
  ...applied.map(({ owner, steps }) => `Applied ${owner}: ${steps.join(', ')}.`),
  ...empty.flatMap(({ owner, steps }) =>
    steps.map(step => `The step "${step}" of "${owner}" runs no statement, so it is not recorded.`),
  ),
]

async function runSteps(
  { kysely }: Pick<Connection, 'kysely'>,
  runStep: RunStep,
  { database: { dialect }, owners }: Migration,
  { missing, applied }: Comparison,
): Promise<void> {
  const earlierOwners = new Set([...applied.keys()].map(findOwner))
  const currentOwners = new Set<string>()
  const migrations = new Map(owners.map(({ owner, steps }) => [owner, steps]))
  for (const { owner, steps } of missing) {
    currentOwners.add(owner)
    for (const name of steps) {
      const step = migrations.get(owner)![name]!
      const watched = watchCreations(kysely)
      try {
        await runStep(() => step(watched.kysely, dialect.columns, dialect))
      } catch (error) {
        // An outage of the database is not the fault of the step.
        if (error instanceof APIException) throw error
        const table = error instanceof Error ? dialect.findExistingTable(error) : undefined
        throw table === undefined
          ? new FailedMigration(owner, name, error)
          : new ExistingTable({ owner, step: name, table, earlierOwners, currentOwners }, error)
      }
      const { digest } = await outlineStep(step, dialect)
      await recordStep(kysely, { name: `${owner}/${name}`, digest, creations: watched.list() })
    }
  }
}
