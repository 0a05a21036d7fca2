// What the database wrote goes out as it is, unless a field is computed in TypeScript.

import type { RequestContext } from '../context.ts'
import { formatJson, parseExactly } from '../exact-json.ts'
import type { Fields } from '../fields/field.ts'

/** The JSON of a representation, once its computed fields are worked out. */
export type Serializer = (json: string, context: RequestContext) => string

/** For representations without computed fields: the same for every caller. */
export const asStored: Serializer = json => json

export function createSerializer(fields: Fields): Serializer {
  const computed = Object.entries(fields).filter(([, { compute, writeOnly }]) => compute && !writeOnly)
  if (computed.length === 0) return asStored
  return (json, context) => {
    const shown = parseExactly(json) as Record<string, unknown>
    for (const [name, field] of computed) shown[name] = field.compute!(shown[name], context)
    return formatJson(shown)
  }
}
