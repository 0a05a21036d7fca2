// The changes that were found so far, with the state after them: each further change is found by comparing that state.

import { quote } from '../catalogue.ts'
import { applyChanges } from './apply-changes.ts'
import type { Change } from './change.ts'
import type { ColumnState, SchemaState, SqlText, TableState } from './schema-state.ts'

export interface Draft {
  readonly changes: readonly Change[]
  readonly state: SchemaState
  /** Adds changes at the end. Throws an Error if one of them does not fit the state. */
  add(...changes: readonly Change[]): void
}

export function createDraft(from: SchemaState): Draft {
  const changes: Change[] = []
  let state = from
  return {
    changes,
    get state() {
      return state
    },
    add(...added) {
      state = applyChanges(state, added)
      changes.push(...added)
    },
  }
}

/** Drops a column, after the indexes, checks and generated columns that use it. */
export function dropColumn(draft: Draft, table: string, column: string): void {
  const { indexes, checks, columns } = draft.state.tables[table]!
  for (const [name, index] of Object.entries(indexes))
    if (index.columns.some(each => each.replace(/^-/, '') === column) || mentions(index.where, column))
      draft.add({ table, dropIndex: name })
  for (const [name, check] of Object.entries(checks)) if (mentions(check, column)) draft.add({ table, dropCheck: name })
  for (const [name, { generated }] of Object.entries(columns))
    if (name !== column && mentions(generated, column)) dropColumn(draft, table, name)
  draft.add({ table, dropColumn: column })
}

/** Drops tables, after the references to them. */
export function dropTables(draft: Draft, tables: readonly string[]): void {
  let left = tables
  while (left.length > 0) {
    const [table = left[0]!] = left.filter(each =>
      listReferrers(draft.state, each).every(([other]) => !left.includes(other)),
    )
    for (const [referrer, column] of listReferrers(draft.state, table)) {
      const { references, ...definition } = draft.state.tables[referrer]!.columns[column]!
      draft.add({ table: referrer, alterColumn: column, ...definition })
    }
    draft.add({ dropTable: table })
    left = left.filter(each => each !== table)
  }
}

/** The columns of other tables that refer to a table. */
export const listReferrers = (
  state: SchemaState,
  target: string,
): readonly (readonly [table: string, column: string])[] =>
  Object.entries(state.tables).flatMap(([table, { columns }]) =>
    table === target ? [] : listReferences(columns, target).map(column => [table, column] as const),
  )

const listReferences = (columns: TableState['columns'], target: string): readonly string[] =>
  Object.keys(columns).filter(name => (columns[name] as ColumnState).references?.table === target)

/** Whether SQL has the name as a word of its own. */
export function mentions(sql: SqlText | undefined, name: string): boolean {
  if (sql === undefined) return false
  const texts = typeof sql === 'string' ? [sql] : [sql.sqlite, sql.postgres]
  const word = new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`, 'u')
  return texts.some(text => text.includes(quote(name)) || word.test(text))
}
