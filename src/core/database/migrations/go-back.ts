// Takes applied steps back, each in its own transaction: the way back follows from their changes.

import type { Kysely } from 'kysely'
import type { Database, SchemaSession } from '../database.ts'
import { type Loss, reverseChanges } from '../schema/reverse-changes.ts'
import type { DefaultValue } from '../schema/schema-state.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import { checkMismatches, compareWith } from './compare-with.ts'
import type { DeclaredStep } from './declared-step.ts'
import { FailedMigration } from './failed-migration.ts'
import { forgetStep, readHistory } from './history.ts'
import type { LoadedMigrations, OwnedMigrations } from './migrations.ts'
import { loadOwners } from './read-steps.ts'
import { replayUntil } from './replay-steps.ts'
import { describeContent } from './take-back.ts'

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
  const [loaded] = await loadOwners([owner])
  const names = await listLater(database, loaded!, target)
  const steps = names.map(name => findReversible(loaded!, name))
  await database.changeSchema(
    async session => {
      for (const [index, step] of steps.entries()) {
        await takeBackStep(session, { database, owner: loaded!, name: names[index]!, step, options })
        options.report?.(`Took back ${loaded!.owner}: ${names[index]}.`)
      }
    },
    { report: options.report },
  )
  return names
}

async function listLater(
  database: Database,
  owner: LoadedMigrations,
  target: string | undefined,
): Promise<readonly string[]> {
  const { comparison } = await compareWith(database, { owners: [owner], options: {} })
  checkMismatches(comparison, {})
  if (target !== undefined && !comparison.applied.has(`${owner.owner}/${target}`))
    throw new NoWayBack(`the database has not applied the step "${target}" of "${owner.owner}"`)
  const { steps } = await readHistory(database, [owner])
  const half = steps.find(({ name, unfinished }) => name.startsWith(`${owner.owner}/`) && unfinished.length > 0)
  if (half !== undefined) throw new NoWayBack(`${half.name} is half done: run "resource-api migrate" first`)
  return Object.keys(owner.steps)
    .filter(name => comparison.applied.has(`${owner.owner}/${name}`) && (target === undefined || name > target))
    .toSorted()
    .toReversed()
}

function findReversible({ owner, steps }: LoadedMigrations, name: string): DeclaredStep {
  const step = steps[name]!
  if (typeof step === 'object' && (step.run === undefined || step.back !== undefined)) return step
  throw new NoWayBack(
    `the step "${name}" of "${owner}" runs code, and has no way back: give it "back", or write a step that undoes it`,
  )
}

interface StepToTakeBack {
  readonly database: Database
  readonly owner: LoadedMigrations
  readonly name: string
  readonly step: DeclaredStep
  readonly options: BackOptions
}

async function takeBackStep(session: SchemaSession, back: StepToTakeBack): Promise<void> {
  const { owner, name, step, options } = back
  const { dialect } = back.database
  const { changes, losses } = reverseChanges(replayUntil(owner.steps, name), step.change ?? [], options.fills)
  try {
    await session.transaction(async ({ kysely }, runStep) => {
      if (!options.losesData) await checkLosses(kysely, losses, back)
      await runStep(async () => {
        await step.back?.(kysely, dialect.columns, dialect)
        await dialect.schema.run(kysely, changes, { alone: true })
      })
      await forgetStep(kysely, `${owner.owner}/${name}`)
    })
  } catch (error) {
    if (error instanceof NoWayBack || error instanceof UnusableDatabase) throw error
    throw new FailedMigration(owner.owner, name, error)
  }
}

async function checkLosses(
  kysely: Kysely<unknown>,
  losses: readonly Loss[],
  { database: { dialect }, owner, name }: StepToTakeBack,
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
