// The tables that store the rows of a resource: one, or, if its table extends another one, that one first.

import type { Resource } from '../declare/resource.ts'

/** A table that stores rows, or a part of each. */
export interface TablePart {
  /** The resource, as if this table were its own. */
  readonly resource: Resource
  /** The column with the key of the row that the rows extend; undefined for the first table. */
  readonly link: string | undefined
  /** Whether the table has a column. */
  has(column: string): boolean
}

export function listTableParts(
  resource: Resource,
  has: TablePart['has'] = () => true,
): readonly [TablePart, ...TablePart[]] {
  const { parentRows: parent, deletedColumn, ...others } = resource
  const keep = (isStored: TablePart['has']) =>
    deletedColumn !== undefined && isStored(deletedColumn) ? { ...others, deletedColumn } : others
  if (parent === undefined)
    return [{ resource: resource.deletedColumn === undefined ? resource : keep(has), link: undefined, has }]
  const { table, link, columns, ownColumns, parentRows: above } = parent
  const isOwn = (column: string) => ownColumns.includes(column)
  const isInherited = (column: string) => columns.includes(column)
  const inherited = { ...keep(isInherited), table, ...(above && { parentRows: above }) }
  const own = { ...keep(isOwn), key: { ...resource.key, column: link } }
  return [...listTableParts(inherited, isInherited), { resource: own, link, has: isOwn }]
}

/** The resource as the table of all these columns stores it; the resource itself, if they are in several tables. */
export const findStoringResource = (resource: Resource, columns: readonly string[]): Resource =>
  listTableParts(resource).find(({ has }) => columns.every(has))?.resource ?? resource
