// JSON Schema 2020-12 (https://json-schema.org/draft/2020-12), as OpenAPI 3.1 contains it.

/** A schema by its keywords; `{}` accepts every value. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The document that a schema becomes a part of. */
export interface SchemaContext {
  /** Adds a component unless there is one of this name, and returns the `$ref` to it. A component may refer to itself. */
  refer(name: string, create: () => JsonSchema): JsonSchema
  /** Whether a row filter hides objects of a related resource from some callers; default: it does not. */
  hidesRows?(target: { readonly name: string; readonly table: string }): boolean
}

/** The schema of an object with these members. `required`: default: all. */
export const describeMembers = (
  members: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(members),
): JsonSchema => ({ type: 'object', properties: members, ...(required.length > 0 && { required }) })

/** The schema that also accepts null. A schema that does so already is returned unchanged. */
export function orNull(schema: JsonSchema): JsonSchema {
  if (acceptsNull(schema)) return schema
  const { type, anyOf, ...others } = schema
  if (Array.isArray(anyOf) && type === undefined) return { ...others, anyOf: [...anyOf, { type: 'null' }] }
  return typeof type === 'string' && !('enum' in others) && !('const' in others)
    ? { type: [type, 'null'], ...others }
    : { anyOf: [schema, { type: 'null' }] }
}

const restrictions = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', '$ref']

function acceptsNull(schema: JsonSchema): boolean {
  const { type, enum: values, anyOf } = schema
  if (!restrictions.some(keyword => keyword in schema)) return true
  if (Array.isArray(anyOf)) return anyOf.some(acceptsNull)
  return [type].flat().includes('null') && (!Array.isArray(values) || values.includes(null))
}

const bounds = ['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'minItems', 'maxItems']

/** The schema of a response: a stored value may be older than the bounds of its field. */
export const withoutBounds = (schema: JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !bounds.includes(keyword)))
