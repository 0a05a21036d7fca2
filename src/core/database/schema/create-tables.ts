// Creates the tables that are missing: each after the tables to which it refers.

import type { ColumnSpecification, CreateTable } from './change.ts'
import type { Draft } from './draft.ts'
import { isSame } from './same-state.ts'
import type { ColumnState, SchemaState, TableState } from './schema-state.ts'

/** In a circle of new tables, a column gets its reference once both tables exist. */
export function createTables(draft: Draft, to: SchemaState): void {
  let missing = Object.keys(to.tables).filter(name => !Object.hasOwn(draft.state.tables, name))
  const incomplete: (readonly [table: string, column: string])[] = []
  while (missing.length > 0) {
    const isLater = (name: string, { references }: ColumnState) =>
      references !== undefined && references.table !== name && missing.includes(references.table)
    const isPossible = (name: string) => !Object.values(to.tables[name]!.columns).some(column => isLater(name, column))
    const name = missing.find(isPossible) ?? missing[0]!
    const table = to.tables[name]!
    const withheld = Object.keys(table.columns).filter(column => isLater(name, table.columns[column]!))
    draft.add(formatCreateTable(name, table, withheld))
    incomplete.push(...withheld.map(column => [name, column] as const))
    missing = missing.filter(each => each !== name)
  }
  for (const [table, column] of incomplete)
    draft.add({ table, alterColumn: column, ...to.tables[table]!.columns[column]! })
}

/** The change that creates a table, without what need not be said. The columns in `withheld` get no reference. */
export function formatCreateTable(
  createTable: string,
  table: TableState,
  withheld: readonly string[] = [],
): CreateTable {
  const { columns, key, indexes, checks } = table
  const names = Object.keys(columns)
  const usualKey = [names.find(name => columns[name]!.type === 'key') ?? 'id']
  return {
    createTable,
    columns: Object.fromEntries(names.map(name => [name, formatColumn(columns[name]!, withheld.includes(name))])),
    ...(!isSame(key, usualKey) && { key }),
    ...(Object.keys(indexes).length > 0 && { indexes }),
    ...(Object.keys(checks).length > 0 && { checks }),
  }
}

function formatColumn({ references, ...column }: ColumnState, isWithheld: boolean): ColumnSpecification {
  const complete = references === undefined || isWithheld ? column : { ...column, references }
  return Object.keys(complete).length === 1 ? complete.type : complete
}
