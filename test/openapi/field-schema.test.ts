import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import type { JsonSchema, SchemaContext } from '../../src/core/describe/json-schema.ts'
import { ValidationError } from '../../src/core/errors/exceptions.ts'
import { emptyContext, type Field } from '../../src/core/fields/field.ts'
import { boolean } from '../../src/core/fields/kinds/boolean.ts'
import { choice } from '../../src/core/fields/kinds/choice.ts'
import { date } from '../../src/core/fields/kinds/date.ts'
import { dateTime } from '../../src/core/fields/kinds/date-time.ts'
import { decimal } from '../../src/core/fields/kinds/decimal.ts'
import { duration } from '../../src/core/fields/kinds/duration.ts'
import { email } from '../../src/core/fields/kinds/email.ts'
import { integer } from '../../src/core/fields/kinds/integer.ts'
import { json } from '../../src/core/fields/kinds/json.ts'
import { list } from '../../src/core/fields/kinds/list.ts'
import { multipleChoice } from '../../src/core/fields/kinds/multiple-choice.ts'
import { number } from '../../src/core/fields/kinds/number.ts'
import { object } from '../../src/core/fields/kinds/object.ts'
import { slug } from '../../src/core/fields/kinds/slug.ts'
import { text } from '../../src/core/fields/kinds/text.ts'
import { time } from '../../src/core/fields/kinds/time.ts'
import { url } from '../../src/core/fields/kinds/url.ts'
import { uuid } from '../../src/core/fields/kinds/uuid.ts'
import { readPresent } from '../../src/core/fields/read-fields.ts'
import { zodField } from '../../src/core/fields/schema-fields/zod-field.ts'
import { describeShown, describeTaken } from '../../src/core/view/describe/field-schema.ts'
import { createSchemaValidator, type Validate } from '../../src/openapi/schema-validator.ts'

interface Kind {
  readonly field: Field
  /** Values that the field accepts, or almost. */
  readonly near: fc.Arbitrary<unknown>
  /** Whether the field refuses this value of the schema for a reason that JSON Schema cannot express. */
  readonly mayRefuse?: (value: never) => boolean
}

const digits = fc.stringMatching(/^-?\d{0,5}(?:\.\d{0,4})?$/)
const words = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.stringMatching(/^[ \t]{0,2}[\w-]{0,5}\s{0,2}$/),
)
const clock = fc.stringMatching(/^(?:-?\d{1,3} )?(?:\d{1,2}:){0,2}\d{1,2}(?:\.\d{1,7})?$/)
const isUntrimmed = (value: string) => value !== value.trim()
const hasNul = (value: unknown) => JSON.stringify(value).includes('\\u0000')
const isBad = (value: string) => isUntrimmed(value) || hasNul(value) || !value.isWellFormed()
const label = fc.stringMatching(/^[a-zäß\d-]{1,6}$/)
const address = fc.tuple(label, label, label).map(([name, domain, top]) => `${name}@${domain}.${top}`)
const rows = { table: 'rows', own: 'own', other: 'other' }

const kinds: Readonly<Record<string, Kind>> = {
  'text()': { field: text(), near: words, mayRefuse: isBad },
  'text({ min, max })': { field: text({ min: 2, max: 4 }), near: words, mayRefuse: isBad },
  'text({ blank, min })': { field: text({ blank: true, min: 2 }), near: words, mayRefuse: isBad },
  'text({ blank, max })': { field: text({ blank: true, max: 3 }), near: words, mayRefuse: isBad },
  'text({ trim: false })': { field: text({ trim: false, max: 3 }), near: words, mayRefuse: isBad },
  'text({ trim, whitespaceOnly: false })': {
    field: text({ trim: false, whitespaceOnly: false, max: 3 }),
    near: words,
    mayRefuse: (value: string) => hasNul(value) || !value.isWellFormed(),
  },
  'text({ trim, whitespaceOnly: false, blank })': {
    field: text({ trim: false, whitespaceOnly: false, blank: true, min: 3 }),
    near: words,
    mayRefuse: (value: string) => hasNul(value) || !value.isWellFormed(),
  },
  'text({ pattern })': {
    field: text({ pattern: { test: /^[a-c]\d{1,2}$/, message: 'no' } }),
    near: fc.stringMatching(/^[a-d]\d{0,3}$/),
  },
  'text({ pattern with flags })': {
    field: text({ pattern: { test: /^a.c$/is, message: 'no' } }),
    near: fc.stringMatching(/^[aA][\s\S]{0,2}[cC]$/),
    mayRefuse: () => true,
  },
  'text({ pattern of code units })': {
    field: text({ pattern: { test: /^..$/, message: 'no' } }),
    near: fc.string({ unit: 'grapheme', maxLength: 3 }),
    mayRefuse: () => true,
  },
  'email()': { field: email(), near: address, mayRefuse: () => true },
  'email({ blank })': { field: email({ blank: true }), near: address, mayRefuse: () => true },
  'url()': { field: url(), near: fc.webUrl(), mayRefuse: () => true },
  'slug()': { field: slug({ max: 5 }), near: fc.stringMatching(/^[\w-]{0,7}$/) },
  'uuid()': { field: uuid(), near: fc.uuid() },
  'choice()': { field: choice({ a: 'First', b: 'Second' }), near: fc.constantFrom('a', 'b', 'c') },
  'choice() of integers': {
    field: choice([
      [1, 'Low'],
      [2, 'High'],
    ]),
    near: fc.constantFrom(0, 1, 2, '1'),
  },
  'multipleChoice()': {
    field: multipleChoice(['a', 'b'], { rows }),
    near: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }),
  },
  'boolean()': { field: boolean(), near: fc.constantFrom(true, false, 'yes', 0, 1, 'no', 2) },
  'integer()': { field: integer(), near: fc.oneof(fc.integer(), digits, fc.double()) },
  'integer({ min, max })': { field: integer({ min: -3, max: 2 ** 40 }), near: fc.integer({ min: -5, max: 5 }) },
  'number()': { field: number(), near: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), digits) },
  'number({ min, max })': { field: number({ min: 0, max: 1.5 }), near: fc.double({ min: -1, max: 2 }) },
  'decimal()': { field: decimal({ maxDigits: 5, decimalPlaces: 2 }), near: digits },
  'decimal() below 1': { field: decimal({ maxDigits: 2, decimalPlaces: 2 }), near: digits },
  'decimal() of whole numbers': { field: decimal({ maxDigits: 3, decimalPlaces: 0 }), near: digits },
  'decimal({ min })': {
    field: decimal({ maxDigits: 4, decimalPlaces: 1, min: 1 }),
    near: digits,
    mayRefuse: (value: string) => Number(value) < 1,
  },
  'date()': {
    field: date(),
    near: fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d$/),
    mayRefuse: (value: string) => value.startsWith('0000'),
  },
  'time()': { field: time(), near: clock },
  'dateTime()': {
    field: dateTime(),
    near: fc.oneof(
      fc.date({ noInvalidDate: true }).map(value => value.toISOString()),
      fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d(?::[0-6]\d(?:\.\d{1,7})?)?(?:Z|[+-][0-2]\d:\d\d)?$/),
    ),
    // A leap second, or a year that no database stores.
    mayRefuse: (value: string) => /:60|^(?:0000|9999|0001)|\.\d{13}/.test(value),
  },
  'duration()': { field: duration(), near: fc.oneof(clock, fc.integer()) },
  'list()': {
    field: list({ of: integer(), min: 1, max: 3 }),
    near: fc.array(fc.oneof(fc.integer(), digits), { maxLength: 5 }),
  },
  'list({ empty: false })': {
    field: list({ of: boolean({ nullable: true }), empty: false }),
    near: fc.array(fc.oneof(fc.boolean(), fc.constant(null)), { maxLength: 2 }),
  },
  'list({ rows })': {
    field: list({ of: text({ max: 3 }), rows }),
    near: fc.array(words, { maxLength: 3 }),
    mayRefuse: (value: readonly string[]) => value.some(isBad),
  },
  'object()': {
    field: object({
      fields: { size: integer(), unit: choice(['cm', 'in'], { default: 'cm' }), note: slug({ nullable: true }) },
    }),
    near: fc.record(
      {
        size: fc.oneof(fc.integer(), digits),
        unit: fc.constantFrom('cm', 'in', 'm'),
        note: fc.oneof(fc.constant(null), fc.constantFrom('a', '')),
        more: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  },
  'json()': { field: json(), near: fc.jsonValue(), mayRefuse: hasNul },
  'json({ nullable })': { field: json({ nullable: true }), near: fc.jsonValue(), mayRefuse: hasNul },
  'zodField()': {
    field: zodField(z.array(z.object({ id: z.int(), at: z.iso.date().optional() })).nullable()),
    near: fc.array(fc.record({ id: fc.integer(), at: fc.constantFrom('2026-01-01', 'x', undefined) }), {
      maxLength: 2,
    }),
  },
  'zodField() with a default': {
    field: zodField(z.enum(['a', 'b']).default('a')),
    near: fc.constantFrom('a', 'b', 'c'),
  },
}

const context: SchemaContext = {
  refer(name) {
    throw new Error(`the fields refer to ${name}`)
  },
}

const compile = (schema: JsonSchema): Validate =>
  createSchemaValidator({ components: { schemas: { value: schema } } })(['components', 'schemas', 'value'])

async function parse(field: Field, input: unknown): Promise<{ readonly value: unknown } | undefined> {
  try {
    return { value: await readPresent(field, input, emptyContext) }
  } catch (error) {
    if (error instanceof ValidationError) return undefined
    throw error
  }
}

const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

for (const [name, { field, near, mayRefuse = () => false }] of Object.entries(kinds)) {
  const taken = compile(describeTaken(field, context))
  const shown = compile(describeShown(field, context))
  const inputs = fc.oneof({ weight: 4, arbitrary: near }, fc.jsonValue({ maxDepth: 2 }), words, fc.constant(null))

  test(`${name}: the schema accepts what the field accepts, and what responses show of it`, () =>
    fc.assert(
      fc.asyncProperty(inputs, async input => {
        const parsed = await parse(field, input)
        if (parsed === undefined) return
        assert.deepEqual(taken(toJson(parsed.value)), [])
        assert.deepEqual(shown(toJson(parsed.value)), [])
      }),
    ))

  test(`${name}: the field accepts what the schema accepts`, () =>
    fc.assert(
      fc.asyncProperty(inputs.map(toJson), async input => {
        if (taken(input).length > 0 || mayRefuse(input as never)) return
        assert.notEqual(await parse(field, input), undefined)
      }),
    ))
}
