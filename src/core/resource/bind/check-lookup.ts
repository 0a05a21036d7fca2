// Checks that the fields in the URLs of objects name one object. A field with the option "unique" does; others are unique together with
// what the parents in the URL, the tenant or the row filter determine.

import { listLookupFields } from '../../fields/identifier.ts'
import { storageColumn } from '../../fields/storage.ts'
import type { RowFilter } from '../../policy/permissions/row-filter.ts'
import { listUniqueNames, toColumn } from '../../tables/column-names.ts'
import type { Resource } from '../declare/resource.ts'
import { findFilledOfSet, listTenantColumns } from '../validate/caller-columns.ts'

/** Throws if two of the rows that the filter shows may have the same values of `lookup`. `pattern`: the path of the objects. */
export function checkLookupRows(resource: Resource, filter: RowFilter | undefined, pattern: string): void {
  if (!Array.isArray(resource.lookup) || namesOne(resource, filter?.determines)) return
  const fields = listLookupFields(resource).join(', ')
  throw new Error(
    `resource "${resource.name}": lookup: two objects of "${pattern}" may have the same ${fields}: declare a unique set of columns that the lookup, a parent with "only" and the row filter give together, as in unique: [['owner', 'name']] and rowFilter({ owner: caller('id') })`,
  )
}

/** Whether no two rows have the same values of the lookup and of these columns. */
export function namesOne(resource: Resource, determined: readonly string[] = []): boolean {
  const columns = listLookupFields(resource).map(name => storageColumn(name, resource.fields[name]!))
  const given = new Set([...columns, ...determined])
  return listUniqueSets(resource).some(set => set.every(column => given.has(column)))
}

function listUniqueSets(resource: Resource): readonly (readonly (string | undefined)[])[] {
  const { fields, uniqueTogether, declaredTable: table, key } = resource
  const tenants = listTenantColumns(resource)
  const toColumns = (names: readonly string[]) => names.map(name => storageColumn(name, fields[name]!))
  const alone = Object.keys(fields).filter(name => fields[name]!.unique !== undefined)
  return [
    [key.column],
    ...alone.map(name => [...toColumns([name]), ...tenants]),
    ...uniqueTogether.map(names => [...toColumns(names), ...findFilledOfSet(resource, names)]),
    ...listUniqueNames(table).map(names => [...names.map(name => toColumn(table!, name)), ...tenants]),
  ]
}
