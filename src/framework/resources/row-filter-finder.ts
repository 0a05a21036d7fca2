// The row filters of related resources: a caller can use the related rows that the related resource's own URLs return.

import type { RowTarget } from '../fields/field.ts'
import { createRowFilter, type Permission } from '../permissions/permission.ts'
import { combineFilters, type RowFilter } from '../permissions/row-filter.ts'
import type { Resource } from './resource.ts'

/** Finds the row filter of a related resource; undefined if every caller can see all rows. */
export type FindRowFilter = (target: RowTarget) => RowFilter | undefined

/**
 * Creates the finder for an API with these resources and default permissions. A resource of another API has the filter of
 * its own declared permissions. A table that is named without a resource has the filters of all resources with that table.
 */
export function createRowFilterFinder(
  resources: readonly Resource[],
  permissions: readonly Permission[],
): FindRowFilter {
  const filters = new Map<Resource | string, RowFilter | undefined>()
  const findOrCreate = (key: Resource | string, createFilter: () => RowFilter | undefined) => {
    if (!filters.has(key)) filters.set(key, createFilter())
    return filters.get(key)
  }
  const findResourceFilter = (resource: Resource, defaultPermissions: readonly Permission[]) =>
    findOrCreate(resource, () =>
      createRowFilter(resource.perAction.retrieve?.permissions ?? resource.permissions ?? defaultPermissions),
    )
  const findTableFilter = (table: string) => {
    const tableFilters = resources
      .filter(resource => resource.table === table)
      .map(resource => findResourceFilter(resource, permissions))
    return combineFilters([...new Set(tableFilters.filter(filter => filter !== undefined))])
  }
  return target => {
    const { name, table } = target
    if (name === undefined) return findOrCreate(table, () => findTableFilter(table))
    const found = resources.find(resource => resource.name === name && resource.table === table)
    if (found !== undefined) return findResourceFilter(found, permissions)
    return isResource(target) ? findResourceFilter(target, []) : undefined
  }
}

const isResource = (target: RowTarget): target is Resource & RowTarget => 'perAction' in target
