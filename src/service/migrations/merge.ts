// The command `migrations merge`: joins two branches of steps, if each changes other tables.

import { applyChanges, type Change, emptyState, findEnds, isSameState, listChanges, listParents, nameStep } from '#core'
import { CommandError } from '../processes/error-messages.ts'
import { type NewStep, writeStep } from './new-step.ts'
import type { DeclaredOwner } from './owners.ts'

/** Writes a step after both ends of each owner that has two. Throws CommandError if both branches change a table. */
export function mergeBranches(owners: readonly DeclaredOwner[]): readonly NewStep[] {
  const branched = owners.filter(({ steps }) => findEnds(steps).length > 1)
  for (const owner of branched) checkApart(owner, listBranches(owner))
  return branched.map(owner => {
    const after = findEnds(owner.steps)
    const path = writeStep(owner, nameStep(Object.keys(owner.steps), [], 'merge'), { after })
    return { path, lines: [`after ${after.join(' and ')}`] }
  })
}

function listBranches({ steps }: DeclaredOwner): readonly (readonly string[])[] {
  const ends = findEnds(steps)
  return ends.map(end => {
    const others = new Set(ends.filter(other => other !== end).flatMap(other => listAncestors(steps, other)))
    return listAncestors(steps, end).filter(name => !others.has(name))
  })
}

const listAncestors = (steps: DeclaredOwner['steps'], name: string): readonly string[] => [
  ...new Set([...listParents(name, steps).flatMap(parent => listAncestors(steps, parent)), name]),
]

function checkApart({ owner, steps }: DeclaredOwner, branches: readonly (readonly string[])[]): void {
  const changes = branches.map(names => names.flatMap(name => listChanges(steps[name]!)))
  const conflict = findCommonTables(changes) ?? findOrderConflict(steps, branches)
  if (conflict === undefined) return
  const listed = branches.map(names => names.join(', ')).join(' and ')
  throw new CommandError(
    `${owner}: ${listed} ${conflict}: delete the steps of one branch, and write them again with "resource-api migrations make"`,
  )
}

function findCommonTables(branches: readonly (readonly Change[])[]): string | undefined {
  const tables = branches.map(changes => new Set(changes.flatMap(listTables)))
  const common = tables.flatMap((names, index) =>
    tables.slice(index + 1).flatMap(others => [...names.intersection(others)]),
  )
  return common.length === 0 ? undefined : `both change ${[...new Set(common)].join(', ')}`
}

/** The tables and views that a change names. */
function listTables(change: Change): readonly string[] {
  if ('createTable' in change) return [change.createTable]
  if ('renameTable' in change) return [change.renameTable, change.to]
  if ('dropTable' in change) return [change.dropTable]
  if ('createView' in change) return [change.createView]
  return 'dropView' in change ? [change.dropView] : [change.table]
}

// One branch may refer to a table that the other one drops or renames.
function findOrderConflict(
  steps: DeclaredOwner['steps'],
  branches: readonly (readonly string[])[],
): string | undefined {
  const inBranches = new Set(branches.flat())
  const shared = Object.keys(steps)
    .toSorted()
    .filter(name => !inBranches.has(name))
  const replay = (names: readonly string[]) =>
    applyChanges(
      emptyState,
      [...shared, ...names].flatMap(name => listChanges(steps[name]!)),
    )
  try {
    const isSame = isSameState(replay(branches.flat()), replay(branches.toReversed().flat()))
    return isSame ? undefined : 'do not make the same tables in both orders'
  } catch (error) {
    return `do not fit each other (${(error as Error).message})`
  }
}
