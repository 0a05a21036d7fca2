// Where the rows of a table are read: from the table itself, or, if it extends another one, from both tables at once. Each row of the
// extending table then has the columns of its parent's row too, and its key.

import { sql } from 'kysely'
import type { Sql } from './dialect.ts'

export interface RowSource {
  readonly table: string
  /** Set if the table extends another one. */
  readonly parentRows?: ParentRows
}

/** The rows that those of a table extend. */
export interface ParentRows extends RowSource {
  /** The column of the extending table with the key of the parent's row. It is the primary key. */
  readonly link: string
  readonly key: string
  /** The columns of the parent's rows, with the key. */
  readonly columns: readonly string[]
  /** The columns of the extending table, with the link. */
  readonly ownColumns: readonly string[]
}

/** The table of the source, after each of those that it extends. */
export const listSources = (source: RowSource): readonly RowSource[] =>
  source.parentRows === undefined ? [source] : [...listSources(source.parentRows), source]

/** The item of a FROM that has the rows. `alias`: how SQL refers to them; default: by the name of the table. */
export function rowsOf({ table, parentRows: parent }: RowSource, alias?: string): Sql {
  if (parent === undefined) return alias === undefined ? sql.table(table) : sql`${sql.table(table)} as ${sql.id(alias)}`
  const columns = [
    ...parent.columns.map(column => sql.ref(`${parent.table}.${column}`)),
    ...parent.ownColumns.map(column => sql.ref(`${table}.${column}`)),
  ]
  const isSame = sql`${sql.ref(`${parent.table}.${parent.key}`)} = ${sql.ref(`${table}.${parent.link}`)}`
  // Both databases merge the inner query into the outer one, so conditions and orders use the indexes of both tables.
  return sql`(select ${sql.join(columns)} from ${rowsOf(parent)} inner join ${sql.table(table)} on ${isSame}) as ${sql.id(alias ?? table)}`
}

/** The column of the table itself that contains the key of a row. */
export const findStoredKey = ({ parentRows }: RowSource, key: string): string => parentRows?.link ?? key

/** The table that stores all of these columns; the last one, if there is none. */
export const findStoringTable = ({ table, parentRows: parent }: RowSource, columns: readonly string[]): string =>
  parent !== undefined && columns.every(column => parent.columns.includes(column))
    ? findStoringTable(parent, columns)
    : table
