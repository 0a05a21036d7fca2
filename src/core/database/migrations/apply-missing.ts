// Applies the missing steps, each in its own transaction, and then does the work that cannot be done in one.

import type { Connection, RunStep, SchemaSession } from '../database.ts'
import type { LaterWork } from '../editors/schema-editor.ts'
import { findStep } from './compare.ts'
import { checkMismatches, compareWith, isAccepted, listAccepted, type Migration } from './compare-with.ts'
import { ExistingTable, explainExistingTable } from './existing-table.ts'
import { FailedMigration } from './failed-migration.ts'
import {
  carryOver,
  createHistory,
  findOwner,
  findStepName,
  readHistory,
  recordDigests,
  recordUnfinished,
  renameSteps,
  replaceSteps,
} from './history.ts'
import { orderSteps } from './plan.ts'
import { refuseExistingTables } from './refuse-existing-tables.ts'
import { isOutage, runAndRecord } from './run-step.ts'
import { settleMismatches } from './settle.ts'

/** The state of a migration. `applyMissing` adds to the lists what it has done, also if it fails. */
export interface Progress {
  /** As `owner/step`, in the order in which they ran. */
  readonly applied: string[]
  readonly sentences: string[]
  /** The tables before the first step. */
  readonly tables: ReadonlySet<string>
  /** Whether the process of an earlier step was stopped before the work that follows its commit. */
  readonly isHalfDone: boolean
}

/** Applies the missing steps. Rejects with the first error; the transactions before it stay. */
export async function applyMissing(session: SchemaSession, migration: Migration, progress: Progress): Promise<void> {
  if (progress.isHalfDone) await finishEarlier(session, migration)
  for (let isFirst = true; ; isFirst = false) {
    const turn: Turn = { migration, isFirst, progress, running: undefined }
    const outcome = await explainFailure(turn, () =>
      session.transaction((connection, runStep) => takeTurn(connection, runStep, turn)),
    )
    progress.sentences.push(...outcome.sentences)
    if (outcome.step === undefined) return
    progress.applied.push(outcome.step)
    await finish(session, migration, outcome.step, outcome.unfinished)
    if (!outcome.hasMore) return
  }
}

interface Turn {
  readonly migration: Migration
  /** Whether the history has to be prepared. */
  readonly isFirst: boolean
  readonly progress: Progress
  /** The step that runs, as `owner/step`. */
  running: string | undefined
}

interface TurnOutcome {
  /** The step that ran. */
  readonly step?: string
  readonly unfinished: readonly LaterWork[]
  readonly hasMore: boolean
  readonly sentences: readonly string[]
}

async function takeTurn({ kysely }: Connection, runStep: RunStep, turn: Turn): Promise<TurnOutcome> {
  const { migration, isFirst, progress } = turn
  const { dialect } = migration.database
  const sentences = isFirst ? await prepare({ kysely }, runStep, migration) : []
  // Another process may have migrated the database before this one got the lock.
  const options = isFirst ? migration.options : { ...migration.options, accept: [] }
  const { comparison } = await compareWith({ kysely, dialect }, { ...migration, options })
  checkMismatches(comparison, options)
  await recordDigests(kysely, new Map([...comparison.digests, ...listAccepted(comparison)]))
  const missing = orderSteps(comparison, migration.owners)
  if (isFirst) await refuseExistingTables({ kysely, dialect }, migration, { missing, applied: comparison.applied })
  const [next] = missing
  if (next === undefined) return { unfinished: [], hasMore: false, sentences }
  const name = `${next.owner}/${next.step}`
  turn.running = name
  const step = findStep(next.owner, next.step, migration.owners)
  try {
    const unfinished = await runAndRecord({ kysely, runStep, dialect, progress: options.progress }, name, step)
    return { step: name, unfinished, hasMore: missing.length > 1, sentences }
  } catch (error) {
    const table = error instanceof Error ? dialect.findExistingTable(error) : undefined
    if (table === undefined || isOutage(error)) throw error
    const currentOwners = new Set([...progress.applied.map(findOwner), next.owner])
    const earlier = [...comparison.applied.keys()].filter(applied => !progress.applied.includes(applied))
    throw new ExistingTable({ ...next, table, earlierOwners: new Set(earlier.map(findOwner)), currentOwners }, error)
  }
}

/** Brings the history up to date; in development, also takes changed steps back. */
async function prepare(
  { kysely }: Pick<Connection, 'kysely'>,
  runStep: RunStep,
  migration: Migration,
): Promise<readonly string[]> {
  const { database, options } = migration
  const { dialect } = database
  await createHistory({ kysely, dialect })
  const { comparison: earlier } = await compareWith({ kysely, dialect }, migration)
  await renameSteps(kysely, earlier.renamed)
  await replaceSteps(kysely, earlier.replaced)
  await carryOver(kysely, earlier.carriedOver)
  if (options.mode !== 'development') return []
  const { history, comparison } = await compareWith({ kysely, dialect }, migration)
  const unaccepted = comparison.mismatches.filter(mismatch => !isAccepted(mismatch, options))
  return settleMismatches({ kysely, runStep, dialect }, history, unaccepted)
}

async function explainFailure<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ExistingTable) throw explainExistingTable(error, turn.progress.tables.has(error.table))
    const { running } = turn
    if (running === undefined || isOutage(error)) throw error
    throw createFailure(running, error)
  }
}

const createFailure = (name: string, cause: unknown): FailedMigration =>
  new FailedMigration(findOwner(name), findStepName(name), cause)

/** Goes on with the work of steps whose process was stopped after their commit. */
async function finishEarlier(session: SchemaSession, migration: Migration): Promise<void> {
  const { owners, database } = migration
  const { steps } = await session.transaction(({ kysely }) =>
    readHistory({ kysely, dialect: database.dialect }, owners),
  )
  for (const { name, unfinished } of steps)
    if (owners.some(({ owner }) => owner === findOwner(name))) await finish(session, migration, name, unfinished)
}

async function finish(
  session: SchemaSession,
  { database: { dialect } }: Migration,
  name: string,
  unfinished: readonly LaterWork[],
): Promise<void> {
  for (const [index, work] of unfinished.entries()) {
    try {
      await dialect.schema.finish(session, work)
    } catch (error) {
      throw isOutage(error) ? error : createFailure(name, error)
    }
    await session.transaction(({ kysely }) => recordUnfinished(kysely, name, unfinished.slice(index + 1)))
  }
}
