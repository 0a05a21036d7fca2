// Which rows of a related resource exist for a caller: those that its own URLs show.

import type { RowTarget } from '../fields/field.ts'
import { type Permission, rowsFor } from '../permissions/permission.ts'
import { everyFilter, type RowFilter } from '../permissions/row-filter.ts'
import type { Resource } from './resource.ts'

/** The row filter of a related resource; undefined where every row exists for every caller. */
export type RowsOf = (target: RowTarget) => RowFilter | undefined

/**
 * The row filters of an API with these resources and default permissions. A resource of another API is filtered by the
 * permissions that it declares itself; a table that is named without its resource by those of every resource over it.
 */
export function createRowsOf(resources: readonly Resource[], permissions: readonly Permission[]): RowsOf {
  const known = new Map<Resource | string, RowFilter | undefined>()
  const remember = (key: Resource | string, make: () => RowFilter | undefined) => {
    if (!known.has(key)) known.set(key, make())
    return known.get(key)
  }
  const ofResource = (resource: Resource, inherited: readonly Permission[]) =>
    remember(resource, () => rowsFor(resource.perAction.retrieve?.permissions ?? resource.permissions ?? inherited))
  const ofTable = (table: string) => {
    const filters = resources.filter(resource => resource.table === table).map(own => ofResource(own, permissions))
    return everyFilter([...new Set(filters.filter(filter => filter !== undefined))])
  }
  return target => {
    const { name, table } = target
    if (name === undefined) return remember(table, () => ofTable(table))
    const found = resources.find(resource => resource.name === name && resource.table === table)
    if (found !== undefined) return ofResource(found, permissions)
    return isResource(target) ? ofResource(target, []) : undefined
  }
}

const isResource = (target: RowTarget): target is Resource & RowTarget => 'perAction' in target
