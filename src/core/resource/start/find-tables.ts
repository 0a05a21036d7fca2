// The tables of the catalogue that declarations use. A table that extends another one also has the columns of that one, as its rows do.

import type { Table } from '../../database/catalogue.ts'
import type { Database } from '../../database/database.ts'
import { listSources, type RowSource } from '../../database/row-source.ts'

/** Finds the tables with these names. `sources`: where rows are read. */
export async function findTables(
  { catalogue }: Database,
  names: ReadonlySet<string>,
  sources: readonly RowSource[],
): Promise<Map<string, Table>> {
  const extending = sources.filter(source => source.parentRows !== undefined)
  const found = await catalogue.tables([
    ...new Set([...names, ...extending.flatMap(listSources).map(({ table }) => table)]),
  ])
  const tables = new Map([...found].filter(([name]) => names.has(name)))
  for (const source of extending) {
    const merged = merge(source, found)
    if (merged !== undefined) tables.set(source.table, merged)
  }
  return tables
}

function merge({ table, parentRows }: RowSource, tables: ReadonlyMap<string, Table>): Table | undefined {
  const own = tables.get(table)
  const parent = parentRows && merge(parentRows, tables)
  if (parent === undefined || own === undefined) return parentRows === undefined ? own : undefined
  const { parts = [parent] } = parent
  return {
    ...own,
    columns: [...parent.columns, ...own.columns],
    primaryKey: parent.primaryKey,
    rowId: undefined,
    constraints: [...parent.constraints, ...own.constraints],
    parts: [...parts, own],
    column: name => own.column(name) ?? parent.column(name),
  }
}
