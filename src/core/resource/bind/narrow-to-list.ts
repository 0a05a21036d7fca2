import { rowFilter } from '../../policy/permissions/built-in-permissions.ts'
import type { Permission } from '../../policy/permissions/permission.ts'
import type { Resource } from '../declare/resource.ts'
import type { DeclaredRowList } from '../declare/row-lists.ts'

/** The resource as one of its further lists shows it. `defaults`: the permissions of resources that declare none. */
export function narrowToList(
  {
    listMethods: _methods,
    objectMethods: _objectMethods,
    listViews: _views,
    objectViews: _objectViews,
    lists: _lists,
    ...resource
  }: Resource,
  list: DeclaredRowList,
  defaults: readonly Permission[],
): Resource {
  const { rows, volatile, ...declared } = list
  const { takes: _takes, shows, status: _status, ...policies } = resource.perAction.list ?? {}
  const permissions = declared.permissions ?? policies.permissions ?? resource.permissions ?? defaults
  return {
    ...resource,
    ...policies,
    ...declared,
    name: resource.name,
    actions: ['list'],
    perAction: shows === undefined ? {} : { list: { shows } },
    permissions: [...permissions, rowFilter(rows, { volatile: volatile ?? false })],
  }
}
