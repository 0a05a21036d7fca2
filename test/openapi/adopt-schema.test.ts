import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type } from 'arktype'
import { z } from 'zod'
import type { JsonSchema } from '../../src/core/describe/json-schema.ts'
import type { Field } from '../../src/core/fields/field.ts'
import { zodField } from '../../src/core/fields/schema-fields/zod-field.ts'
import { describeSchema } from '../../src/core/view/describe/describe-schema.ts'
import { describeShown, describeTaken } from '../../src/core/view/describe/field-schema.ts'
import { createSchemaValidator } from '../../src/openapi/schema-validator.ts'
import { createSchemaContext } from '../support/schema-context.ts'

function createContext() {
  const { schemas, context } = createSchemaContext()
  const validate = (schema: JsonSchema, value: unknown) =>
    createSchemaValidator({ components: { schemas: { ...schemas, value: schema } } })([
      'components',
      'schemas',
      'value',
    ])(value)
  return { schemas, context, validate }
}

const category = z.object({
  name: z.string(),
  get children() {
    return z.array(category)
  },
})

test('a schema that contains itself refers to a component, apart for input and output', () => {
  const { schemas, context, validate } = createContext()
  const field: Field = zodField(z.object({ root: category }))
  const [taken, shown] = [describeTaken(field, context), describeShown(field, context)]
  assert.equal(Object.keys(schemas).length, 2)
  for (const schema of [taken, shown]) {
    assert.deepEqual(validate(schema, { root: { name: 'a', children: [{ name: 'b', children: [] }] } }), [])
    assert.notDeepEqual(validate(schema, { root: { name: 'a', children: [{ name: 5, children: [] }] } }), [])
  }
  const again = createContext()
  assert.deepEqual(describeTaken(field, again.context), taken)
  assert.deepEqual(validate(describeTaken(zodField(category), context), { name: 'a', children: [{}] }).length > 0, true)
})

test('a schema with a name of its own is a component with this name', () => {
  const { schemas, context } = createContext()
  const address = z.object({ city: z.string() }).meta({ id: 'Address' })
  describeTaken(zodField(z.object({ home: address, work: address })), context)
  assert.deepEqual(Object.keys(schemas), ['AddressInput'])
})

test('members named $ref and $defs, and values that look like references, stay', () => {
  const { context, validate } = createContext()
  const schema = describeSchema(z.object({ $ref: z.literal('#/$defs/x'), $defs: z.string().default('#') }), context)
  assert.deepEqual(validate(schema, { $ref: '#/$defs/x', $defs: 'y' }), [])
  assert.equal(validate(schema, { $ref: 'other' }).length, 1)
})

test('schemas of other libraries are described, also recursive ones; one without a description accepts everything', () => {
  const { context, validate } = createContext()
  const node = type.module({ node: { name: 'string', 'next?': 'node' } }).node
  const schema = describeSchema(node, context)
  assert.deepEqual(validate(schema, { name: 'a', next: { name: 'b' } }), [])
  assert.notDeepEqual(validate(schema, { name: 'a', next: { name: 5 } }), [])
  const bare = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const
  assert.deepEqual(describeSchema(bare, context), {})
})
