import type { ParseContext } from '../../fields/field.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import { addSlash, type UrlEnd } from '../../http/urls/trailing-slash.ts'
import { parseSegment } from '../../keys/parse-segment.ts'
import { formatResourcePath } from '../../messages/title.ts'
import type { Resource } from '../declare/resource.ts'

/**
 * Resolves a hyperlink in a request by its path below the prefix: `/name/` is a resource, `/name/1/` is an object. If links have no
 * trailing slash, a hyperlink may have none.
 */
export function createRouteFinder(resources: readonly Resource[], urlEnd: UrlEnd): ParseContext['route'] {
  const lists = new Map(
    resources.map(resource => [
      `/${formatResourcePath(resource)}/`,
      { name: resource.name, identifier: findPathIdentifier(resource) },
    ]),
  )
  return given => {
    const path = urlEnd === '/' ? given : addSlash(given)
    const named = lists.get(path)
    if (named !== undefined) return { name: named.name }
    const [, listPath = '', segment = ''] = /^(.*\/)([^/]*)\/$/s.exec(path) ?? []
    const list = lists.get(listPath)
    const key = list && parseSegment(segment, list.identifier)
    return list === undefined || key === undefined ? undefined : { name: list.name, key }
  }
}
