// Makes the JSON Schema of another library a part of a document: its definitions become components.

import { hash } from 'node:crypto'
import type { JsonSchema, SchemaContext } from './json-schema.ts'

/** Whether a schema describes what a library's schema accepts, or what it returns. */
export type SchemaSide = 'input' | 'output'

export interface AdoptOptions {
  /** The schema to which `#` refers. */
  readonly root: JsonSchema
  readonly side: SchemaSide
}

/** Returns the schema without its definitions, with references to components instead. */
export function adoptSchema(schema: JsonSchema, { root, side }: AdoptOptions, context: SchemaContext): JsonSchema {
  const definitions = (root.$defs ?? {}) as Readonly<Record<string, JsonSchema>>
  const adopt = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part
    const { $ref, $schema: _, $defs: __, ...keywords } = part as JsonSchema
    const adopted = adoptParts(keywords, adopt)
    return typeof $ref === 'string' ? { ...findComponent($ref), ...adopted } : adopted
  }
  const findComponent = ($ref: string): JsonSchema => {
    const definition = $ref === '#' ? root : definitions[$ref.replace(/^#\/(?:\$defs|definitions)\//, '')]
    if (definition === undefined) return {}
    return context.refer(nameComponent($ref, definition, side), () => adopt(definition) as JsonSchema)
  }
  return adopt(schema) as JsonSchema
}

// A library numbers the definitions that have no name of their own.
function nameComponent($ref: string, definition: JsonSchema, side: SchemaSide): string {
  const [, name] = /\/([A-Za-z][A-Za-z0-9]*)$/.exec($ref) ?? []
  const suffix = side === 'input' ? 'Input' : 'Output'
  return name === undefined ? `Schema${hash('sha1', JSON.stringify(definition)).slice(0, 8)}${suffix}` : name + suffix
}

const schemaKeywords = new Set(
  'items additionalProperties not contains propertyNames if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
)
const listKeywords = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems'])
const mapKeywords = new Set(['properties', 'patternProperties', 'dependentSchemas'])

// Other keywords contain values, in which a member may be named `$ref`.
const adoptParts = (schema: JsonSchema, adopt: (part: unknown) => unknown): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (schemaKeywords.has(keyword)) return [keyword, adopt(value)]
      if (listKeywords.has(keyword)) return [keyword, (value as unknown[]).map(adopt)]
      if (!mapKeywords.has(keyword)) return [keyword, value]
      return [keyword, Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, adopt(part)]))]
    }),
  )
