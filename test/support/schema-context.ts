import type { JsonSchema, SchemaContext } from '../../src/core/describe/json-schema.ts'

/** Creates a context of schemas, and the components that they add to it. */
export function createSchemaContext(): {
  readonly schemas: Record<string, JsonSchema>
  readonly context: SchemaContext
} {
  const schemas: Record<string, JsonSchema> = {}
  const context: SchemaContext = {
    refer(name, create) {
      if (!Object.hasOwn(schemas, name)) {
        schemas[name] = {}
        schemas[name] = create()
      }
      return { $ref: `#/components/schemas/${name}` }
    },
  }
  return { schemas, context }
}
