// The columns of declared tables that fill themselves: the owner, and the times of the writes.

import type { SqlValue } from '../database/database.ts'
import type { Field } from '../fields/field.ts'
import { listStoredColumns } from '../fields/storage.ts'
import { toColumn } from './column-names.ts'
import { findTenant, type TenantColumn } from './existing-rows.ts'
import { isTableColumn, type Table } from './table.ts'

/** A column that the writes of a resource fill: with the caller's account, with the time, or with the stored value of a default. */
export type FilledColumn = { readonly column: string } & (
  | { readonly fill: 'owner'; readonly nullable: boolean }
  | { readonly fill: 'created' | 'updated' }
  | ({ readonly fill: 'tenant' } & Pick<TenantColumn, 'caller' | 'all' | 'nullable'>)
  | { readonly fill: 'default'; readonly value: SqlValue }
)

/** The columns that a create and an update fill. */
export interface FilledColumns {
  readonly create: readonly FilledColumn[]
  readonly update: readonly FilledColumn[]
}

export const noFilledColumns: FilledColumns = Object.freeze({ create: [], update: [] })

/**
 * Finds the columns of a table that fill themselves, and those whose default a new row gets, because no body gives them. `written`: the
 * columns that bodies give.
 */
export function findFilledColumns(table: Table, written: ReadonlySet<string>): FilledColumns {
  const create = Object.entries(table.columns).flatMap(([name, declared]): readonly FilledColumn[] => {
    if (!isTableColumn(declared)) return listDefaults(table, name, declared, written)
    const { fill, nullable } = declared
    if (fill === undefined || fill === 'deleted') return []
    const column = toColumn(table, name)
    if (fill === 'tenant') return [{ ...findTenant(table)!, fill }]
    return [fill === 'owner' ? { column, fill, nullable } : { column, fill }]
  })
  return { create, update: create.filter(({ fill }) => fill === 'updated') }
}

function listDefaults(
  { options }: Table,
  name: string,
  field: Field,
  written: ReadonlySet<string>,
): readonly FilledColumn[] {
  if (field.default === undefined || (options.defaults?.[name] ?? null) !== null) return []
  return listStoredColumns(name, field)
    .filter(({ column }) => !written.has(column))
    .map(({ column, store }) => ({ column, fill: 'default', value: store(field.default) }))
}
