// Finds rows that a data file refers to: by key, or by a unique column such as a username.

import { formatSingularTitle, type Key, type KeyValue, type SqlValue } from '#core'
import { DataError } from './data-error.ts'
import type { Loading } from './fixture.ts'

/** The columns of the table that a row refers to. */
export interface ReferencedTable {
  /** The name of the table's resource, or of the table: in the plural, for messages. */
  readonly name: string
  readonly table: string
  readonly key: Pick<Key, 'column'>
}

/** Returns the key of the row with this value; rejects with DataError if there is none. Caches keys that were found. */
export async function findKey(
  { connection, foundKeys }: Loading,
  { name, table, key }: ReferencedTable,
  { column, value }: { readonly column: string; readonly value: SqlValue },
  path: string,
): Promise<KeyValue> {
  const cacheKey = JSON.stringify([table, column, value])
  const found = foundKeys.get(cacheKey)
  if (found !== undefined) return found
  const query = connection.kysely.selectFrom(table).select(`${key.column} as key`).where(column, '=', value)
  const row = (await query.executeTakeFirst()) as { readonly key: KeyValue } | undefined
  if (row === undefined)
    throw new DataError(`${path}: there is no ${formatSingularTitle(name).toLowerCase()} ${JSON.stringify(value)}`)
  foundKeys.set(cacheKey, row.key)
  return row.key
}
