// Replays the steps of an owner: the state of its tables follows from what the steps declare, without a database.

import { applyChanges } from '../schema/apply-changes.ts'
import type { Change } from '../schema/change.ts'
import { emptyState, type SchemaState } from '../schema/schema-state.ts'
import type { MigrationStep, Migrations } from './migrations.ts'

/** The state after the steps, in the order of their names. Throws an Error that names the step that does not fit those before it. */
export const replaySteps = (steps: Migrations): SchemaState => replayUntil(steps, undefined)

/** The state before a step, which need not exist any longer; undefined: after all steps. */
export function replayUntil(steps: Migrations, end: string | undefined): SchemaState {
  const names = Object.keys(steps).toSorted()
  let state = emptyState
  for (const name of names) {
    if (end !== undefined && name >= end) return state
    checkParents(name, names, steps)
    try {
      state = applyChanges(state, listChanges(steps[name]!))
    } catch (error) {
      throw new Error(`the step "${name}": ${(error as Error).message}`, { cause: error })
    }
  }
  return state
}

/** The changes of the tables that a step declares: those of `change`, then those of `state`. */
export const listChanges = (step: MigrationStep): readonly Change[] =>
  typeof step === 'function' ? [] : [...(step.change ?? []), ...(step.state ?? [])]

/** The steps on which a step builds: by what it says, or else the one before it. */
export function listParents(name: string, steps: Migrations): readonly string[] {
  const step = steps[name]!
  if (typeof step === 'object' && step.after !== undefined)
    return step.after.map(parent => findReplacement(parent, steps))
  return Object.keys(steps)
    .toSorted()
    .filter(other => other < name)
    .slice(-1)
}

/** The current name of a step that was renamed or replaced. */
export const findReplacement = (name: string, steps: Migrations): string =>
  Object.keys(steps).find(other => {
    const step = steps[other]!
    return step.formerNames?.includes(name) || (typeof step === 'object' && step.replaces?.includes(name))
  }) ?? name

/** The steps on which no other one builds, in order. Two of them are two branches that have to be merged. */
export function findEnds(steps: Migrations): readonly string[] {
  const names = Object.keys(steps).toSorted()
  const parents = new Set(names.flatMap(name => listParents(name, steps)))
  return names.filter(name => !parents.has(name))
}

/** The steps, as `owner/step`, with which other owners make the tables to which these changes refer. */
export function listUsedSteps(
  changes: readonly Change[],
  others: readonly { readonly owner: string; readonly steps: Migrations }[],
): readonly string[] {
  const targets = new Set(changes.flatMap(listTargets))
  const used = others.flatMap(({ owner, steps }) =>
    [...targets].flatMap(table => {
      const makes = (change: Change) =>
        'createTable' in change ? change.createTable === table : 'renameTable' in change && change.to === table
      const maker = Object.keys(steps)
        .toSorted()
        .findLast(name => listChanges(steps[name]!).some(makes))
      return maker === undefined ? [] : [`${owner}/${maker}`]
    }),
  )
  return [...new Set(used)].toSorted()
}

function listTargets(change: Change): readonly string[] {
  const columns = 'createTable' in change ? Object.values(change.columns) : [change]
  return columns.flatMap(column =>
    typeof column === 'object' && 'references' in column && column.references ? [column.references.table] : [],
  )
}

function checkParents(name: string, names: readonly string[], steps: Migrations): void {
  for (const parent of listParents(name, steps)) {
    if (!names.includes(parent))
      throw new Error(`the step "${name}": "after" names the step "${parent}", which does not exist`)
    if (parent >= name)
      throw new Error(
        `the step "${name}": "after" names the step "${parent}", which comes later: steps run in the order of their names`,
      )
  }
}
