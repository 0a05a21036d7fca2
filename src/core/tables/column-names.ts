// The columns that the declared names of a table stand for.

import { listStoredColumns } from '../fields/storage.ts'
import type { ColumnFill } from './column.ts'
import { isKeyField, isTableColumn, type Table } from './table.ts'

/** The column that a declared name stands for. Throws an Error if there is none, or if there are several. */
export function toColumn({ name: table, columns }: Pick<Table, 'name' | 'columns'>, name: string): string {
  const column = columns[name]
  if (column === undefined) throw new Error(`table "${table}": there is no column "${name}"`)
  if (isTableColumn(column)) return column.column.replace('*', name)
  if (isKeyField(column)) return name
  const [stored, ...others] = listStoredColumns(name, column)
  if (stored !== undefined && others.length === 0) return stored.column
  throw new Error(`table "${table}": "${name}" is stored in several columns: name one of them`)
}

/** The names of the columns, and the declared name of each. */
export const listColumnNames = (table: Table): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(table.columns).flatMap(([name, column]) =>
      isTableColumn(column) || isKeyField(column)
        ? [[toColumn(table, name), name] as const]
        : listStoredColumns(name, column).map(stored => [stored.column, name] as const),
    ),
  )

/** The declared name of the column that the framework fills in this way; undefined if there is none. */
export const findFilledName = ({ columns }: Pick<Table, 'columns'>, fill: ColumnFill): string | undefined =>
  Object.keys(columns).find(name => {
    const column = columns[name]!
    return isTableColumn(column) && column.fill === fill
  })
