// Runs one step in its transaction, and records it.

import { sql } from 'kysely'
import { APIException } from '../../errors/exceptions.ts'
import type { Database, RunStep } from '../database.ts'
import type { LaterWork } from '../editors/schema-editor.ts'
import type { Change } from '../schema/change.ts'
import { watchCreations } from './creations.ts'
import { findOwner, findStepName, hasTable, recordStep, type TakeBackPlan } from './history.ts'
import type { MigrationStep } from './migrations.ts'
import { outlineStep } from './step-outline.ts'

/** The transaction in which a step runs. */
export interface StepPlace extends Pick<Database, 'kysely' | 'dialect'> {
  readonly runStep: RunStep
  /** Called with a sentence before work that takes long. */
  readonly progress?: ((sentence: string) => void) | undefined
}

/** Runs and records a step named `owner/step`; returns the work that has to follow the commit. */
export async function runAndRecord(place: StepPlace, name: string, step: MigrationStep): Promise<readonly LaterWork[]> {
  const { kysely, runStep, dialect } = place
  await announceLongWork(place, name, step)
  const { creations, unfinished } = await runStep(() => run(place, step))
  const { digest } = await outlineStep(step, dialect)
  await recordStep(kysely, { name, digest, creations, unfinished })
  return unfinished
}

/** Changes of a table with fewer rows take less than a second. */
const manyRows = 100_000

async function announceLongWork({ kysely, dialect, progress }: StepPlace, name: string, step: MigrationStep) {
  if (progress === undefined || typeof step === 'function') return
  const tables = new Set((step.change ?? []).filter(readsRows).map(change => change.table))
  for (const table of tables) {
    if (!(await hasTable({ kysely, dialect }, table))) continue
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from (select 1 from ${sql.table(table)} limit ${sql.lit(manyRows)}) as found`.execute(
      kysely,
    )
    if (Number(rows[0]!.count) === manyRows)
      progress(
        `The table "${table}" has ${manyRows.toLocaleString('en')} rows or more, so the step "${findStepName(name)}" of "${findOwner(name)}" may take long.`,
      )
  }
}

const readsRows = (change: Change): change is Extract<Change, { readonly table: string }> =>
  'alterColumn' in change ||
  'addIndex' in change ||
  'addCheck' in change ||
  ('addColumn' in change && (change.fill ?? change.generated ?? change.references) !== undefined)

interface StepResult {
  readonly creations: TakeBackPlan
  readonly unfinished: readonly LaterWork[]
}

async function run({ kysely, dialect }: StepPlace, step: MigrationStep): Promise<StepResult> {
  if (typeof step === 'function') {
    const watched = watchCreations(kysely)
    await step(watched.kysely, dialect.columns, dialect)
    return { creations: watched.list(), unfinished: [] }
  }
  const { change = [], run: runStatements } = step
  const unfinished = await dialect.schema.run(kysely, change)
  await runStatements?.(kysely, dialect.columns, dialect)
  return { creations: runStatements === undefined ? { changes: change } : null, unfinished }
}

/** An outage of the database is not the fault of the step. */
export const isOutage = (error: unknown): boolean => error instanceof APIException && error.status >= 500
