// Reads the schemas of a document: what references lead to, and the alternatives that a schema allows.

import type { JsonSchema, OpenApiDocument } from '#core'
import { resolveReference } from './resolve-reference.ts'

/** Finds the schemas that a schema consists of. */
export interface SchemaReader {
  readonly resolve: (schema: JsonSchema) => JsonSchema
  readonly document: OpenApiDocument
}

export const createSchemaReader = (document: OpenApiDocument): SchemaReader => ({
  document,
  resolve: schema => resolveReference(document, schema) as JsonSchema,
})

/** The alternatives of a schema without null, also those of its alternatives; the schema itself if it has none. */
export const listAlternatives = (schema: JsonSchema, reader: SchemaReader): readonly JsonSchema[] =>
  flatten(schema, reader, []).filter(({ type }) => type !== 'null')

/** Whether null is a value of the schema. */
export const acceptsNull = (schema: JsonSchema, reader: SchemaReader): boolean =>
  flatten(schema, reader, []).some(({ type }) => [type].flat().includes('null'))

// A schema that is its own alternative has no further ones there.
function flatten(schema: JsonSchema, reader: SchemaReader, outer: readonly JsonSchema[]): readonly JsonSchema[] {
  const resolved = reader.resolve(schema)
  const parts = (resolved.anyOf ?? resolved.oneOf) as readonly JsonSchema[] | undefined
  if (parts === undefined) return [resolved]
  return outer.includes(resolved) ? [] : parts.flatMap(part => flatten(part, reader, [...outer, resolved]))
}
