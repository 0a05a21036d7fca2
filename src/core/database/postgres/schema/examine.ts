// Examines rows before the first statement of a step blocks their table.

import type { Kysely } from 'kysely'
import { refuseDuplicates, refuseViolations } from '../../editors/rows.ts'
import type { Change } from '../../schema/change.ts'
import type { IndexState } from '../../schema/schema-state.ts'
import { findSource } from './editing.ts'
import { definitions } from './postgres-definitions.ts'

/** The changes whose rows have been examined. Rejects if rows do not fit one of them. */
export async function examineRows(kysely: Kysely<unknown>, changes: readonly Change[]): Promise<ReadonlySet<Change>> {
  const examined = new Set<Change>()
  for (const [index, change] of changes.entries())
    if (isIndependent(change, changes.slice(0, index))) {
      await examine(kysely, change)
      examined.add(change)
    }
  return examined
}

type Examined = Extract<Change, { readonly addIndex: string }> | Extract<Change, { readonly addCheck: string }>

const isExamined = (change: Change): change is Examined => 'addIndex' in change || 'addCheck' in change

export async function examine(kysely: Kysely<unknown>, change: Change): Promise<void> {
  if (!isExamined(change)) return
  const { table } = change
  if ('addIndex' in change) return refuseUnfit(kysely, table, change.addIndex, change)
  await refuseViolations(await findSource(kysely, table), change.addCheck, definitions.pick(change.sql))
}

/** Rejects if rows have the same values, and the index is unique. */
export async function refuseUnfit(
  kysely: Kysely<unknown>,
  table: string,
  name: string,
  index: IndexState,
): Promise<void> {
  if (index.unique) await refuseDuplicates(await findSource(kysely, table), name, index, definitions)
}

/** Whether no earlier change of the step makes the table or a column that the change needs. */
function isIndependent(change: Change, earlier: readonly Change[]): boolean {
  if (!isExamined(change)) return false
  const text = withoutQuotes(describe(change))
  return earlier.every(each => {
    if ('createTable' in each) return each.createTable !== change.table
    if ('renameTable' in each) return each.to !== change.table
    const column = findColumn(each)
    return (
      column === undefined || !('table' in each) || each.table !== change.table || !text.includes(withoutQuotes(column))
    )
  })
}

// A quotation mark in a name is doubled in SQL.
const withoutQuotes = (text: string): string => text.toLowerCase().replaceAll('"', '')

const describe = (change: Examined): string =>
  'addIndex' in change
    ? [...change.columns, change.where === undefined ? '' : definitions.pick(change.where)].join(' ')
    : definitions.pick(change.sql)

function findColumn(change: Change): string | undefined {
  if ('addColumn' in change) return change.addColumn
  if ('alterColumn' in change) return change.alterColumn
  return 'renameColumn' in change ? change.to : undefined
}
