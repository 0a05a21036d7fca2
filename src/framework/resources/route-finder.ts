import type { ParseContext } from '../fields/field.ts'
import { parseKey } from '../fields/key.ts'
import type { Resource } from './resource.ts'

/** Resolves a hyperlink in a request by its path below the prefix: `/name/` is a resource, `/name/1/` is an object. */
export function createRouteFinder(resources: readonly Resource[]): ParseContext['route'] {
  const names = new Set(resources.map(({ name }) => name))
  return path => {
    const [, name, digits, afterKey, extra] = path.split('/')
    if (name === undefined || extra !== undefined || !names.has(name)) return undefined
    if (digits === '' && afterKey === undefined) return { name }
    const key = digits !== undefined && afterKey === '' ? parseKey(digits) : undefined
    return key === undefined ? undefined : { name, key }
  }
}
