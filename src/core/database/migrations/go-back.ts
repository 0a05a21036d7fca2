// Takes applied steps back, each in its own transaction: the way back follows from their changes.

import type { Kysely } from 'kysely'
import type { Database, SchemaSession } from '../database.ts'
import type { Change } from '../schema/change.ts'
import { type Loss, reverseChanges } from '../schema/reverse-changes.ts'
import type { DefaultValue } from '../schema/schema-state.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import type { Mismatch } from './compare.ts'
import { compareWith } from './compare-with.ts'
import type { Creation } from './creations.ts'
import type { DeclaredStep } from './declared-step.ts'
import { explainMismatch } from './explain-mismatch.ts'
import { FailedMigration } from './failed-migration.ts'
import { type AppliedStep, findOwner, findStepName, forgetStep } from './history.ts'
import type { LoadedMigrations, OwnedMigrations } from './migrations.ts'
import { loadOwner } from './read-steps.ts'
import { replayUntil } from './replay-steps.ts'
import { isOutage } from './run-step.ts'
import { describeContent, takeBack } from './take-back.ts'

export interface BackOptions {
  /** True: rows of tables, and values of columns, that a step created may be lost. Default: false. */
  readonly losesData?: boolean
  /** The values of columns that come back, and may not be null: `articles.body`. */
  readonly fills?: ReadonlyMap<string, DefaultValue | null>
  /** Called with a sentence after each step. */
  readonly report?: (sentence: string) => void
}

/** A step has no way back, or data would be lost. The message says which. */
export class NoWayBack extends Error {
  override name = 'NoWayBack'
}

/**
 * Takes back the applied steps of an owner that come after `target`, newest first; undefined: all. Returns their names. Rejects with
 * NoWayBack before the first one if a step has no way back, and before the step that would lose data.
 */
export async function goBack(
  database: Database,
  owner: OwnedMigrations,
  target: string | undefined,
  options: BackOptions = {},
): Promise<readonly string[]> {
  const loaded = await loadOwner(owner)
  const steps = await listLater(database, loaded, target)
  await database.changeSchema(
    async session => {
      for (const step of steps) {
        await takeBackStep(session, { database, owner: loaded, step, options })
        options.report?.(`Took back ${loaded.owner}: ${step.name}.`)
      }
    },
    { report: options.report },
  )
  return steps.map(({ name }) => name)
}

/** An applied step, and what takes it back. */
interface ReversibleStep extends Pick<DeclaredStep, 'back'> {
  readonly name: string
  readonly change: readonly Change[]
  /** The tables, columns, indexes and views that the function created; absent if the step has its changes as data. */
  readonly creations?: readonly Creation[]
}

async function listLater(
  database: Database,
  owner: LoadedMigrations,
  target: string | undefined,
): Promise<readonly ReversibleStep[]> {
  const { comparison } = await compareWith(database, { owners: [owner], options: {} })
  const records = [...comparison.applied.values()].filter(({ name }) => findOwner(name) === owner.owner)
  const toStep = ({ name }: AppliedStep) => findStepName(name)
  // A step that runs nothing is not recorded.
  const isMissing = comparison.missing.some(({ steps }) => steps.some(step => step === target))
  const isKnown = target !== undefined && Object.hasOwn(owner.steps, target) && !isMissing
  if (target !== undefined && !isKnown && !records.some(record => toStep(record) === target))
    throw new NoWayBack(`the database has not applied the step "${target}" of "${owner.owner}"`)
  const isLater = (step: string) => target === undefined || step > target
  const half = records.find(({ unfinished }) => unfinished.length > 0)
  if (half !== undefined) throw new NoWayBack(`${half.name} is half done: run "resource-api migrate" first`)
  const earlier = comparison.mismatches.find(({ step }) => !isLater(step))
  if (earlier !== undefined) throw new UnusableDatabase(explainMismatch(earlier))
  return records
    .filter(record => isLater(toStep(record)))
    .toSorted((one, other) => (one.name < other.name ? 1 : -1))
    .map(record => {
      const mismatch = comparison.mismatches.find(({ step }) => step === toStep(record))
      return findReversible(owner, toStep(record), record, mismatch)
    })
}

// The database has recorded what ran; the step may have changed since then.
function findReversible(
  { owner, steps }: LoadedMigrations,
  name: string,
  { creations }: AppliedStep,
  mismatch: Mismatch | undefined,
): ReversibleStep {
  if (creations !== null)
    return 'changes' in creations ? { name, change: creations.changes } : { name, change: [], creations }
  if (mismatch !== undefined) throw new UnusableDatabase(explainMismatch(mismatch))
  const step = steps[name]!
  if (typeof step === 'object' && step.run === undefined) return { name, change: step.change ?? [] }
  if (typeof step === 'object' && step.back !== undefined) return { name, change: step.change ?? [], back: step.back }
  throw new NoWayBack(
    `the step "${name}" of "${owner}" runs code, and has no way back: give it "back", or write a step that undoes it`,
  )
}

interface StepToTakeBack {
  readonly database: Database
  readonly owner: LoadedMigrations
  readonly step: ReversibleStep
  readonly options: BackOptions
}

async function takeBackStep(session: SchemaSession, toTakeBack: StepToTakeBack): Promise<void> {
  const { database, owner, step, options } = toTakeBack
  const { dialect } = database
  const { name, change, back, creations } = step
  const { changes, losses } = reverseChanges(replayUntil(owner.steps, name), change, options.fills)
  try {
    await session.transaction(async ({ kysely }, runStep) => {
      if (!options.losesData) await checkLosses(kysely, losses, toTakeBack)
      await runStep(async () => {
        await back?.(kysely, dialect.columns, dialect)
        await dialect.schema.run(kysely, changes, { alone: true })
        if (creations !== undefined) await takeBack({ kysely, dialect }, creations)
      })
      await forgetStep(kysely, `${owner.owner}/${name}`)
    })
  } catch (error) {
    if (error instanceof NoWayBack || isOutage(error)) throw error
    throw new FailedMigration(owner.owner, name, error)
  }
}

async function checkLosses(
  kysely: Kysely<unknown>,
  losses: readonly Loss[],
  { database: { dialect }, owner, step: { name } }: StepToTakeBack,
): Promise<void> {
  const contents: string[] = []
  for (const { table, column, value } of losses) {
    const defaultValue = value === undefined ? 'null' : dialect.schema.formatDefault(value)
    const created = { kind: column === undefined ? 'table' : 'column', table: [table], defaultValue } as const
    const content = await describeContent(kysely, { ...created, ...(column !== undefined && { name: column }) })
    if (content !== undefined) contents.push(content)
  }
  if (contents.length > 0)
    throw new NoWayBack(
      `taking back the step "${name}" of "${owner.owner}" loses data: ${contents.join('; ')}. Copy it, or lose it with --lose-data`,
    )
}
