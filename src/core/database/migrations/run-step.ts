// Runs one step in its transaction, and records it.

import { APIException } from '../../errors/exceptions.ts'
import type { Database, RunStep } from '../database.ts'
import type { LaterWork } from '../editors/schema-editor.ts'
import { watchCreations } from './creations.ts'
import { recordStep, type TakeBackPlan } from './history.ts'
import type { MigrationStep } from './migrations.ts'
import { outlineStep } from './step-outline.ts'

/** The transaction in which a step runs. */
export interface StepPlace extends Pick<Database, 'kysely' | 'dialect'> {
  readonly runStep: RunStep
}

/** Runs and records a step named `owner/step`; returns the work that has to follow the commit. */
export async function runAndRecord(place: StepPlace, name: string, step: MigrationStep): Promise<readonly LaterWork[]> {
  const { kysely, runStep, dialect } = place
  const { creations, unfinished } = await runStep(() => run(place, step))
  const { digest } = await outlineStep(step, dialect)
  await recordStep(kysely, { name, digest, creations, unfinished })
  return unfinished
}

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
