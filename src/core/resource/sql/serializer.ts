// Responses contain the JSON that the database wrote, unchanged unless a field is computed in TypeScript.

import { formatJson, parseExactNumbers } from '../../base/exact-json.ts'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { timeSlices } from '../../base/time-slices.ts'
import { computeTogether } from '../../fields/compute-together.ts'
import type { Field, Fields } from '../../fields/field.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { RequestContext } from '../../http/context.ts'

/** Adds the computed fields to the JSON of representations. */
export interface Serializer {
  serialize(json: string, context: RequestContext): MaybePromise<string>
  /** Serializes the objects of a page together. */
  serializeAll(items: readonly string[], context: RequestContext): MaybePromise<readonly string[]>
}

/** The serializer of representations without computed fields. Its result is the same for every caller. */
export const keepStoredJson: Serializer = Object.freeze<Serializer>({
  serialize: json => json,
  serializeAll: items => items,
})

/** Creates the serializer for these fields of a resource. */
export function createSerializer(resource: string, fields: Fields): Serializer {
  const shown = Object.entries(fields)
    .filter(([, { writeOnly }]) => !writeOnly)
    .map(([name, field]) => [nameOnWire(name, field), field] as const)
  const single = shown.filter(([, { compute }]) => compute)
  const together = shown.filter(([, { computeAll }]) => computeAll)
  if (together.length > 0) return createPageSerializer(resource, single, together)
  return single.length === 0 ? keepStoredJson : createItemSerializer(single)
}

type NamedField = readonly [name: string, field: Field]

function createItemSerializer(fields: readonly NamedField[]): Serializer {
  const serialize = (json: string, context: RequestContext) => formatJson(computeEach(json, fields, context))
  return {
    serialize,
    serializeAll: (items, context) => timeSlices.map(items, json => serialize(json, context)),
  }
}

function createPageSerializer(
  resource: string,
  single: readonly NamedField[],
  together: readonly NamedField[],
): Serializer {
  const serializeAll = async (items: readonly string[], context: RequestContext) => {
    const objects = await timeSlices.map(items, json => computeEach(json, single, context))
    await computeTogether(`resource "${resource}"`, objects, together, context)
    return timeSlices.map(objects, object => formatJson(object))
  }
  return { serialize: async (json, context) => (await serializeAll([json], context))[0]!, serializeAll }
}

function computeEach(json: string, fields: readonly NamedField[], context: RequestContext): Record<string, unknown> {
  const representation = parseExactNumbers(json) as Record<string, unknown>
  for (const [name, field] of fields) representation[name] = field.compute!(representation[name], context)
  return representation
}
