// Makes values that a schema accepts. Parts of a known value, such as a stored object, are taken where they fit.

import { isObject, type JsonSchema } from '#core'
import { acceptsNull, listAlternatives, type SchemaReader } from './schema-reader.ts'

const maxDepth = 6

/**
 * Creates an example; undefined if none can be made, because the schema has a pattern or a keyword that no known value meets. A
 * value of such a member is left out where that is allowed.
 */
export function createExample(schema: JsonSchema, reader: SchemaReader, known?: unknown, depth = 0): unknown {
  const resolved = reader.resolve(schema)
  const given = findGiven(resolved)
  if (given !== undefined && known === undefined) return given
  if (known === null && acceptsNull(schema, reader)) return null
  const alternatives = listAlternatives(schema, reader)
  if (alternatives.length === 0) return null
  const value = alternatives.some(part => fits(known, part)) ? known : findKey(known, alternatives)
  const fitting = value === undefined ? undefined : alternatives.find(part => fits(value, part))
  if (fitting !== undefined) return createOne(fitting, reader, value, depth)
  for (const part of alternatives) {
    const made = createOne(part, reader, undefined, depth)
    if (made !== undefined) return made
  }
  return acceptsNull(schema, reader) ? null : undefined
}

// A related object that a response shows is named in a body by its key, or by another of its fields.
const findKey = (known: unknown, alternatives: readonly JsonSchema[]): unknown =>
  isObject(known) ? Object.values(known).find(member => alternatives.some(part => fits(member, part))) : undefined

function findGiven({ example, examples, const: only, default: value }: JsonSchema): unknown {
  if (example !== undefined) return example
  if (Array.isArray(examples) && examples.length > 0) return examples[0]
  return only ?? (value === '' || value === null ? undefined : value)
}

const unknownKeywords = [
  'allOf',
  'not',
  'if',
  'contains',
  'patternProperties',
  'minProperties',
  'prefixItems',
  'dependentRequired',
]

function createOne(schema: JsonSchema, reader: SchemaReader, known: unknown, depth: number): unknown {
  const { enum: values, const: only, type, properties } = schema
  if (only !== undefined) return only
  if (Array.isArray(values)) return known ?? values.find(value => value !== null) ?? null
  if (unknownKeywords.some(keyword => keyword in schema)) return undefined
  const [name] = type === 'null' ? [type] : [type].flat().filter(each => each !== 'null')
  if (name === 'array') return createItems(schema, reader, known, depth)
  if (name === 'object' || properties !== undefined) return createObject(schema, reader, known, depth)
  if (known !== undefined) return known
  if (name === 'string') return createText(schema)
  if (name === 'integer' || name === 'number') return createNumber(schema)
  return name === 'boolean' ? true : name === undefined ? {} : null
}

function createItems(schema: JsonSchema, reader: SchemaReader, known: unknown, depth: number): unknown {
  const items = (schema.items ?? {}) as JsonSchema
  const minItems = Number(schema.minItems ?? 0)
  const wanted = Math.max(schema.maxItems === 0 ? 0 : 1, minItems)
  const found = Array.isArray(known) ? known.slice(0, Math.max(2, minItems)) : []
  const values = found.map(item => createExample(items, reader, item, depth + 1)).filter(item => item !== undefined)
  if (values.length >= wanted) return values
  if (depth > maxDepth && minItems === 0) return []
  const example = createExample(items, reader, undefined, depth + 1)
  if (example === undefined || (schema.uniqueItems === true && wanted > 1)) return minItems === 0 ? [] : undefined
  return Array.from({ length: wanted }, (_, index) => values[index] ?? example)
}

function createObject(schema: JsonSchema, reader: SchemaReader, known: unknown, depth: number): object | undefined {
  const required = new Set((schema.required as readonly string[] | undefined) ?? [])
  const members = Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>)
  const made = members.flatMap(([name, member]) => {
    // Tools take a member of this name for a reference, also in examples.
    if (name === '$ref' || (depth > maxDepth && !required.has(name))) return []
    const value = Object.hasOwn(Object(known), name) ? Object(known)[name] : undefined
    // A member of a stored object that it lacks may be left out.
    if (known !== undefined && value === undefined && !required.has(name)) return []
    const example = createExample(member, reader, value, depth + 1)
    return example === undefined ? [] : [[name, example] as const]
  })
  const names = new Set(made.map(([name]) => name))
  return [...required].every(name => names.has(name)) ? Object.fromEntries(made) : undefined
}

function createNumber(schema: JsonSchema): number | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const step = Number(multipleOf ?? 1)
  const low = Number(minimum ?? exclusiveMinimum ?? Number.NEGATIVE_INFINITY)
  const high = Number(maximum ?? exclusiveMaximum ?? Number.POSITIVE_INFINITY)
  const nearest = Math.min(Math.max(low, step), high)
  const multiples = [Math.floor(nearest / step), Math.ceil(nearest / step)].flatMap(count => [
    count,
    count + 1,
    count - 1,
  ])
  const candidates = [...multiples.map(count => count * step), low, high, (low + high) / 2]
  return candidates.find(value => fitsNumber(value, schema))
}

const textsByFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00',
  'time-local': '12:00:00',
  uuid: '0198a5b2-7c1e-7d3a-9f60-3b1c2d4e5f60',
  email: 'ada@example.com',
  uri: 'https://example.com/',
  'uri-reference': '/path/',
  decimal: '9.50',
  duration: '01:00:00',
  binary: '(the file)',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

const texts = [
  'text',
  'Text',
  '9.50',
  '9.5',
  '9',
  '1',
  '12:00:00',
  '01:00:00',
  'P1D',
  'A-1',
  'AB',
  'ab',
  'ABC',
  'a1',
  '2026-01-31',
]

function createText({ format, pattern, minLength, maxLength }: JsonSchema): string | undefined {
  const first = typeof format === 'string' ? textsByFormat[format] : undefined
  const expression = typeof pattern === 'string' ? (toExpression(pattern) ?? nothing) : undefined
  const low = Number(minLength ?? 0)
  const high = Number(maxLength ?? Number.POSITIVE_INFINITY)
  const candidates = [...(first === undefined ? [] : [first]), ...texts, 'x'.repeat(Math.min(low, 1000))]
  const fit = (text: string) => text.length >= low && text.length <= high && (expression?.test(text) ?? true)
  return candidates.find(fit)
}

/** Matches no text. */
const nothing = /(?!)/

function toExpression(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u')
  } catch {
    return undefined
  }
}

// Whether a known value is one of the schema. Only its parts are taken if it is an object or a list.
function fits(value: unknown, schema: JsonSchema): boolean {
  const { type, enum: values, format, properties, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (Array.isArray(values) && !values.includes(value)) return false
  const names = [type].flat().filter(name => name !== undefined)
  if (Array.isArray(value)) return names.includes('array')
  if (typeof value === 'object' && value !== null)
    return names.includes('object') || properties !== undefined || names.length === 0
  if (typeof value === 'string') {
    const fitsLength = value.length >= Number(minLength) && value.length <= Number(maxLength)
    return names.includes('string') && fitsLength && fitsFormat(value, format) && fitsPattern(value, schema)
  }
  if (typeof value === 'number') return fitsNumber(value, schema)
  return names.length === 0 || names.includes(value === null ? 'null' : typeof value)
}

const formatPatterns: Readonly<Record<string, RegExp>> = {
  binary: nothing,
  uuid: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  date: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$/,
  'date-time':
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i,
}

// Days after the 28th are not taken, because not every month has them.
const fitsFormat = (value: string, format: unknown): boolean => formatPatterns[String(format)]?.test(value) ?? true

const fitsPattern = (value: string, { pattern }: JsonSchema): boolean =>
  typeof pattern !== 'string' || (toExpression(pattern)?.test(value) ?? false)

function fitsNumber(value: number, schema: JsonSchema): boolean {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const names = [type].flat()
  const isOfType = names.includes('number') || (names.includes('integer') && Number.isInteger(value))
  return (
    isOfType &&
    Number.isFinite(value) &&
    (multipleOf === undefined || Number.isInteger(value / Number(multipleOf))) &&
    value >= Number(minimum ?? Number.NEGATIVE_INFINITY) &&
    value <= Number(maximum ?? Number.POSITIVE_INFINITY) &&
    value > Number(exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
    value < Number(exclusiveMaximum ?? Number.POSITIVE_INFINITY)
  )
}
