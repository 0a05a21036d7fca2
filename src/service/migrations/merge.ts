// The command `migrations merge`: joins two branches of steps, if each changes other tables.

import {
  applyChanges,
  type Change,
  emptyState,
  findEnds,
  isSameState,
  listChanges,
  listParents,
  nameStep,
  type SchemaState,
} from '#core'
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
  const inBranches = new Set(branches.flat())
  const shared = Object.keys(steps)
    .toSorted()
    .filter(name => !inBranches.has(name))
  const list = (names: readonly string[]) => names.flatMap(name => listChanges(steps[name]!))
  const conflict = findConflict(applyChanges(emptyState, list(shared)), branches.map(list))
  if (conflict === undefined) return
  const listed = branches.map(names => names.join(', ')).join(' and ')
  throw new CommandError(
    `${owner}: ${listed} ${conflict}: delete the steps of one branch, and write them again with "resource-api migrations make"`,
  )
}

/** Why the changes of branches cannot be joined, as a part of a sentence; undefined if each order of them makes the same tables. */
export const findConflict = (before: SchemaState, branches: readonly (readonly Change[])[]): string | undefined =>
  findCommonName(
    branches.map(changes => changes.flatMap(listTables)),
    'change',
  ) ??
  findOrderConflict(before, branches) ??
  findReferenceConflict(branches) ??
  findCommonName(
    branches.map(changes => changes.flatMap(listIndexes)),
    'use the index',
  )

function findCommonName(names: readonly (readonly string[])[], verb: string): string | undefined {
  const sets = names.map(each => new Set(each))
  const common = sets.flatMap((own, index) => sets.slice(index + 1).flatMap(others => [...own.intersection(others)]))
  return common.length === 0 ? undefined : `both ${verb} ${[...new Set(common)].join(', ')}`
}

/** The tables and views that a change names. */
function listTables(change: Change): readonly string[] {
  if ('createTable' in change) return [change.createTable]
  if ('renameTable' in change) return [change.renameTable, change.to]
  if ('dropTable' in change) return [change.dropTable]
  if ('createView' in change) return [change.createView]
  return 'dropView' in change ? [change.dropView] : [change.table]
}

// A branch may refer to a table only for a while, so the tables that it leaves do not show it.
function findReferenceConflict(branches: readonly (readonly Change[])[]): string | undefined {
  const targets = branches.map(changes => new Set(changes.flatMap(listTargets)))
  const gone = branches.flatMap((changes, index) =>
    changes.flatMap(listGone).filter(table => targets.some((names, other) => other !== index && names.has(table))),
  )
  return gone.length === 0
    ? undefined
    : `do not fit each other: one refers to ${gone[0]}, which another one drops or renames`
}

/** The tables to which the columns of a change refer. */
function listTargets(change: Change): readonly string[] {
  if ('createTable' in change)
    return Object.values(change.columns).flatMap(column =>
      typeof column === 'object' && 'references' in column && column.references !== undefined
        ? [column.references.table]
        : [],
    )
  const isColumn = 'addColumn' in change || 'alterColumn' in change
  return isColumn && change.references !== undefined ? [change.references.table] : []
}

function listGone(change: Change): readonly string[] {
  if ('renameTable' in change) return [change.renameTable]
  return 'dropTable' in change ? [change.dropTable] : []
}

// All indexes of a database have different names.
function listIndexes(change: Change): readonly string[] {
  if ('createTable' in change) return Object.keys(change.indexes ?? {})
  if ('addIndex' in change) return [change.addIndex]
  if ('renameIndex' in change) return [change.renameIndex, change.to]
  return 'dropIndex' in change ? [change.dropIndex] : []
}

// One branch may refer to a table that the other one drops or renames.
function findOrderConflict(before: SchemaState, branches: readonly (readonly Change[])[]): string | undefined {
  try {
    const isSame = isSameState(
      applyChanges(before, branches.flat()),
      applyChanges(before, branches.toReversed().flat()),
    )
    return isSame ? undefined : 'do not make the same tables in both orders'
  } catch (error) {
    return `do not fit each other (${(error as Error).message})`
  }
}
