// The columns that the declared names of a table stand for.

import type { RowSource } from '../database/row-source.ts'
import { listStoredColumns } from '../fields/storage.ts'
import type { Key } from '../keys/key.ts'
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

const rowSources = new WeakMap<Table, RowSource>()

/** Where the rows of a table are read. Throws an Error if the two tables of a row have a column of the same name. */
export function findRowSource(table: Table): RowSource {
  const source = rowSources.get(table) ?? createRowSource(table)
  rowSources.set(table, source)
  return source
}

function createRowSource(table: Table): RowSource {
  const { name, parent, ownColumns } = table
  if (parent === undefined) return { table: name }
  const own = [...listColumnNames({ ...table, columns: ownColumns }).keys()]
  const columns = [...listColumnNames(parent.table).keys()]
  const same = own.find(column => columns.includes(column))
  if (same !== undefined)
    throw new Error(`table "${name}": the table "${parent.table.name}", which it extends, has the column "${same}" too`)
  const key = parent.table.key as Key
  const stored = [key.column, ...(key.publicIdentifier === undefined ? [] : [key.publicIdentifier.column])]
  return {
    table: name,
    parentRows: {
      ...findRowSource(parent.table),
      link: toColumn(table, parent.link),
      key: key.column,
      columns: [...new Set([...stored, ...columns])],
      ownColumns: own,
    },
  }
}

/** The sets of columns whose combined values are unique, by their declared names. */
export const listUniqueNames = (table: Table | undefined): readonly (readonly string[])[] =>
  table === undefined ? [] : [...(table.options.unique ?? []), ...listUniqueNames(table.parent?.table)]

/** The declared name of the column that the framework fills in this way; undefined if there is none. */
export const findFilledName = ({ columns }: Pick<Table, 'columns'>, fill: ColumnFill): string | undefined =>
  Object.keys(columns).find(name => {
    const column = columns[name]!
    return isTableColumn(column) && column.fill === fill
  })
