import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { z } from 'zod'
import { ValidationError } from '../../src/core/errors/exceptions.ts'
import { readOnly } from '../../src/core/fields/define-field.ts'
import { emptyContext } from '../../src/core/fields/field.ts'
import { integer } from '../../src/core/fields/kinds/integer.ts'
import { key } from '../../src/core/fields/kinds/key.ts'
import { list } from '../../src/core/fields/kinds/list.ts'
import { object } from '../../src/core/fields/kinds/object.ts'
import { text } from '../../src/core/fields/kinds/text.ts'
import { readFields } from '../../src/core/fields/read-fields.ts'
import { nested } from '../../src/core/fields/relations/nested.ts'
import { related } from '../../src/core/fields/relations/related.ts'
import { zodField } from '../../src/core/fields/schema-fields/zod-field.ts'
import { resource } from '../../src/core/resource/define/define-resource.ts'
import { describeErrors } from '../../src/core/view/describe/error-schema.ts'
import { createSchemaValidator } from '../../src/openapi/schema-validator.ts'
import { createSchemaContext } from '../support/schema-context.ts'

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
