// The command `migrations squash`: one step instead of many, for new databases.

import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { emptyState, findChanges, type MigrationStep } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { listProblems } from './check-steps.ts'
import { type NewStep, writeStep } from './new-step.ts'
import { type DeclaredOwner, findStepFolder } from './owners.ts'

/**
 * Writes a step that makes the declared tables, and removes the files of all others, except those with `keep`. Throws CommandError if
 * the steps do not make the declared tables, or if there are fewer than two.
 */
export function squashSteps(owner: DeclaredOwner): NewStep {
  const { owner: ownerName, steps, state } = owner
  if (state === undefined) throw new CommandError(`${ownerName}: there are no declared tables`)
  const [problem] = listProblems(owner)
  if (problem !== undefined) throw new CommandError(problem)
  const folder = findStepFolder(owner)
  const names = Object.keys(steps).toSorted()
  const replaced = names.filter(name => !isKept(owner, name))
  if (replaced.length < 2) throw new CommandError(`${ownerName}: there are no two steps to squash`)
  const [first, last] = [replaced[0]!, replaced.at(-1)!]
  const name = `${first.slice(0, 4)}_to_${last.slice(0, 4)}`
  if (names[0]! < name && isKept(owner, names[0]!))
    throw new CommandError(`${ownerName}: ${names[0]} has "keep" and runs before there are tables: remove "keep"`)
  // No database records a step that runs nothing.
  const [replaces, formerNames] = [true, false].map(isRun => replaced.filter(each => runs(steps[each]!) === isRun))
  const { changes: change } = findChanges(emptyState, state)
  const path = writeStep(owner, name, { replaces: replaces!, formerNames: formerNames!, change })
  const removed = readdirSync(folder).filter(file => replaced.includes(file.replace(/\.[cm]?[jt]s$/, '')))
  for (const file of removed) rmSync(join(folder, file))
  return {
    path,
    lines: [`instead of ${removed.join(', ')}`, 'A database that has applied all of them does not run it.'],
  }
}

const runs = (step: MigrationStep): boolean =>
  typeof step === 'function' || step.run !== undefined || (step.change ?? []).length > 0

function isKept({ owner, steps }: DeclaredOwner, name: string): boolean {
  const step = steps[name]!
  if (typeof step === 'function' || step.keep !== true) return false
  if (step.change === undefined && step.state === undefined) return true
  throw new CommandError(`${owner}: ${name} has "keep" and changes tables: move its "run" to a step of its own`)
}
