// What a Zod schema takes or makes, as its JSON Schema tells it.

import { type $ZodType, toJSONSchema } from 'zod/v4/core'
import { defineField, type Field, type FieldType } from './field.ts'

/** A field that only describes: what a schema takes or makes, all the way down. */
export interface SchemaField extends Field {
  readonly child?: SchemaField
  readonly children?: Readonly<Record<string, SchemaField>>
  /** The value where none is given. */
  readonly initial: unknown
}

/** What goes into the schema, or comes out of it; throws for what JSON cannot say. */
export function describeSchema(schema: $ZodType, io: 'input' | 'output'): SchemaField {
  try {
    return describe(toJSONSchema(schema, { io }) as JsonSchema, true)
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${advice}`)
  }
}

const advice =
  'a value is JSON, so write z.iso.datetime() for a moment, and such; and end a transform with .pipe(…), which says what it makes'

/** The part of JSON Schema that a field goes by. */
interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema | false
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

function describe(schema: JsonSchema, required: boolean): SchemaField {
  const { items, properties, required: names = [], enum: choices, ...described } = withoutNull(schema)
  const type = typeOf({ ...described, ...(choices && { enum: choices }) })
  const field = defineField<unknown>(
    { required, nullable: takesNull(schema) },
    {
      type,
      bounds: boundsOf(described),
      ...(type === 'string' && { blank: !described.minLength && !described.pattern && !described.format }),
      ...(type === 'choice' && { choices: new Set(choices as string[]) }),
      parse: input => input,
    },
  )
  const children = properties && Object.entries(properties)
  return {
    ...field,
    initial: schema.default,
    ...(items && { child: describe(items, true) }),
    ...(children && {
      children: Object.fromEntries(children.map(([name, of]) => [name, describe(of, names.includes(name))])),
    }),
  } as SchemaField
}

// Null is the field's own matter: what else may the value be?
function withoutNull(schema: JsonSchema): JsonSchema {
  const { type, anyOf } = schema
  const others = anyOf?.filter(one => one.type !== 'null')
  if (others?.length === 1) return others[0]!
  if (!Array.isArray(type)) return schema
  const [only, ...more] = type.filter(one => one !== 'null')
  const { type: _, ...rest } = schema
  return more.length === 0 ? { ...rest, type: only } : rest
}

const kinds = ['type', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', '$ref']

// What names no kind of value takes every one.
function takesNull(schema: JsonSchema): boolean {
  const { type, anyOf = [], enum: choices = [] } = schema
  const isAny = !kinds.some(kind => Object.hasOwn(schema, kind))
  return isAny || [type].flat().includes('null') || choices.includes(null) || anyOf.some(takesNull)
}

const types: Readonly<Record<string, FieldType>> = {
  string: 'string',
  integer: 'integer',
  number: 'float',
  boolean: 'boolean',
  array: 'list',
  object: 'nested object',
}

function typeOf({ type, enum: choices }: JsonSchema): FieldType {
  if (typeof type !== 'string') return 'json'
  if (choices && type === 'string') return 'choice'
  if (choices?.every(Number.isInteger)) return 'integer'
  return types[type] ?? 'json'
}

function boundsOf(described: JsonSchema): Record<string, number> {
  const bounds = {
    min_length: described.minLength ?? described.minItems,
    max_length: described.maxLength ?? described.maxItems,
    min_value: described.minimum,
    max_value: described.maximum,
  }
  return Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined)) as Record<string, number>
}
