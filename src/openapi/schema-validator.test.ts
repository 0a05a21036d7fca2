import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSchemaValidator } from './schema-validator.ts'

test('a member that an object inherits is not one of the response', () => {
  const properties = { name: { type: 'string' }, constructor: { type: 'string' }, toString: { type: 'integer' } }
  const required = ['name', 'constructor']
  const schemas = { Sparse: { type: 'object', properties }, Whole: { type: 'object', properties, required } }
  const find = createSchemaValidator({ components: { schemas } })
  assert.deepEqual(find(['components', 'schemas', 'Sparse'])({ name: 'Ann' }), [])
  assert.equal(find(['components', 'schemas', 'Whole'])({ name: 'Ann' }).length, 1)
  assert.equal(find(['components', 'schemas', 'Sparse'])({ constructor: 1 }).length, 1)
})

test('components that refer to each other in a long circle are compiled one by one', () => {
  const count = 2000
  const refer = (index: number) => ({ $ref: `#/components/schemas/Item${index % count}` })
  const schemas = Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const properties = {
        name: { type: 'string' },
        next: { anyOf: [{ type: 'null' }, refer(index + 1)] },
        last: refer(index + 7),
      }
      return [`Item${index}`, { type: 'object', properties, required: ['name'] }]
    }),
  )
  const validate = createSchemaValidator({ components: { schemas } })(['components', 'schemas', 'Item0'])
  assert.deepEqual(validate({ name: 'a', next: { name: 'b', next: null }, last: { name: 'c' } }), [])
  assert.deepEqual(validate({ name: 'a', last: { name: 'b', last: { name: 3 } } }), [
    '/last/last/name must be string {"type":"string"}',
  ])
})

test('a schema may refuse the members that another one does not describe', () => {
  const Base = { type: 'object', properties: { id: { type: 'integer' } } }
  const Closed = { $ref: '#/components/schemas/Base', unevaluatedProperties: false }
  const validate = createSchemaValidator({ components: { schemas: { Base, Closed } } })([
    'components',
    'schemas',
    'Closed',
  ])
  assert.deepEqual(validate({ id: 1 }), [])
  assert.equal(validate({ id: 1, other: 2 }).length, 1)
})

test('formats that are not known are not mentioned', context => {
  const warn = context.mock.method(console, 'warn', () => {})
  const find = createSchemaValidator({ components: { schemas: { Address: { type: 'string', format: 'ipv4' } } } })
  assert.deepEqual(find(['components', 'schemas', 'Address'])('somewhere'), [])
  assert.equal(warn.mock.callCount(), 0)
})
