// The columns of a field's table in SQL.

import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import type { Field, FieldLocation } from './field.ts'
import { findStoredField } from './storage.ts'

/** A reference to a column of the location's table, or the value that the location has instead. */
export const columnReference = ({ table, value }: FieldLocation, column: string): Sql =>
  value ?? sql.ref(`${table}.${column}`)

/**
 * The SQL of a column's value. If a field stores its value in the column, this is the field's output, which is the same
 * on every database; for a relation, it is the key, and for a file, what the column stores.
 */
export function createColumnValue(location: FieldLocation, column: string): Sql {
  const found = findStoredField(location.fields, column)
  if (found === undefined) return columnReference(location, column)
  const [name, { relation, file, show, showStored = show }] = found
  if (file !== undefined) return location.dialect.json(columnReference(location, column))
  return relation === undefined ? showStored({ ...location, name }) : columnReference(location, column)
}

/** The SQL of the value of a stored field, in the form of `createColumnValue`; a list in rows has all of its items. */
export function createStoredValue(
  location: FieldLocation,
  { parts, storedRows, childStorage, columns, show, showStored = show }: Field,
): Sql {
  if (parts !== undefined) return showStored(location)
  if (storedRows === undefined) return createColumnValue(location, childStorage?.column ?? columns(location.name)[0]!)
  const { table, own, other } = storedRows
  const value = sql.ref(`${table}.${other}`)
  const isOwn = sql`${sql.ref(`${table}.${own}`)} = ${columnReference(location, location.key.column)}`
  return location.dialect.array(sql`select ${value} as value from ${sql.table(table)} where ${isOwn} order by 1`)
}
