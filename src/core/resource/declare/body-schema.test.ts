import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import { type Same, same } from '../../../../test/support/same-types.ts'
import {
  type CreateBody,
  choice,
  decimal,
  file,
  folder,
  key,
  list,
  nested,
  type PatchBody,
  related,
  resource,
  text,
  uuidKey,
  ValidationError,
} from '../../../index.ts'
import { type BodySchema, bodySchema } from './body-schema.ts'

const customers = resource('customers', { table: 'customers', key: uuidKey(), fields: { id: key(), name: text() } })
const lines = resource('lines', {
  table: 'lines',
  wire: 'camelCase',
  fields: { id: key(), order: related('orders'), product_code: text({ max: 5 }), note: text({ nullable: true }) },
})
const orders = resource('orders', {
  table: 'orders',
  fields: {
    id: key(),
    number: text({
      fixed: true,
      validators: [
        async number => {
          if (number === 'taken') throw new ValidationError('This number is reserved.')
        },
      ],
    }),
    status: choice(['open', 'paid'], { default: 'open' }),
    total: decimal({ maxDigits: 6, decimalPlaces: 2 }),
    tags: list({ of: text({ max: 3 }), default: [] }),
    customer: related(customers),
    seller: related(customers, { nullable: true, form: 'url' }),
    invoice: file({ store: folder('data'), nullable: true }),
    lines: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['id', 'product_code', 'note'], writable: true }),
  },
  perAction: { update: { takes: ['status', 'total', 'lines'] } },
})

const create = bodySchema(orders, 'create')
const update = bodySchema(orders, 'update')
const customer = '018f0000-0000-7000-8000-000000000000'
const valid = { number: 'A1', total: '9.5', customer }

async function validate(schema: BodySchema<unknown>, value: unknown): Promise<StandardSchemaV1.Result<unknown>> {
  return schema['~standard'].validate(value)
}

const listIssues = async (schema: BodySchema<unknown>, value: unknown) =>
  ((await validate(schema, value)).issues ?? []).map(({ message, path = [] }) => `${path.join('.')}: ${message}`)

test('the types are those of the bodies', () => {
  same<Same<StandardSchemaV1.InferOutput<typeof create>, CreateBody<typeof orders>>>()
  same<Same<StandardSchemaV1.InferInput<typeof update>, PatchBody<typeof orders>>>()
  create satisfies StandardSchemaV1 & StandardJSONSchemaV1
  // @ts-expect-error: there are three bodies.
  assert.throws(() => bodySchema(orders, 'destroy'), /bodySchema\(\): there is no body "destroy": choose create, /)
})

test('a valid body is returned as the service reads it, without defaults and unknown members', async () => {
  const invoice = new Blob(['%PDF'])
  const body = {
    ...valid,
    number: ' A1 ',
    seller: '/customers/1/',
    invoice,
    lines: [{ productCode: 'tea', note: '' }],
    unknown: 1,
  }
  assert.deepEqual(await validate(create, { ...body, lines: [{ productCode: ' tea' }] }), {
    value: { ...valid, total: '9.50', seller: '/customers/1/', invoice, lines: [{ productCode: 'tea' }] },
  })
  assert.deepEqual(await validate(update, { total: '1', number: 'B' }), { value: { total: '1.00' } })
  assert.deepEqual(await validate(update, {}), { value: {} })
})

test('a default that is a function, and a key that the body may give, need no value', async () => {
  const meals = resource('meals', {
    table: 'meals',
    key: uuidKey({ given: true }),
    fields: { id: key(), name: text(), owner: text({ default: ({ user }) => user.username }) },
  })
  const schema = bodySchema(meals, 'create')['~standard']
  assert.deepEqual(await schema.validate({ name: 'Soup' }), { value: { name: 'Soup' } })
  assert.deepEqual(await schema.validate({ id: customer.toUpperCase(), name: 'Soup' }), {
    value: { id: customer, name: 'Soup' },
  })
})

test('issues have the messages of the service and the paths of the values', async () => {
  assert.deepEqual(await listIssues(create, { number: 'taken', status: 'new', tags: ['a', 'long'], customer: 'x' }), [
    'number: This number is reserved.',
    'status: "new" is not a valid choice.',
    'total: This field is required.',
    'tags.1: Ensure this field has no more than 3 characters.',
    'customer: Must be a valid UUID.',
  ])
  const [issue] = (await validate(create, { ...valid, tags: ['a', 'long'] })).issues!
  assert.deepEqual(issue!.path, ['tags', 1])
  const lines = [{ productCode: 'tea' }, { productCode: 'coffee' }, 5]
  assert.deepEqual(await listIssues(create, { ...valid, lines }), [
    'lines.1.productCode: Ensure this field has no more than 5 characters.',
    'lines.2: Invalid data. Expected a dictionary, but got int.',
  ])
  assert.deepEqual(await listIssues(create, 'text'), [': Invalid data. Expected a dictionary, but got str.'])
  assert.equal((await listIssues(create, { ...valid, seller: 5, invoice: 'text' })).length, 2)
})

test('children that exist are named by their keys, and an update may lack their fields', async () => {
  const value = { lines: [{ id: 3, note: 'n' }, { id: 4 }, { productCode: 'tea' }] }
  assert.deepEqual(await validate(update, value), { value })
  assert.deepEqual(await listIssues(update, { lines: [{ note: 'n' }] }), [
    'lines.0.productCode: This field is required.',
  ])
})

test('the JSON Schema is that of the document', () => {
  const { jsonSchema } = create['~standard']
  const schema = jsonSchema.input({ target: 'draft-2020-12' })
  assert.equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
  assert.deepEqual(schema.required, ['number', 'total', 'customer'])
  assert.deepEqual(jsonSchema.output({ target: 'draft-2020-12' }), schema)
  assert.equal(jsonSchema.input({ target: 'draft-07' }).$schema, 'http://json-schema.org/draft-07/schema#')
  assert.throws(() => jsonSchema.input({ target: 'openapi-3.0' }), /choose draft-2020-12 or draft-07/)
  assert.equal('required' in update['~standard'].jsonSchema.input({ target: 'draft-2020-12' }), false)
})
