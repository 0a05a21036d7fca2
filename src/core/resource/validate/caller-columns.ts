// The columns whose values follow from the caller, so no body writes them: the tenant and the owner of a row.

import type { Arguments, SqlValue } from '../../database/database.ts'
import { readCallerProperty } from '../../fields/sql-references.ts'
import { storageColumn } from '../../fields/storage.ts'
import type { Identity } from '../../http/identity.ts'
import type { KeyValue } from '../../keys/key.ts'
import { listUniqueNames, toColumn } from '../../tables/column-names.ts'
import type { FilledColumn } from '../../tables/filled-columns.ts'
import type { Resource } from '../declare/resource.ts'

/** The key of the caller's tenant; null for a caller without one. */
export const readTenant = (
  { name }: Pick<Resource, 'name'>,
  user: Identity,
  { caller }: Extract<FilledColumn, { readonly fill: 'tenant' }>,
): SqlValue => readCallerProperty(user, caller, `resource "${name}": tenant`)

/** Whether the rows of all tenants, and those without one, exist for the caller. */
export const seesAllTenants = (
  { name }: Pick<Resource, 'name'>,
  user: Identity,
  { all }: Extract<FilledColumn, { readonly fill: 'tenant' }>,
): boolean => all !== undefined && readCallerProperty(user, all, `resource "${name}": tenant`) === true

/** Whether a new object with these columns, which the URL sets, would belong to another tenant than that of the caller. */
export const isOfOtherTenant = (resource: Resource, user: Identity, columns: Arguments): boolean =>
  resource.filledColumns.create.some(
    filled =>
      filled.fill === 'tenant' &&
      Object.hasOwn(columns, filled.column) &&
      readTenant(resource, user, filled) !== columns[filled.column],
  )

/** The column with the tenant, in which all unique values are compared. */
export const listTenantColumns = ({ filledColumns }: Pick<Resource, 'filledColumns'>): readonly string[] =>
  filledColumns.create.flatMap(({ fill, column }) => (fill === 'tenant' ? [column] : []))

/** The columns with which a set of fields is unique: the tenant, and the owner if the declared table has such a set. */
export function findFilledOfSet(resource: Resource, names: readonly string[]): readonly string[] {
  const { declaredTable: table, fields } = resource
  const tenants = listTenantColumns(resource)
  const owners = resource.filledColumns.create.flatMap(({ fill, column }) => (fill === 'owner' ? [column] : []))
  const columns = new Set(names.map(name => storageColumn(name, fields[name]!)))
  const isMeant = (set: readonly string[]) => {
    const others = set.filter(column => !owners.includes(column) && !tenants.includes(column))
    return others.length === columns.size && others.every(column => columns.has(column))
  }
  const sets = listUniqueNames(table).map(set => set.map(name => toColumn(table!, name)))
  // A set without an owner is the stricter one.
  const found = sets.filter(isMeant).toSorted((left, right) => left.length - right.length)[0] ?? []
  return [...tenants, ...found.filter(column => owners.includes(column) && !columns.has(column))]
}

/** The values of these columns in a new object; null in an existing one, which has its own. */
export function readFilled(
  { name, filledColumns }: Resource,
  user: Identity,
  columns: readonly string[],
  id: KeyValue | undefined,
): Arguments {
  return Object.fromEntries(
    columns.map(column => {
      const filled = filledColumns.create.find(each => each.column === column)
      if (id !== undefined) return [column, null]
      return [
        column,
        filled?.fill === 'tenant' ? readTenant({ name }, user, filled) : readCallerProperty(user, 'id', name),
      ]
    }),
  )
}
