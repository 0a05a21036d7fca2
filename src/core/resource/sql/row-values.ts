// The values of new rows, in the order of the columns that a statement writes. Which field a column stores is known at start.

import type { SqlValue } from '../../database/database.ts'
import type { Values } from '../../fields/declared-fields.ts'
import { type Fields, hasInitial } from '../../fields/field.ts'
import { listStoredColumns, type StoredColumn } from '../../fields/storage.ts'
import type { Columns } from '../declare/hooks.ts'
import type { Resource } from '../declare/resource.ts'

/** The values of a new row. `given`: columns of the URL and of hooks, which replace those of fields. */
export type ListValues = (values: Values, given: Columns) => readonly SqlValue[]

export function createValueLister(
  { fields, key }: Pick<Resource, 'fields' | 'key'>,
  columns: readonly string[],
): ListValues {
  const sources = columns.map(column => ({ column, stored: listStored(fields, column) }))
  return (values, given) => {
    const made = key.create?.()
    // Bodies have thousands of rows, and an array that grows, or that map() makes, takes twice the memory.
    const row = new Array<SqlValue>(sources.length)
    for (let index = 0; index < sources.length; index++) {
      const { column, stored } = sources[index]!
      const value = given[column] === undefined ? findStored(stored, values) : given[column]
      row[index] = value === undefined ? (made?.[column] ?? null) : value
    }
    return row
  }
}

/** A field that a column stores, or a part of which it stores. */
interface StoredField {
  readonly name: string
  /** Undefined if the column holds the value of the field unchanged. */
  readonly store: StoredColumn['store'] | undefined
}

// If two fields store the column, the last one in the body counts. One without a value of its own for new objects comes before defaults.
const listStored = (fields: Fields, column: string): readonly StoredField[] =>
  Object.entries(fields)
    .flatMap(([name, field]) => listStoredColumns(name, field).map(stored => ({ ...stored, name })))
    .filter(stored => stored.column === column)
    .toReversed()
    .toSorted((left, right) => Number(hasInitial(left.field)) - Number(hasInitial(right.field)))
    .map(({ name, path, field, store }) => ({ name, store: path === name && !field.store ? undefined : store }))

function findStored(stored: readonly StoredField[], values: Values, index = 0): SqlValue | undefined {
  const found = stored[index]
  if (found === undefined) return undefined
  const value: unknown = (values as Readonly<Record<string, unknown>>)[found.name]
  if (value === undefined) return findStored(stored, values, index + 1)
  return found.store === undefined ? (value as SqlValue) : found.store(value)
}
