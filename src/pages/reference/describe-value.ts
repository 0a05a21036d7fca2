// Describes the values that a schema accepts, in words: their types, limits and choices.

import type { JsonSchema } from '#core'
import { listAlternatives, type SchemaReader } from '#openapi'
import type { Words } from '../html/words.ts'
import type { PageKey } from '../messages/page-messages.ts'
import type { ReferenceReader } from './reference-reader.ts'

/** A value that a schema accepts, with its label. */
export interface DescribedChoice {
  readonly value: string
  readonly label: string
}

/** The type of a schema's values: `string (date-time)`, `array of integer`. */
export function describeType(schema: JsonSchema, reader: ReferenceReader, depth = 0): string {
  const types = listAlternatives(schema, reader).map(part => describeOne(part, reader, depth))
  return joinTypes([...new Set(types)], reader.words) || 'null'
}

const joinTypes = (types: readonly string[], words: Words): string =>
  types.reduce((first, second) => (first === '' ? second : words('reference.or', { first, second })), '')

function describeOne(schema: JsonSchema, reader: ReferenceReader, depth: number): string {
  const { words } = reader
  const { type, format, items, properties, enum: values } = schema
  const names = [type].flat().filter((name): name is string => typeof name === 'string' && name !== 'null')
  if (names.includes('array'))
    return depth > 3 || items === undefined
      ? 'array'
      : words('reference.array_of', { type: describeType(items as JsonSchema, reader, depth + 1) })
  if (names.length === 0)
    return properties !== undefined
      ? 'object'
      : words(Array.isArray(values) ? 'reference.value' : 'reference.any_value')
  const formatNote = typeof format === 'string' ? ` (${format})` : ''
  return joinTypes(
    names.map(name => name + formatNote),
    words,
  )
}

const limits: Readonly<Record<string, PageKey>> = {
  minLength: 'page.min_length',
  maxLength: 'page.max_length',
  minimum: 'page.min_value',
  exclusiveMinimum: 'page.more_than',
  maximum: 'page.max_value',
  exclusiveMaximum: 'reference.less_than',
  multipleOf: 'reference.multiple_of',
  minItems: 'page.min_items',
  maxItems: 'page.max_items',
  pattern: 'reference.matches',
}

/** The limits of a schema's values, one text each. */
export function describeLimits(schema: JsonSchema, reader: ReferenceReader): readonly string[] {
  const texts = listAlternatives(schema, reader).flatMap(part =>
    Object.entries(limits).flatMap(([keyword, key]) =>
      part[keyword] === undefined ? [] : [describeLimit(keyword, key, String(part[keyword]), reader.words)],
    ),
  )
  return [...new Set(texts)]
}

function describeLimit(keyword: string, key: PageKey, value: string, words: Words): string {
  if (keyword === 'minLength' && value === '1') return words('reference.min_length_one')
  return words(key, { value, count: value })
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
