import type { ParseContext } from '../../fields/field.ts'
import { findPathIdentifier } from '../../fields/identifier.ts'
import { addSlash, type UrlEnd } from '../../http/urls/trailing-slash.ts'
import { parseSegment } from '../../keys/parse-segment.ts'
import type { Resource } from '../declare/resource.ts'

/**
 * Resolves a hyperlink in a request by its path below the prefix: `/name/` is a resource, `/name/1/` is an object. If links have no
 * trailing slash, a hyperlink may have none.
 */
export function createRouteFinder(resources: readonly Resource[], urlEnd: UrlEnd): ParseContext['route'] {
  const identifiers = new Map(resources.map(resource => [resource.name, findPathIdentifier(resource)]))
  return path => {
    const [, name = '', segment, afterKey, extra] = (urlEnd === '/' ? path : addSlash(path)).split('/')
    const identifier = identifiers.get(name)
    if (identifier === undefined || extra !== undefined) return undefined
    if (segment === '' && afterKey === undefined) return { name }
    const key = segment !== undefined && afterKey === '' ? parseSegment(segment, identifier) : undefined
    return key === undefined ? undefined : { name, key }
  }
}
