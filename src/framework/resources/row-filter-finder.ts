// The row filters of related resources: a caller can use the related rows that the related resource's own URLs return.

import type { Database } from '../database/database.ts'
import type { RowTarget } from '../fields/field.ts'
import { createRowFilter, type Permission } from '../permissions/permission.ts'
import { combineFilters, type RowFilter } from '../permissions/row-filter.ts'
import { type ApiResources, findResource, findTargetApi } from './find-target-api.ts'
import type { Resource } from './resource.ts'

/** Finds the row filter of a related resource; undefined if every caller can see all rows. */
export type FindRowFilter = (target: RowTarget) => RowFilter | undefined

/** An API whose resources have row filters. */
export interface FilteredApi extends ApiResources {
  readonly database: Database | undefined
  /** Finds the row filter of one of the API's own resources. */
  readonly findOwnFilter: (resource: Resource) => RowFilter | undefined
}

/** Creates the finder for the resources of an API with these default permissions. */
export function createOwnFilterFinder(permissions: readonly Permission[]): FilteredApi['findOwnFilter'] {
  const filters = new Map<Resource, RowFilter | undefined>()
  return resource => {
    if (!filters.has(resource))
      filters.set(
        resource,
        createRowFilter(resource.perAction.retrieve?.permissions ?? resource.permissions ?? permissions),
      )
    return filters.get(resource)
  }
}

/**
 * Creates the finder for relations of the API `own`; `apis` are all APIs of its application. The target has the filter of
 * its permissions in its API; a target of no API has the filter of the permissions that it declares itself. A table that is
 * named without a resource has the filters of all resources of the own API with that table; if there are none, the filters
 * of the resources of other APIs with that table in the same database.
 */
export function createRowFilterFinder(own: FilteredApi, apis: readonly FilteredApi[]): FindRowFilter {
  const findUnmounted = createOwnFilterFinder([])
  const tableFilters = new Map<string, RowFilter | undefined>()
  return target => {
    if (target.name === undefined) {
      const { table } = target
      if (!tableFilters.has(table)) tableFilters.set(table, createTableFilter(own, apis, table))
      return tableFilters.get(table)
    }
    const found = findTargetApi(own, target, apis)
    if ('api' in found) return found.api.findOwnFilter(findResource(found.api, target)!)
    return isResource(target) ? findUnmounted(target) : undefined
  }
}

function createTableFilter(own: FilteredApi, apis: readonly FilteredApi[], table: string): RowFilter | undefined {
  const listFilters = ({ resources, findOwnFilter }: FilteredApi) =>
    resources.filter(resource => resource.table === table).map(findOwnFilter)
  const ownFilters = listFilters(own)
  const filters =
    ownFilters.length > 0 ? ownFilters : apis.filter(({ database }) => database === own.database).flatMap(listFilters)
  return combineFilters([...new Set(filters.filter(filter => filter !== undefined))])
}

const isResource = (target: RowTarget): target is Resource & RowTarget => 'perAction' in target
