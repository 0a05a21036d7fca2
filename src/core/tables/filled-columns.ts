// The columns of declared tables that fill themselves: the owner, and the times of the writes.

import type { SqlValue } from '../database/database.ts'
import { NotAuthenticated, PermissionDenied } from '../errors/exceptions.ts'
import type { Field } from '../fields/field.ts'
import { listStoredColumns } from '../fields/storage.ts'
import type { Identity } from '../http/identity.ts'
import type { KeyValue } from '../keys/key.ts'
import { frameworkMessages } from '../messages/english.ts'
import type { ColumnFill } from './column.ts'
import { isTableColumn, type Table } from './table.ts'
import { toColumn } from './table-state.ts'

/** A column that the writes of a resource fill. */
export interface FilledColumn {
  readonly column: string
  readonly fill: ColumnFill | 'default'
  /** Whether the column may be null. */
  readonly nullable: boolean
  /** The stored value of a default. */
  readonly value?: SqlValue
}

/**
 * The columns of a table that fill themselves, and those whose default a new row gets, because no body gives them. `written`: the
 * columns that bodies give.
 */
export const listFilledColumns = (table: Table, written: ReadonlySet<string>): readonly FilledColumn[] =>
  Object.entries(table.columns).flatMap(([name, column]): readonly FilledColumn[] => {
    if (!isTableColumn(column)) return listDefaults(table, name, column, written)
    const { fill, nullable } = column
    return fill === undefined || fill === 'deleted' ? [] : [{ column: toColumn(table, name), fill, nullable }]
  })

function listDefaults(
  { options }: Table,
  name: string,
  field: Field,
  written: ReadonlySet<string>,
): readonly FilledColumn[] {
  if (field.default === undefined || options.defaults?.[name] !== undefined) return []
  return listStoredColumns(name, field)
    .filter(({ column }) => !written.has(column))
    .map(({ column, store }) => ({ column, fill: 'default', nullable: field.nullable, value: store(field.default) }))
}

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
