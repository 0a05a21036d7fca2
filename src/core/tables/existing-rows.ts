// The rows of a declared table that exist for a caller: those that were not deleted, those of the caller's tenant, and those that the
// table's own option `rows` names. Resources, relations, values and conditions all follow these conditions.

import { isObject } from '../base/is-object.ts'
import { nameCallerProperty } from '../fields/sql-references.ts'
import type { TableColumn } from './column.ts'
import { findFilledName, toColumn } from './column-names.ts'
import { type Condition, caller, isPlaceholder } from './condition.ts'
import type { Table } from './table.ts'

/** The column with the tenant, and the properties of the caller that decide which tenants exist. */
export interface TenantColumn {
  /** The declared name. */
  readonly name: string
  readonly column: string
  readonly caller: string
  readonly all: string | undefined
  /** Whether a row may have no tenant. It then exists only for the callers of all tenants. */
  readonly nullable: boolean
}

/** Finds the column with the tenant; undefined if the table has none. */
export function findTenant(table: Pick<Table, 'name' | 'columns'>): TenantColumn | undefined {
  const name = findFilledName(table, 'tenant')
  if (name === undefined) return undefined
  const column = toColumn(table, name)
  const { tenant, nullable } = table.columns[name] as TableColumn
  const { caller: own = column, all } = tenant!
  return { name, column, caller: nameCallerProperty(own), all: all && nameCallerProperty(all), nullable }
}

/** The conditions on the rows that exist, which must all hold. */
export interface ExistingRows {
  /** The condition on the time of the deletion, which a resource may decide itself. */
  readonly living: readonly Condition[]
  readonly ofTenant: readonly Condition[]
  /** The option `rows` of the table, and of the tables that it extends. */
  readonly own: readonly Condition[]
}

export function findExistingRows(table: Table): ExistingRows {
  const deleted = findFilledName(table, 'deleted')
  return {
    living: deleted === undefined ? [] : [{ [deleted]: null }],
    ofTenant: listOfTenant(findTenant(table)),
    own: listOwn(table),
  }
}

const listOwn = ({ options: { rows }, parent }: Table): readonly Condition[] => [
  ...(rows === undefined ? [] : [rows]),
  ...(parent === undefined ? [] : listOwn(parent.table)),
]

/** How a resource treats the rows that were deleted. */
interface Deletion {
  /** The column with the time of a deletion, which leaves the row in the table; undefined: a deletion removes the row. */
  readonly deletedColumn?: string
  /** The same column, if deleted rows are objects of the resource. */
  readonly restoredColumn?: string
}

/** `rows`: the condition of the resource. Deleted rows are its objects if that names their column; if it needs the column, they alone are. */
export function findDeletion(table: Table, rows: Condition): Deletion {
  const deleted = findFilledName(table, 'deleted')
  if (deleted === undefined) return {}
  if (!listColumns(rows).includes(deleted)) return { deletedColumn: deleted }
  const isNeeded = Object.keys(rows).some(name => findColumn(name) === deleted)
  return { restoredColumn: deleted, ...(!isNeeded && { deletedColumn: deleted }) }
}

/** The columns that a condition compares, also inside `or` and `not`. */
const listColumns = (condition: Condition): readonly string[] =>
  Object.entries(condition).flatMap(([name, value]) => {
    const parts = (Array.isArray(value) ? value : [value]).filter(isCondition)
    return ['and', 'or', 'not'].includes(name) ? parts.flatMap(listColumns) : findColumn(name)
  })

const findColumn = (name: string): string => name.split('__')[0]!

const isCondition = (part: unknown): part is Condition => isObject(part) && !isPlaceholder(part)

function listOfTenant(tenant: TenantColumn | undefined): readonly Condition[] {
  if (tenant === undefined) return []
  const isOwn = { [tenant.name]: caller(tenant.caller) }
  return [tenant.all === undefined ? isOwn : { or: [isOwn, caller(tenant.all)] }]
}
