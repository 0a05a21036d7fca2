// Writes the state of a table as a database describes it once it exists; each database has its own columns.

import type { ColumnState, ReferenceState, TableState } from '../schema/schema-state.ts'
import type { Definitions } from './definitions.ts'

/** `normalizeColumn` gets a column, and whether it is the whole primary key. */
export const normalizeTable = (
  { columns, key, indexes, checks }: TableState,
  { pick }: Definitions,
  normalizeColumn: (column: ColumnState, isKey: boolean) => ColumnState,
): TableState => ({
  columns: mapValues(columns, (column, name) => normalizeColumn(column, key.length === 1 && key[0] === name)),
  key,
  indexes: mapValues(indexes, ({ columns: parts, unique, where }) => ({
    columns: parts,
    ...(unique && { unique }),
    ...(where !== undefined && { where: pick(where) }),
  })),
  checks: mapValues(checks, pick),
})

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Readonly<Record<string, Result>> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))

export const normalizeReference = ({ table, column = 'id', onDelete }: ReferenceState): ReferenceState => ({
  table,
  ...(column !== 'id' && { column }),
  ...(onDelete !== undefined && { onDelete }),
})
