// The way back of a step: the changes that undo its changes, and the data that they lose.

import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { formatCreateTable } from './create-tables.ts'
import type { DefaultValue, SchemaState } from './schema-state.ts'

export interface ReversedChanges {
  readonly changes: readonly Change[]
  /** What the step created, by its names after the step: tables, and columns as `table.column`. What they contain is lost. */
  readonly losses: readonly string[]
}

/**
 * Reverses the changes of a step; `before` is the state before it. A dropped column comes back without its values: `fills` has
 * those of columns that may not be null.
 */
export function reverseChanges(
  before: SchemaState,
  changes: readonly Change[],
  fills: ReadonlyMap<string, DefaultValue | null> = new Map(),
): ReversedChanges {
  const reversed: Change[] = []
  let losses: readonly string[] = []
  let state = before
  for (const change of changes) {
    reversed.unshift(reverseChange(state, change, fills))
    losses = followNames(change, losses)
    state = applyChanges(state, [change])
  }
  return { changes: reversed, losses }
}

function reverseChange(state: SchemaState, change: Change, fills: ReadonlyMap<string, DefaultValue | null>): Change {
  if ('createTable' in change) return { dropTable: change.createTable }
  if ('dropTable' in change) return formatCreateTable(change.dropTable, state.tables[change.dropTable]!)
  if ('renameTable' in change) return { renameTable: change.to, to: change.renameTable }
  if ('createView' in change) return { dropView: change.createView }
  if ('dropView' in change) return { createView: change.dropView, sql: state.views[change.dropView]! }
  const { table } = change
  const { columns, indexes, checks } = state.tables[table]!
  const findFill = (column: string) => {
    const fill = fills.get(`${table}.${column}`) ?? null
    return fill === null ? {} : { fill }
  }
  if ('addColumn' in change) return { table, dropColumn: change.addColumn }
  if ('dropColumn' in change) {
    const { dropColumn: addColumn } = change
    return { table, addColumn, ...columns[addColumn]!, ...findFill(addColumn) }
  }
  if ('alterColumn' in change) {
    const { alterColumn } = change
    return { table, alterColumn, ...columns[alterColumn]!, ...findFill(alterColumn) }
  }
  if ('renameColumn' in change) return { table, renameColumn: change.to, to: change.renameColumn }
  if ('addIndex' in change) return { table, dropIndex: change.addIndex }
  if ('renameIndex' in change) return { table, renameIndex: change.to, to: change.renameIndex }
  if ('dropIndex' in change) return { table, addIndex: change.dropIndex, ...indexes[change.dropIndex]! }
  if ('addCheck' in change) return { table, dropCheck: change.addCheck }
  return { table, addCheck: change.dropCheck, sql: checks[change.dropCheck]! }
}

/** The losses by their names after a further change of the step. */
function followNames(change: Change, losses: readonly string[]): readonly string[] {
  if ('createTable' in change) return [...losses, change.createTable]
  if ('addColumn' in change)
    return change.generated === undefined && !losses.includes(change.table)
      ? [...losses, `${change.table}.${change.addColumn}`]
      : losses
  if ('renameTable' in change) {
    const { renameTable: name, to } = change
    return losses.map(loss => (loss === name || loss.startsWith(`${name}.`) ? `${to}${loss.slice(name.length)}` : loss))
  }
  if ('renameColumn' in change) {
    const { table, renameColumn: name, to } = change
    return losses.map(loss => (loss === `${table}.${name}` ? `${table}.${to}` : loss))
  }
  if ('dropTable' in change) return losses.filter(loss => loss !== change.dropTable)
  return 'dropColumn' in change ? losses.filter(loss => loss !== `${change.table}.${change.dropColumn}`) : losses
}
