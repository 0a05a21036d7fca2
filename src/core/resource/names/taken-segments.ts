// The values that the URL of no object can contain, because something else has that URL: `/articles/feed/` is a list.

import { invalid } from '../../errors/invalid.ts'
import { listLookupFields, listLookupParameters } from '../../fields/identifier.ts'
import { formatShape } from '../../http/urls/path-parameters.ts'
import { isPathSegment, type KeyValue } from '../../keys/key.ts'
import type { Resource } from '../declare/resource.ts'
import { listPaths } from './list-paths.ts'
import type { MountedApi, WhenResolved } from './mounted-api.ts'

/** The routes of an application, once all of its APIs are known. */
export interface ApplicationRoutes extends WhenResolved {
  readonly api: MountedApi
  /** The paths below the prefix of their API. */
  readonly listRoutes: () => readonly { readonly prefix: string; readonly path: string }[]
}

/**
 * The segments of the lists, views and actions directly below the lists of a resource whose URLs contain texts that bodies or hooks
 * give. The set is complete before the first request.
 */
export function findTakenSegments(resource: Resource, routes: ApplicationRoutes): ReadonlySet<string> {
  const { api, whenResolved, listRoutes } = routes
  const taken = new Set<string>()
  if (!hasNamedUrls(resource)) return taken
  whenResolved(() => {
    const shapes = listRoutes().map(({ prefix, path }) => formatShape(prefix + path))
    const { length } = listLookupParameters(resource)
    for (const { pattern } of listPaths(resource, api.resources))
      for (const segment of listSegmentsBelow(formatShape(api.prefix + pattern), shapes, length)) taken.add(segment)
  })
  return taken
}

/** Whether the URLs of the objects contain a value that does not come from the database or the service. */
export const hasNamedUrls = ({ lookup, key, singleton }: Pick<Resource, 'lookup' | 'key' | 'singleton'>): boolean =>
  singleton === undefined && (lookup !== undefined || key.source === 'body')

// None if there are no URLs of objects, which begin with a parameter. `length`: the segments that name an object.
function listSegmentsBelow(list: string, shapes: readonly string[], length: number): readonly string[] {
  const below = shapes
    .filter(shape => shape.startsWith(list))
    .map(shape => shape.slice(list.length).split('/'))
    .filter(segments => segments.length > length)
    .map(([segment]) => segment!)
  return below.includes(':') ? below.filter(segment => segment !== '' && !segment.includes(':')) : []
}

/** The segments that the value of a field cannot have: all of them begin below the list, where the first field of a lookup is. */
export const findTakenBy = (
  resource: Pick<Resource, 'lookup'>,
  name: string,
  taken: ReadonlySet<string>,
): ReadonlySet<string> => (listLookupFields(resource).indexOf(name) > 0 ? new Set() : taken)

/** Throws ValidationError for a value with which an object would have no URL of its own. */
export function checkPathValue(value: KeyValue, taken: ReadonlySet<string>): void {
  if (value === '') throw invalid('blank')
  if (!isPathSegment(value)) throw invalid('invalid.key')
  if (taken.has(String(value))) throw invalid('reserved', { value: String(value) })
}
