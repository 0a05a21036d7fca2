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

test('formats that are not known are not mentioned', context => {
  const warn = context.mock.method(console, 'warn', () => {})
  const find = createSchemaValidator({ components: { schemas: { Address: { type: 'string', format: 'ipv4' } } } })
  assert.deepEqual(find(['components', 'schemas', 'Address'])('somewhere'), [])
  assert.equal(warn.mock.callCount(), 0)
})
