// In development, lets the newest steps be edited, renamed and removed: takes them back if no data is lost.

import { APIException } from '../../errors/exceptions.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import type { Mismatch } from './compare.ts'
import { explainMismatch } from './explain-mismatch.ts'
import { type AppliedStep, findOwner, findStepName, forgetStep, type History, renameSteps } from './history.ts'
import type { StepPlace } from './run-step.ts'
import { takeBack } from './take-back.ts'

/**
 * Gives renamed steps their new names in the history, and takes back the other steps, newest first. Returns a sentence for each.
 * Rejects with UnusableDatabase if a step cannot be taken back; the transaction then has to be rolled back.
 */
export async function settleMismatches(
  place: StepPlace,
  { steps }: History,
  mismatches: readonly Mismatch[],
): Promise<readonly string[]> {
  const sentences: string[] = []
  for (const { owner, step, kind, newName } of mismatches)
    if (kind === 'renamed') {
      await renameSteps(place.kysely, new Map([[`${owner}/${step}`, `${owner}/${newName}`]]))
      sentences.push(`Renamed ${owner}: ${step} to ${newName}.`)
    }
  const others = mismatches.filter(({ kind }) => kind !== 'renamed')
  for (const mismatch of others.toSorted((one, other) => compareAge(one.applied, other.applied))) {
    const later = steps.find(step => isLater(step, mismatch) && !others.some(other => other.applied.name === step.name))
    if (later !== undefined)
      throw new UnusableDatabase(explainMismatch(mismatch, `the step "${findStepName(later.name)}" ran after it`))
    await takeBackStep(place, mismatch)
    sentences.push(`Took back ${mismatch.owner}: ${mismatch.step}.`)
  }
  return sentences
}

async function takeBackStep({ kysely, runStep, dialect }: StepPlace, mismatch: Mismatch): Promise<void> {
  const { name, creations } = mismatch.applied
  try {
    await runStep(() => takeBack({ kysely, dialect }, creations))
  } catch (error) {
    if (error instanceof APIException) throw error
    throw new UnusableDatabase(explainMismatch(mismatch, (error as Error).message), { cause: error })
  }
  await forgetStep(kysely, name)
}

// Newest first; the steps of one run are in the order of their names.
const compareAge = (one: AppliedStep, other: AppliedStep): number =>
  compareTexts(other.applied, one.applied) || compareTexts(other.name, one.name)

const compareTexts = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

const isLater = (step: AppliedStep, { owner, applied }: Mismatch): boolean =>
  findOwner(step.name) === owner && compareAge(step, applied) < 0
