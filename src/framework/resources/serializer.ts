// The response contains the JSON that the database wrote, unchanged unless a field is computed in TypeScript.

import type { RequestContext } from '../context.ts'
import { formatJson, parseExactNumbers } from '../exact-json.ts'
import type { Fields } from '../fields/field.ts'

/** Adds the computed fields to the JSON of a representation. */
export type Serializer = (json: string, context: RequestContext) => string

/** The serializer of representations without computed fields. Its result is the same for every caller. */
export const keepStoredJson: Serializer = json => json

export function createSerializer(fields: Fields): Serializer {
  const computed = Object.entries(fields).filter(([, { compute, writeOnly }]) => compute && !writeOnly)
  if (computed.length === 0) return keepStoredJson
  return (json, context) => {
    const representation = parseExactNumbers(json) as Record<string, unknown>
    for (const [name, field] of computed) representation[name] = field.compute!(representation[name], context)
    return formatJson(representation)
  }
}
