// Describes the values that a schema accepts, in words: their types, limits and choices.

import type { JsonSchema } from '../../openapi/json-schema.ts'
import { listAlternatives, type SchemaReader } from '../../openapi/schema-reader.ts'

/** A value that a schema accepts, with its label. */
export interface DescribedChoice {
  readonly value: string
  readonly label: string
}

/** The type of a schema's values: `string (date-time)`, `array of integer`. */
export function describeType(schema: JsonSchema, reader: SchemaReader, depth = 0): string {
  const types = listAlternatives(schema, reader).map(part => describeOne(part, reader, depth))
  return [...new Set(types)].join(' or ') || 'null'
}

function describeOne(schema: JsonSchema, reader: SchemaReader, depth: number): string {
  const { type, format, items, properties, enum: values } = schema
  const names = [type].flat().filter((name): name is string => typeof name === 'string' && name !== 'null')
  if (names.includes('array'))
    return depth > 3 || items === undefined
      ? 'array'
      : `array of ${describeType(items as JsonSchema, reader, depth + 1)}`
  if (names.length === 0) return properties !== undefined ? 'object' : Array.isArray(values) ? 'value' : 'any value'
  const known = typeof format === 'string' ? ` (${format})` : ''
  return names.map(name => name + known).join(' or ')
}

const limits: readonly (readonly [keyword: string, format: (value: unknown) => string])[] = [
  ['minLength', value => `at least ${value} ${value === 1 ? 'character' : 'characters'}`],
  ['maxLength', value => `at most ${value} characters`],
  ['minimum', value => `at least ${value}`],
  ['exclusiveMinimum', value => `more than ${value}`],
  ['maximum', value => `at most ${value}`],
  ['exclusiveMaximum', value => `less than ${value}`],
  ['multipleOf', value => `a multiple of ${value}`],
  ['minItems', value => `at least ${value} items`],
  ['maxItems', value => `at most ${value} items`],
  ['pattern', value => `matches ${value}`],
]

/** The limits of a schema's values, one text each. */
export function describeLimits(schema: JsonSchema, reader: SchemaReader): readonly string[] {
  const texts = listAlternatives(schema, reader).flatMap(part =>
    limits.flatMap(([keyword, format]) => (part[keyword] === undefined ? [] : [format(part[keyword])])),
  )
  return [...new Set(texts)]
}

/** The choices of a schema; none if it accepts other values too. */
export function listChoices(schema: JsonSchema, reader: SchemaReader): readonly DescribedChoice[] {
  return listAlternatives(schema, reader).flatMap(part => {
    const items = [part.type].flat().includes('array') ? reader.resolve((part.items ?? {}) as JsonSchema) : part
    const { enum: values, const: only, 'x-enum-descriptions': labels } = items
    const listed = Array.isArray(values) ? values : only === undefined ? [] : [only]
    return listed
      .map((value, index) => ({
        value: formatValue(value),
        label: String((labels as unknown[] | undefined)?.[index] ?? ''),
      }))
      .filter(({ value }) => value !== 'null')
  })
}

/** A value as text: texts without quotation marks, anything else as JSON. */
export const formatValue = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')

/** The members of an object that a schema describes, of its items, or of its alternatives; undefined if it has none. */
export function findMembers(schema: JsonSchema, reader: SchemaReader): JsonSchema | undefined {
  for (const part of listAlternatives(schema, reader)) {
    if (part.properties !== undefined) return part
    if (part.items !== undefined) return findMembers(part.items as JsonSchema, reader)
  }
  return undefined
}
