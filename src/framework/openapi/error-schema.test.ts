import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { createSchemaContext } from '../../../test/support/schema-context.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { readOnly } from '../fields/define-field.ts'
import { emptyContext } from '../fields/field.ts'
import { integer } from '../fields/integer.ts'
import { key } from '../fields/key.ts'
import { list } from '../fields/list.ts'
import { nested } from '../fields/nested.ts'
import { object } from '../fields/object.ts'
import { readFields } from '../fields/read-fields.ts'
import { related } from '../fields/related.ts'
import { text } from '../fields/text.ts'
import { zodField } from '../fields/zod-field.ts'
import { resource } from '../resources/define-resource.ts'
import { describeErrors } from './error-schema.ts'
import { createSchemaValidator } from './schema-validator.ts'

function describe(fields: Parameters<typeof describeErrors>[0]) {
  const { schemas, context } = createSchemaContext()
  schemas.errors = describeErrors(fields, { nonFieldErrorsKey: 'general' }, context)
  return { schemas, validate: createSchemaValidator({ components: { schemas } })(['components', 'schemas', 'errors']) }
}

const texts = { type: 'array', items: { type: 'string' } }

test('errors are lists of texts by field, nested for objects, lists and children', () => {
  const lines = resource('lines', {
    table: 'lines',
    fields: { id: key(), product_code: text(), note: text() },
    wire: 'camelCase',
  })
  const { schemas } = describe({
    id: readOnly(integer()),
    title: text(),
    sizes: list({ of: integer() }),
    box: object({ fields: { width: integer() } }),
    lines: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['id', 'product_code'], writable: true }),
    customer: related(lines, { column: 'customer_id' }),
  })
  const general = { general: texts }
  const line = { type: 'object', properties: { productCode: texts, ...general } }
  assert.deepEqual(schemas.errors, {
    type: 'object',
    properties: {
      title: texts,
      sizes: { anyOf: [texts, { type: 'object', additionalProperties: texts }] },
      box: { anyOf: [texts, { type: 'object', properties: { width: texts, ...general } }] },
      lines: { anyOf: [texts, { type: 'array', items: { anyOf: [line, texts] } }] },
      customer: texts,
      ...general,
    },
  })
})

test('the schema accepts the errors of every body', async () => {
  const fields = {
    title: text({ max: 3 }),
    sizes: list({ of: list({ of: integer({ max: 3 }) }), min: 1 }),
    box: object({ fields: { width: integer(), label: text() } }),
    parts: zodField(z.array(z.object({ id: z.int(), tags: z.record(z.string(), z.int()) }))),
    any: zodField(z.union([z.object({ a: z.object({ b: z.int() }) }), z.array(z.int())])),
  }
  const { validate } = describe(fields)
  const value = fc.jsonValue({ maxDepth: 3 })
  const bodies = fc.record(
    {
      title: fc.oneof(fc.string(), value),
      sizes: fc.oneof(fc.array(fc.array(fc.oneof(fc.integer(), value))), value),
      box: fc.oneof(fc.record({ width: value, label: value }, { requiredKeys: [] }), value),
      parts: fc.oneof(fc.array(fc.record({ id: value, tags: fc.dictionary(fc.string(), value) })), value),
      any: fc.oneof(fc.record({ a: fc.oneof(fc.record({ b: value }), value) }), value),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(bodies, async data => {
      try {
        await readFields(fields, { kind: 'data', data }, { context: emptyContext })
      } catch (error) {
        assert.ok(error instanceof ValidationError)
        assert.deepEqual(validate(error.detail), [])
      }
    }),
  )
})
