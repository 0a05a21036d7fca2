// The row filters of related resources: a caller can use the related rows that the related resource's own URLs return. A
// resource that has URLs only below its parents has no URL for a row below a hidden parent, so such a row is hidden too.

import type { Database } from '../../database/database.ts'
import type { RelationTarget, RowTarget } from '../../fields/field.ts'
import { createRowFilter, type Permission } from '../../policy/permissions/permission.ts'
import { combineFilters, type RowFilter } from '../../policy/permissions/row-filter.ts'
import type { Resource } from '../declare/resource.ts'
import { type ApiResources, findResource, findTargetApi } from './find-target-api.ts'
import { isOnlyNested, listPaths } from './list-paths.ts'
import { createVisibleParentFilter } from './visible-parents.ts'

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
        createRowFilter(
          resource.perAction.retrieve?.permissions ?? resource.permissions ?? permissions,
          resource.ownRows,
        ),
      )
    return filters.get(resource)
  }
}

/** Finds the row filters of an API. */
export interface RowFilterFinders {
  readonly findRowFilter: FindRowFilter
  /** Finds the filter that the parents of one of the API's own resources add, if it has URLs only below them. */
  readonly findParentFilter: (resource: Resource) => RowFilter | undefined
}

/**
 * Creates the finders for relations of the API `own`; `apis` are all APIs of its application. The target has the filter of
 * its permissions in its API; a target of no API has the filter of the permissions that it declares itself. A table that is
 * named without a resource has the filters of all resources of the own API with that table; if there are none, the filters
 * of the resources of other APIs with that table in the same database.
 */
export function createRowFilterFinders(own: FilteredApi, apis: readonly FilteredApi[]): RowFilterFinders {
  const findUnmounted = createOwnFilterFinder([])
  const filters = new Map<FilteredApi['findOwnFilter'], Map<Resource, RowFilter | undefined>>()
  const tableFilters = new Map<string, RowFilter | undefined>()
  // `below`: the parents in a path, as `listPaths` finds it, from the resource itself upwards.
  const findFilter = (api: FilteredApi, target: RelationTarget, below: readonly string[]): RowFilter | undefined => {
    const found = findTargetApi(api, target, apis)
    if ('problem' in found) return isResource(target) ? findUnmounted(target) : undefined
    const resource = findResource(found.api, target)!
    return below.length === 0 ? findKept(found.api, resource) : findComplete(found.api, resource, below)
  }
  const findKept = (api: FilteredApi, resource: Resource): RowFilter | undefined => {
    const kept = filters.get(api.findOwnFilter) ?? new Map<Resource, RowFilter | undefined>()
    filters.set(api.findOwnFilter, kept)
    if (!kept.has(resource)) kept.set(resource, findComplete(api, resource, []))
    return kept.get(resource)
  }
  const findComplete = (api: FilteredApi, resource: Resource, below: readonly string[]): RowFilter | undefined =>
    combineFilters(
      [api.findOwnFilter(resource), findParentFilter(api, resource, below)].filter(filter => filter !== undefined),
    )
  const findParentFilter = (api: FilteredApi, resource: Resource, below: readonly string[]): RowFilter | undefined => {
    if (!isOnlyNested(resource)) return undefined
    const parents = resource.nestedUnder
      .map(({ parent, ...link }) => ({ resource: parent, link, above: [...below, parent.name] }))
      .filter(({ resource: parent, above }) => !below.includes(parent.name) && hasPath(api, parent, above))
      .map(({ resource: parent, link, above }) => ({
        resource: parent,
        ...link,
        filter: findFilter(api, parent, above),
      }))
    return parents.some(({ filter }) => filter) ? createVisibleParentFilter(parents, below.length) : undefined
  }
  return {
    findRowFilter(target) {
      if (target.name !== undefined) return findFilter(own, target, [])
      const { table } = target
      if (!tableFilters.has(table)) tableFilters.set(table, createTableFilter(table, { own, apis, findKept }))
      return tableFilters.get(table)
    },
    findParentFilter: resource => findParentFilter(own, resource, []),
  }
}

const hasPath = ({ resources }: FilteredApi, target: RelationTarget, below: readonly string[]): boolean =>
  listPaths(target, resources, below).length > 0

interface TableFilters {
  readonly own: FilteredApi
  readonly apis: readonly FilteredApi[]
  readonly findKept: (api: FilteredApi, resource: Resource) => RowFilter | undefined
}

function createTableFilter(table: string, { own, apis, findKept }: TableFilters): RowFilter | undefined {
  const listFilters = (api: FilteredApi) =>
    api.resources.filter(resource => resource.table === table).map(resource => findKept(api, resource))
  const ownFilters = listFilters(own)
  const filters =
    ownFilters.length > 0 ? ownFilters : apis.filter(({ database }) => database === own.database).flatMap(listFilters)
  if (filters.length === 0) return findExistingFilter(table, [own, ...apis])
  return combineFilters([...new Set(filters.filter(filter => filter !== undefined))])
}

/** The filter of the rows that exist of a declared table; undefined if all do. The resource of another table of the schema finds it. */
export const findExistingFilter = (
  table: string,
  apis: readonly Pick<ApiResources, 'resources'>[],
): RowFilter | undefined =>
  apis.flatMap(({ resources }) => resources).flatMap(({ findExistingRows }) => findExistingRows?.(table) ?? [])[0]

const isResource = (target: RowTarget): target is Resource & RowTarget => 'perAction' in target
