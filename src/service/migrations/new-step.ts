// Writes the file of a step.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatStep, type StepText } from './format-step.ts'
import { type DeclaredOwner, findStepFolder } from './owners.ts'

/** A file that was written. */
export interface NewStep {
  readonly path: string
  /** What the step does. */
  readonly lines: readonly string[]
}

/** Writes a file that does not exist yet. Throws CommandError if the owner has no folder of steps. */
export function writeStep(owner: DeclaredOwner, name: string, step: StepText): string {
  const folder = findStepFolder(owner)
  const path = join(folder, `${name}.ts`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, formatStep(step), { flag: 'wx' })
  return path
}
