// Arbitraries of the values that a JSON Schema describes, and of values that it almost describes.

import fc from 'fast-check'
import type { OpenApiDocument } from 'resource-api'

type Schema = Readonly<Record<string, unknown>>

/** A value that stands for one that the service has: it is known only when the request is sent. */
export class KnownValue {
  readonly name: string
  readonly index: number
  readonly isKey: boolean
  /** `isKey`: the name is that of a list, and the value a key in a URL. */
  constructor(name: string, index: number, isKey = false) {
    this.name = name
    this.index = index
    this.isKey = isKey
  }
}

/** Creates the arbitrary of a schema. `name`: of the member or parameter. */
export type CreateValues = (schema: Schema, name?: string) => fc.Arbitrary<unknown>

/** Values that programs often treat wrongly. */
export const hostileTexts: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    '\ud800',
    '💥',
    'ﬀ',
    '%',
    '_',
    "'",
    '"',
    '\\',
    ',',
    ';--',
    '../..',
    '*',
    '-',
    '.',
    '0',
    '-1',
    'NaN',
  ],
  ...[
    'null',
    'true',
    '1e999',
    '９',
    '2026-02-30',
    '0000-00-00T00:00:00Z',
    '10000-01-01',
    '{}',
    '[]',
    '$ref',
    '__proto__',
  ],
  ...[
    'constructor',
    'then',
    '\r\nX: y',
    '9'.repeat(40),
    'x'.repeat(3000),
    '9223372036854775808',
    '-9223372036854775809',
  ],
]

const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(null, [], {}, -1, 0, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, true, ...hostileTexts),
)

const maxDepth = 6

/**
 * Creates the arbitraries of the schemas in a document. `isExact`: the values match the schema, except where another
 * validator is needed; otherwise, members may be missing, unknown, or of any other kind.
 */
export function createSchemaValues(
  document: OpenApiDocument,
  { isExact }: { readonly isExact: boolean },
): CreateValues {
  const create = (schema: Schema, name: string, depth: number): fc.Arbitrary<unknown> => {
    const value = describe(schema, name, depth)
    return isExact ? value : fc.oneof({ arbitrary: value, weight: 14 }, { arbitrary: hostile, weight: 1 })
  }
  const describe = (schema: Schema, name: string, depth: number): fc.Arbitrary<unknown> => {
    if (depth > maxDepth) return fc.constant(null)
    const { $ref, anyOf, oneOf, type, enum: values } = schema
    if (typeof $ref === 'string') return create(findComponent(document, $ref), name, depth + 1)
    const alternatives = (anyOf ?? oneOf) as readonly Schema[] | undefined
    if (alternatives) return fc.oneof(...alternatives.map(each => create(each, name, depth + 1)))
    if (Array.isArray(values)) return fc.constantFrom(...values)
    if ('const' in schema) return fc.constant(schema.const)
    const types = [(type ?? []) as string | readonly string[]].flat()
    return types.length === 0
      ? fc.jsonValue({ maxDepth: 2 })
      : fc.oneof(...types.map(each => createOfType(each, schema, name, depth)))
  }
  const createOfType = (type: string, schema: Schema, name: string, depth: number): fc.Arbitrary<unknown> => {
    if (type === 'object') return createObject(schema, depth)
    if (type !== 'array') return createScalar(type, schema, name)
    const {
      items = {},
      minItems = 0,
      maxItems = 4,
    } = schema as { items?: Schema; minItems?: number; maxItems?: number }
    const maxLength = Math.max(minItems, Math.min(maxItems, 4))
    return fc.array(create(items, name, depth + 1), { minLength: isExact ? minItems : 0, maxLength })
  }
  const createObject = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] }
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, create(member, name, depth + 1)]),
    )
    const known = fc.record(members, {
      requiredKeys: isExact ? required : required.filter((_, index) => index % 2 === 0),
    })
    if (isExact) return known
    const others = fc.dictionary(fc.oneof(fc.string(), fc.constantFrom(...hostileTexts)), hostile, { maxKeys: 2 })
    return fc.oneof({ arbitrary: known, weight: 5 }, { arbitrary: fc.tuple(known, others).map(join), weight: 1 })
  }
  return (schema, name = '') => create(schema, name, 0)
}

const join = ([one, other]: readonly [object, object]): object => ({ ...other, ...one })

function findComponent(document: OpenApiDocument, reference: string): Schema {
  const name = reference.replace('#/components/schemas/', '')
  return document.components.schemas[name] as Schema
}

interface Bounds {
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
}

function createScalar(type: string, schema: Schema, name: string): fc.Arbitrary<unknown> {
  const { minimum: min, maximum: max } = schema as Bounds
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'number')
    return fc.double({
      noNaN: true,
      noDefaultInfinity: true,
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
    })
  const known = fc.nat().map(index => new KnownValue(name, index))
  const free = type === 'integer' ? createInteger(schema as Bounds) : createText(schema as Bounds)
  return fc.oneof(free, known)
}

function createInteger({ minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER }: Bounds) {
  const [min, max] = [Math.max(minimum, Number.MIN_SAFE_INTEGER), Math.min(maximum, Number.MAX_SAFE_INTEGER)]
  const small = Math.max(min, 0)
  const free = fc.bigInt({ min: BigInt(min), max: BigInt(max) }).map(Number)
  return fc.oneof(free, fc.integer({ min: small, max: Math.min(small + 20, max) }))
}

const createMoment = () => fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })

const formats: Readonly<Record<string, () => fc.Arbitrary<string | File>>> = {
  binary: () => fc.string().map(text => new File([text], 'a.txt', { type: 'text/plain' })),
  uuid: () => fc.uuid(),
  uri: () => fc.webUrl(),
  email: () => fc.emailAddress(),
  date: () => createMoment().map(moment => moment.toISOString().slice(0, 10)),
  'date-time': () => createMoment().map(moment => moment.toISOString()),
}

function createText({ format = '', pattern, minLength = 0, maxLength = 20 }: Bounds): fc.Arbitrary<string | File> {
  const ofFormat = formats[format]
  if (ofFormat !== undefined) return ofFormat()
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, 'u'))
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, minLength + 20)) })
}
