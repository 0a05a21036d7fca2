import type { ParseContext } from '../../fields/field.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import { addSlash, type UrlEnd } from '../../http/urls/trailing-slash.ts'
import type { Identifier } from '../../keys/key.ts'
import { parseSegment } from '../../keys/parse-segment.ts'
import { formatResourcePath } from '../../messages/title.ts'
import type { Resource } from '../declare/resource.ts'
import { isOnlyNested } from './list-paths.ts'

const countSegments = ({ parts }: Identifier): number => parts?.length ?? 1

/**
 * Resolves a hyperlink in a request by its path below the prefix: `/name/` is a resource, `/name/1/` is an object. If links have no
 * trailing slash, a hyperlink may have none.
 */
export function createRouteFinder(resources: readonly Resource[], urlEnd: UrlEnd): ParseContext['route'] {
  const lists = new Map(
    resources
      .filter(resource => !isOnlyNested(resource))
      .map(resource => [
        `/${formatResourcePath(resource)}/`,
        { name: resource.name, identifier: findPathIdentifier(resource) },
      ]),
  )
  const lengths = [...new Set([...lists.values()].map(({ identifier }) => countSegments(identifier)))].sort()
  return given => {
    const path = urlEnd === '/' ? given : addSlash(given)
    const named = lists.get(path)
    if (named !== undefined) return { name: named.name }
    if (!path.endsWith('/')) return undefined
    const segments = path.split('/')
    for (const length of lengths) {
      const list = lists.get(`${segments.slice(0, -1 - length).join('/')}/`)
      if (list === undefined || countSegments(list.identifier) !== length) continue
      const key = parseSegment(segments.slice(-1 - length, -1).join('/'), list.identifier)
      if (key !== undefined) return { name: list.name, key }
    }
    return undefined
  }
}
