// Reads the schemas of a document: what references lead to, and the alternatives that a schema allows.

import type { JsonSchema } from './json-schema.ts'
import type { OpenApiDocument } from './openapi-types.ts'
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

/** The alternatives of a schema without null; the schema itself if it has none. */
export function listAlternatives(schema: JsonSchema, { resolve }: SchemaReader): readonly JsonSchema[] {
  const resolved = resolve(schema)
  const parts = (resolved.anyOf ?? resolved.oneOf) as readonly JsonSchema[] | undefined
  if (parts === undefined) return [resolved]
  return parts.map(resolve).filter(({ type }) => type !== 'null')
}

/** Whether null is a value of the schema. */
export function acceptsNull(schema: JsonSchema, { resolve }: SchemaReader): boolean {
  const { type, anyOf, oneOf } = resolve(schema)
  if ([type].flat().includes('null')) return true
  return (((anyOf ?? oneOf) as readonly JsonSchema[] | undefined) ?? []).some(part => resolve(part).type === 'null')
}
