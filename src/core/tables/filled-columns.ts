// The columns of declared tables that fill themselves: the owner, and the times of the writes.

import { NotAuthenticated, PermissionDenied } from '../errors/exceptions.ts'
import type { Identity } from '../http/identity.ts'
import type { KeyValue } from '../keys/key.ts'
import { frameworkMessages } from '../messages/english.ts'
import type { ColumnFill } from './column.ts'
import { isTableColumn, type Table } from './table.ts'
import { toColumn } from './table-state.ts'

/** A column that the writes of a resource fill. */
export interface FilledColumn {
  readonly column: string
  readonly fill: ColumnFill
  /** Whether the column may be null. */
  readonly nullable: boolean
}

/** The columns of a table that fill themselves. */
export const listFilledColumns = (table: Table): readonly FilledColumn[] =>
  Object.entries(table.columns).flatMap(([name, column]) =>
    isTableColumn(column) && column.fill !== undefined
      ? [{ column: toColumn(table, name), fill: column.fill, nullable: column.nullable }]
      : [],
  )

/**
 * The key of the caller's account. `isKey`: whether a value is a key of the table of accounts, because a database would take the text
 * `'1'` of another scheme's caller for the integer. A caller without such a key has no account: throws PermissionDenied, or
 * NotAuthenticated for an anonymous one.
 */
export function requireAccountKey({ isAuthenticated, id }: Identity, isKey: (id: KeyValue) => boolean): KeyValue {
  if (isAuthenticated && id !== undefined && id !== null && isKey(id)) return id
  throw isAuthenticated
    ? new PermissionDenied(frameworkMessages('permission_denied.no_account'))
    : new NotAuthenticated()
}
