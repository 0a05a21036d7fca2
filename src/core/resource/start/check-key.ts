// Compares the key of a resource with its column in the database.

import type { ColumnKind, Table } from '../../database/catalogue.ts'
import type { Key } from '../../keys/key.ts'
import { findUnknownLabel } from '../sql/check-column.ts'

/** Describes the mistake in a key, and its correction; undefined if there is none. */
export function findKeyProblem(key: Key, table: Table): string | undefined {
  const { column, type: keyType, choices } = key
  const { type, kind, labels } = table.column(column)!
  const { primaryKey } = table
  if (primaryKey.length > 1 && primaryKey.includes(column))
    return `the primary key of table "${table.name}" has ${primaryKey.length} columns (${primaryKey.join(', ')}), and a resource needs one: add a unique column, such as "id", and name it in "key"`
  if (table.isView && type === '') return undefined
  const where = `column "${column}" of table "${table.name}" ${type === '' ? 'has no type' : `is of type ${type.toLowerCase()}`}`
  if (!fits[keyType].includes(kind))
    return `${where}: ${advice[kind] ?? 'use a column with integers, UUIDs or texts as the key'}`
  if (kind !== 'enum') return undefined
  const listed = JSON.stringify(labels)
  if (choices === undefined)
    return `${where}: list its values, as in textKey({ column: "${column}", choices: ${listed} })`
  const unknown = findUnknownLabel(choices, labels)
  return unknown && `${where}, which has no value ${unknown}: write choices: ${listed}`
}

const fits: Readonly<Record<Key['type'], readonly ColumnKind[]>> = {
  integer: ['integer'],
  uuid: ['uuid', 'text'],
  string: ['text', 'enum'],
}

const advice: Readonly<Partial<Record<ColumnKind, string>>> = {
  integer: 'declare the key as integerKey()',
  uuid: 'declare the key as uuidKey()',
  text: 'declare the key as textKey(), or as uuidKey() if it holds UUIDs',
  enum: 'declare the key as textKey() with "choices"',
}
