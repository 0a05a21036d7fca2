import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { z } from 'zod'
import type { JsonSchema, SchemaContext } from '../core/describe/json-schema.ts'
import { readOnly, writeOnly } from '../core/fields/define-field.ts'
import type { Fields } from '../core/fields/field.ts'
import { publicId } from '../core/fields/keys/public-id.ts'
import { textKey } from '../core/fields/keys/text-key.ts'
import { uuidKey } from '../core/fields/keys/uuid-key.ts'
import { boolean } from '../core/fields/kinds/boolean.ts'
import { computed } from '../core/fields/kinds/computed.ts'
import { dateTime } from '../core/fields/kinds/date-time.ts'
import { decimal } from '../core/fields/kinds/decimal.ts'
import { file } from '../core/fields/kinds/file.ts'
import { hyperlinkedIdentity } from '../core/fields/kinds/hyperlinked-identity.ts'
import { integer } from '../core/fields/kinds/integer.ts'
import { key } from '../core/fields/kinds/key.ts'
import { slug } from '../core/fields/kinds/slug.ts'
import { text } from '../core/fields/kinds/text.ts'
import { nested } from '../core/fields/relations/nested.ts'
import { related } from '../core/fields/relations/related.ts'
import { zodField } from '../core/fields/schema-fields/zod-field.ts'
import { folder } from '../core/http/files/folder.ts'
import { resource } from '../core/resource/define/define-resource.ts'
import { describeShownObject, describeTakenObject, type Expansions } from '../core/view/describe/field-schema.ts'

const context: SchemaContext = {
  refer: name => ({ $ref: `#/components/schemas/${name}` }),
  hidesRows: ({ name }) => name === 'customers',
}

type Described = JsonSchema & {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
}

const takenBy = (fields: Fields, method: 'POST' | 'PUT' | 'PATCH', media?: 'json' | 'form') =>
  describeTakenObject(fields, { method, ...(media && { media }) }, context) as Described

const shownBy = (fields: Fields, isSparse = false, expansions?: Expansions) =>
  describeShownObject(fields, { isSparse, ...(expansions && { expansions }) }, context) as Described

const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code', max: 2 }),
  fields: { code: key() },
})
const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  lookup: 'handle',
  objectName: 'name',
  wire: 'camelCase',
  fields: {
    id: key(),
    handle: slug({ unique: 'Taken.' }),
    name: text({ max: 50 }),
    country: related(countries, { column: 'country_code', nullable: true }),
    is_vip: boolean({ default: false }),
  },
})
const lines = resource('lines', {
  table: 'lines',
  fields: {
    id: key(),
    order: related('orders', { column: 'order_id' }),
    place: integer({ default: 0 }),
    unit_price: decimal({ maxDigits: 6, decimalPlaces: 2 }),
    quantity: integer({ min: 1, default: 1 }),
  },
  wire: 'camelCase',
})
const url = { type: 'string', format: 'uri' }
const longKey = { type: 'integer', format: 'int64' }
const takenKey = { ...longKey, minimum: 1, maximum: Number.MAX_SAFE_INTEGER }

test('keys', () => {
  const show = (fields: Fields) => shownBy(fields).properties
  assert.deepEqual(show(countries.fields).code, { type: 'string' })
  assert.deepEqual(show(customers.fields).id, { type: 'string', format: 'uuid', readOnly: true })
  assert.deepEqual(show(lines.fields).id, { ...longKey, readOnly: true })
  assert.deepEqual(takenBy(countries.fields, 'POST').properties.code, {
    type: 'string',
    minLength: 1,
    maxLength: 2,
    'x-unique': true,
  })
  const { fields } = resource('codes', {
    table: 'codes',
    key: publicId('co'),
    fields: { id: key(), next: related('codes', { nullable: true }) },
  })
  assert.deepEqual(show(fields).id, { type: 'string', readOnly: true })
  assert.deepEqual(Object.keys(takenBy(fields, 'POST').properties), ['next'])
})

test('relations in each form, to one object and to many', () => {
  const codes = resource('codes', { table: 'codes', key: publicId('co'), fields: { id: key() } })
  const many = { table: 'joined', own: 'own_id', other: 'other_id' }
  const fields = {
    byKey: related(countries, { column: 'a' }),
    byField: related(customers, { column: 'b', by: 'handle', nullable: true }),
    byUrl: related(countries, { column: 'c', form: 'url' }),
    asText: related(customers, { column: 'd', shows: 'text' }),
    asObject: related(customers, { column: 'e', shows: ['id', 'is_vip'], ignoreRowFilter: true }),
    byCode: related(codes, { column: 'f' }),
    several: related(countries, { many, max: 3 }),
    severalUrls: related(customers, { many, form: 'url' }),
    reverse: related(lines, { many: { reverse: 'order_id' } }),
  }
  const uuid = { type: 'string', format: 'uuid' }
  const taken = takenBy(fields, 'POST')
  assert.deepEqual(taken.properties, {
    byKey: { type: 'string', minLength: 1, maxLength: 2 },
    byField: { type: ['string', 'null'], minLength: 1, pattern: '^[A-Za-z0-9_-]+$' },
    byUrl: url,
    asText: uuid,
    asObject: uuid,
    byCode: { type: 'string', pattern: '^co_[0-9A-Za-z]{16}$' },
    several: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 2 }, maxItems: 3 },
    severalUrls: { type: 'array', items: url, maxItems: 1000 },
  })
  const shown = shownBy(fields)
  assert.deepEqual(shown.properties, {
    byKey: { type: 'string' },
    byField: { type: ['string', 'null'] },
    byUrl: url,
    // A row filter hides customers from some callers.
    asText: { type: ['string', 'null'] },
    asObject: {
      type: 'object',
      properties: { id: { ...uuid, readOnly: true }, isVip: { type: 'boolean' } },
      required: ['id', 'isVip'],
    },
    byCode: { type: 'string' },
    several: { type: 'array', items: { type: 'string' } },
    severalUrls: { type: 'array', items: url },
    reverse: { type: 'array', items: longKey, readOnly: true },
  })
  assert.deepEqual(shown.required, Object.keys(fields))
})

test('expanded relations are objects, or what they are without the query', () => {
  const Customer = { $ref: '#/components/schemas/Customer' }
  const many = { table: 'joined', own: 'own_id', other: 'other_id' }
  const fields = {
    customer: related(customers, { nullable: true, label: 'Buyer' }),
    customers: related(customers, { many }),
    place: nested({ of: customers, column: 'place_id', fields: ['country'] }),
  }
  const object = () => Customer
  const expansions = {
    customer: { object },
    customers: { object },
    place: { inner: { country: { object: () => ({ $ref: '#/components/schemas/Country' }) } } },
  }
  const { properties } = shownBy(fields, false, expansions)
  const uuid = { type: 'string', format: 'uuid' }
  assert.deepEqual(properties.customer, {
    title: 'Buyer',
    anyOf: [{ ...uuid, type: ['string', 'null'] }, Customer],
  })
  assert.deepEqual(properties.customers, { type: 'array', items: { anyOf: [uuid, Customer] } })
  assert.deepEqual((properties.place as Described).properties.country, {
    anyOf: [{ type: ['string', 'null'] }, { $ref: '#/components/schemas/Country' }],
  })
})

test('a body has the required fields, defaults and flags of its method; a response has the fields that all callers see', () => {
  const fields: Fields = {
    id: readOnly(integer()),
    url: hyperlinkedIdentity(),
    title: text({ max: 9, label: 'Name', help: 'As printed.', unique: 'Taken.' }),
    code: text({ fixed: true }),
    price: decimal({ maxDigits: 5, decimalPlaces: 2, default: '1.50', min: 1, max: 9 }),
    due: dateTime({ nullable: true }),
    secret: writeOnly(text({ nullable: true })),
    margin: integer({ default: 0, visible: () => false }),
    rating: zodField(z.number().min(0).max(5).nullable().default(null)),
    loud: computed(boolean(), () => sql`true`),
    any: computed({ columns: ['title'], value: () => 1 }),
    origin: text({ source: 'customer.name' }),
  }
  const post = takenBy(fields, 'POST')
  assert.deepEqual(post, {
    type: 'object',
    properties: {
      title: {
        type: 'string',
        minLength: 1,
        maxLength: 9,
        title: 'Name',
        description: 'As printed.',
        'x-unique': true,
      },
      code: { type: 'string', minLength: 1 },
      price: {
        type: 'string',
        format: 'decimal',
        pattern: '^-?\\d{1,3}(?:\\.\\d{1,2})?$',
        'x-minimum': 1,
        'x-maximum': 9,
        default: '1.50',
      },
      due: { type: ['string', 'null'], format: 'date-time' },
      secret: { type: ['string', 'null'], minLength: 1, writeOnly: true },
      margin: { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647, default: 0 },
      rating: { anyOf: [{ type: 'number', minimum: 0, maximum: 5 }, { type: 'null' }], default: null },
    },
    required: ['title', 'code'],
  })
  assert.deepEqual(takenBy(fields, 'PUT').required, ['title'])
  assert.equal('required' in takenBy(fields, 'PATCH'), false)
  assert.equal('default' in takenBy(fields, 'PUT').properties.price!, false)
  assert.equal('default' in takenBy(fields, 'PATCH').properties.rating!, false)
  const shown = shownBy(fields)
  assert.deepEqual(shown.required, ['id', 'url', 'title', 'code', 'price', 'due', 'rating', 'loud', 'any', 'origin'])
  assert.deepEqual(shown.properties.loud, { type: 'boolean', readOnly: true })
  assert.deepEqual(shown.properties.any, { readOnly: true })
  assert.equal('secret' in shown.properties, false)
  assert.equal('required' in shownBy(fields, true), false)
})

test('files are binary in forms, null or absent in JSON, and objects in responses', () => {
  const store = folder('data')
  const fields = { report: file({ store }), photo: file({ store, nullable: true }) }
  const binary = { type: 'string', format: 'binary' }
  const form = takenBy(fields, 'POST', 'form')
  assert.deepEqual(form.properties, { report: binary, photo: { ...binary, type: ['string', 'null'] } })
  assert.deepEqual(form.required, ['report'])
  assert.equal('required' in takenBy(fields, 'PUT', 'form'), false)
  assert.deepEqual(takenBy(fields, 'PATCH').properties, { photo: { type: 'null' } })
  const { properties } = shownBy(fields)
  assert.deepEqual((properties.report as Described).required, ['url', 'name', 'type', 'size'])
  assert.deepEqual(properties.photo!.type, ['object', 'null'])
})

test('children are new ones without the key of the parent, or named by their keys', () => {
  const options = { of: lines, many: { reverse: 'order_id' }, position: 'place' } as const
  const unitPrice = { type: 'string', format: 'decimal', pattern: '^-?\\d{1,4}(?:\\.\\d{1,2})?$' }
  const quantity = { type: 'integer', format: 'int32', minimum: 1, maximum: 2147483647 }
  const created = {
    type: 'object',
    properties: { unitPrice, quantity: { ...quantity, default: 1 } },
    required: ['unitPrice'],
  }
  const named = { type: 'object', properties: { id: takenKey, unitPrice, quantity } }
  const fields = { lines: nested({ ...options, writable: true, max: 20 }) }
  assert.deepEqual(takenBy(fields, 'POST').properties.lines, { type: 'array', items: created, maxItems: 20 })
  assert.deepEqual(takenBy(fields, 'PUT').properties.lines, {
    type: 'array',
    items: { anyOf: [created, { ...named, required: ['id', 'unitPrice'] }] },
    maxItems: 20,
  })
  assert.deepEqual(takenBy(fields, 'PATCH').properties.lines, {
    type: 'array',
    items: { anyOf: [created, { ...named, required: ['id'] }] },
    maxItems: 20,
  })
  const kept = { lines: nested({ ...options, writable: ['remove'] }) }
  assert.deepEqual(takenBy(kept, 'PATCH').properties.lines, {
    type: 'array',
    items: { type: 'object', properties: { id: takenKey }, required: ['id'] },
    maxItems: 1000,
  })
  const one = { line: nested({ of: lines, one: { reverse: 'order_id' }, fields: ['quantity'], writable: true }) }
  const { anyOf } = takenBy(one, 'PATCH').properties.line as { readonly anyOf: readonly JsonSchema[] }
  assert.deepEqual(anyOf.at(-1), { type: 'null' })
  assert.deepEqual(shownBy(one).properties.line!.type, ['object', 'null'])
})
