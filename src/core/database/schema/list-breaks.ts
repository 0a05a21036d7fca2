// Which changes a program from before them does not survive: the new tables cannot run beside it.

import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import { isSame } from './same-state.ts'
import type { SchemaState } from './schema-state.ts'

/** What fails in a program from before the changes, as parts of a sentence; `before` is the state before them. */
export function listBreaks(before: SchemaState, changes: readonly Change[]): readonly string[] {
  let state = before
  return changes.flatMap(change => {
    const found = findBreak(state, change, before)
    state = applyChanges(state, [change])
    return found === undefined ? [] : [found]
  })
}

function findBreak(state: SchemaState, change: Change, before: SchemaState): string | undefined {
  if ('dropTable' in change) return `uses the table ${change.dropTable}`
  if ('renameTable' in change) return `uses the table ${change.renameTable}`
  if ('dropView' in change) return undefined
  // It does not know a table that is new.
  if (!('table' in change) || !Object.hasOwn(before.tables, change.table)) return undefined
  const { table } = change
  if ('dropColumn' in change) return `uses ${table}.${change.dropColumn}`
  if ('renameColumn' in change) return `uses ${table}.${change.renameColumn}`
  if ('addColumn' in change) {
    const isFilled = change.nullable === true || change.default !== undefined || change.generated !== undefined
    return isFilled ? undefined : `does not write ${table}.${change.addColumn}`
  }
  if (!('alterColumn' in change)) return undefined
  const column = state.tables[table]!.columns[change.alterColumn]!
  if (!isSame(change.type, column.type)) return `writes ${table}.${change.alterColumn} as another type`
  return column.nullable === true && change.nullable === undefined
    ? `may write null to ${table}.${change.alterColumn}`
    : undefined
}
