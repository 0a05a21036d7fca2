// The way back of a step: the changes that undo its changes, and the data that they lose.

import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { formatCreateTable } from './create-tables.ts'
import type { DefaultValue, SchemaState } from './schema-state.ts'

export interface ReversedChanges {
  readonly changes: readonly Change[]
  /** The tables and columns that the step created, by their names after the step. Their contents are lost. */
  readonly losses: readonly Loss[]
}

/** A table, or a column whose values are lost if they are not this one. */
export interface Loss {
  readonly table: string
  readonly column?: string
  readonly value?: DefaultValue | undefined
}

type Fills = ReadonlyMap<string, DefaultValue | null>

/**
 * Reverses the changes of a step; `before` is the state before it. A dropped column comes back without its values: `fills` has
 * those of columns that may not be null.
 */
export function reverseChanges(
  before: SchemaState,
  changes: readonly Change[],
  fills: Fills = new Map(),
): ReversedChanges {
  const reversed: Change[] = []
  let losses: readonly Loss[] = []
  let state = before
  for (const change of changes) {
    reversed.unshift(reverseChange(change, state, fills)!)
    losses = followLosses(change, losses)
    state = applyChanges(state, [change])
  }
  return { changes: reversed, losses }
}

/** `state` is the state before the change. Without it, the result is undefined if the change does not say what was there before. */
export function reverseChange(change: Change, state?: SchemaState, fills: Fills = new Map()): Change | undefined {
  if ('createTable' in change) return { dropTable: change.createTable }
  if ('renameTable' in change) return { renameTable: change.to, to: change.renameTable }
  if ('createView' in change) return { dropView: change.createView }
  if ('addColumn' in change) return { table: change.table, dropColumn: change.addColumn }
  if ('renameColumn' in change) return { table: change.table, renameColumn: change.to, to: change.renameColumn }
  if ('addIndex' in change) return { table: change.table, dropIndex: change.addIndex }
  if ('renameIndex' in change) return { table: change.table, renameIndex: change.to, to: change.renameIndex }
  if ('addCheck' in change) return { table: change.table, dropCheck: change.addCheck }
  if (state === undefined) return undefined
  if ('dropTable' in change) return formatCreateTable(change.dropTable, state.tables[change.dropTable]!)
  if ('dropView' in change) return { createView: change.dropView, sql: state.views[change.dropView]! }
  const { table } = change
  const { columns, indexes, checks } = state.tables[table]!
  const findFill = (column: string) => {
    const fill = fills.get(`${table}.${column}`) ?? null
    return fill === null ? {} : { fill }
  }
  if ('dropColumn' in change) {
    const { dropColumn: addColumn } = change
    return { table, addColumn, ...columns[addColumn]!, ...findFill(addColumn) }
  }
  if ('alterColumn' in change) {
    const { alterColumn } = change
    return { table, alterColumn, ...columns[alterColumn]!, ...findFill(alterColumn) }
  }
  if ('dropIndex' in change) return { table, addIndex: change.dropIndex, ...indexes[change.dropIndex]! }
  return { table, addCheck: change.dropCheck, sql: checks[change.dropCheck]! }
}

/** The losses by their names after a further change of the step. */
function followLosses(change: Change, losses: readonly Loss[]): readonly Loss[] {
  if ('createTable' in change) return [...losses, { table: change.createTable }]
  if ('addColumn' in change) {
    const { table, addColumn: column, default: initial, fill: value = initial, generated } = change
    const isLost = generated !== undefined || losses.some(loss => loss.table === table && loss.column === undefined)
    return isLost ? losses : [...losses, { table, column, value }]
  }
  if ('renameTable' in change)
    return losses.map(loss => (loss.table === change.renameTable ? { ...loss, table: change.to } : loss))
  if ('renameColumn' in change)
    return losses.map(loss =>
      isLossOf(loss, change.table, change.renameColumn) ? { ...loss, column: change.to } : loss,
    )
  if ('dropTable' in change) return losses.filter(({ table }) => table !== change.dropTable)
  return 'dropColumn' in change ? losses.filter(loss => !isLossOf(loss, change.table, change.dropColumn)) : losses
}

const isLossOf = (loss: Loss, table: string, column: string): boolean => loss.table === table && loss.column === column
