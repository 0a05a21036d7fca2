// The paths of a resource's lists: at the top level, and below the objects of its parents, which may be nested themselves.
// Its objects and views have their URLs below each of these lists.

import type { ResourceNames } from '../../errors/exceptions.ts'
import type { JoinTable, RelationTarget } from '../../fields/field.ts'
import { findPathIdentifier, listLookupParameters } from '../../fields/identifier.ts'
import type { RequestContext } from '../../http/context.ts'
import { endUrl, type UrlEnd } from '../../http/urls/trailing-slash.ts'
import { formatName, type KeyValue } from '../../keys/key.ts'
import { formatListPath } from '../../messages/title.ts'
import type { Resource } from '../declare/resource.ts'
import { readPathValue } from './path-value.ts'

/** A parent resource in a path. */
export interface Parent {
  readonly resource: RelationTarget
  /** The column with its key, in the rows of the resource below it. With `through`, the key of these rows. */
  readonly column: string
  readonly through?: JoinTable | undefined
  /** The parameter of the path that names its object: `customers_key`; with several, each ends with its field instead of `key`. */
  readonly parameter: string
}

export interface ListPath {
  /** The pattern below the API's prefix: `/customers/:customers_key/orders/`. */
  readonly pattern: string
  /** The parents in the path, the nearest one first; none at the top level. */
  readonly parents: readonly Parent[]
}

/**
 * Lists the paths of a resource's lists, the shortest one first. `resources`: those of its API; a parent of another API is at
 * the top level. No parent is in a path twice, so resources may be nested under themselves and under each other.
 */
export function listPaths(
  target: RelationTarget,
  resources: readonly Resource[],
  below: readonly string[] = [],
): readonly ListPath[] {
  const own = resources.find(({ name, table }) => name === target.name && table === target.table)
  const path = formatListPath(target)
  const nested = (own?.nestedUnder ?? [])
    .filter(({ parent }) => !below.includes(parent.name))
    .flatMap(({ parent, column, through }) =>
      listPaths(parent, resources, [...below, parent.name]).map(above =>
        nest(above, { path, parent, column, through }),
      ),
    )
  return own !== undefined && isOnlyNested(own) ? nested : [{ pattern: path, parents: [] }, ...nested]
}

interface Nested {
  readonly path: string
  readonly parent: RelationTarget
  readonly column: string
  readonly through: JoinTable | undefined
}

function nest({ pattern, parents }: ListPath, { path, parent, column, through }: Nested): ListPath {
  // The router ends the name of a parameter at a hyphen.
  const parameter = `${parent.name.replaceAll('-', '_')}_key`
  const parameters = formatParameters(listLookupParameters(parent, parameter))
  return {
    pattern: `${pattern}${parameters}${path.slice(1)}`,
    parents: [{ resource: parent, column, through, parameter }, ...parents],
  }
}

/** Whether the resource has URLs only below its parents. */
export const isOnlyNested = ({ nestedUnder }: Pick<Resource, 'nestedUnder'>): boolean =>
  nestedUnder.some(({ only }) => only)

/** The path of the list that links lead to; undefined if the resource is only below itself. */
export const findListPath = (resource: Resource, resources: readonly Resource[]): ListPath | undefined =>
  listPaths(resource, resources)[0]

const formatParameters = (names: readonly string[]): string => names.map(name => `:${name}/`).join('')

/** The pattern of the paths of objects: that of the list with the parameter `key`, or those of `lookup`; a singleton has none. */
export const formatObjectPattern = (
  resource: Pick<Resource, 'singleton' | 'lookup'>,
  { pattern }: Pick<ListPath, 'pattern'>,
): string =>
  resource.singleton === undefined ? `${pattern}${formatParameters(listLookupParameters(resource))}` : pattern

/** The value by which the request's path names the parent object; throws NotFound if no object can have it. */
export const readParentValue = (
  { resource, parameter }: Parent,
  context: RequestContext,
  names?: ResourceNames,
): KeyValue => readPathValue({ identifier: findPathIdentifier(resource), parameter, names }, context)

const formatParentName = (parent: Parent, context: RequestContext): string =>
  formatName(findPathIdentifier(parent.resource), readParentValue(parent, context))

/** Creates the function that formats the path of the list in a request. `below`: the rest of a longer path; `end`: the end of the path. */
export function createPathFormatter(
  resource: Resource,
  { parents }: ListPath,
  { below = '', end = '/' }: { readonly below?: string; readonly end?: UrlEnd } = {},
): (context: RequestContext) => string {
  const own = endUrl(`${formatListPath(resource)}${below}`, end)
  if (parents.length === 0) return () => own
  return context => {
    let path: string = own
    for (const parent of parents) path = `${formatListPath(parent.resource)}${formatParentName(parent, context)}${path}`
    return path
  }
}
