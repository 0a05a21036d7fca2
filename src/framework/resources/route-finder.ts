import type { ParseContext } from '../fields/field.ts'
import { findPathIdentifier } from '../fields/identifier.ts'
import type { Identifier } from '../keys/key.ts'
import type { Resource } from './resource.ts'

/** Resolves a hyperlink in a request by its path below the prefix: `/name/` is a resource, `/name/1/` is an object. */
export function createRouteFinder(resources: readonly Resource[]): ParseContext['route'] {
  const identifiers = new Map(resources.map(resource => [resource.name, findPathIdentifier(resource)]))
  return path => {
    const [, name = '', segment, afterKey, extra] = path.split('/')
    const identifier = identifiers.get(name)
    if (identifier === undefined || extra !== undefined) return undefined
    if (segment === '' && afterKey === undefined) return { name }
    const text = segment !== undefined && afterKey === '' ? decodeSegment(segment, identifier) : undefined
    const key = text === undefined ? undefined : identifier.parse(text)
    return key === undefined ? undefined : { name, key }
  }
}

// Of a value that needs no encoding, only the plain spelling is accepted.
function decodeSegment(segment: string, { isUrlSafe }: Identifier): string | undefined {
  if (isUrlSafe) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
