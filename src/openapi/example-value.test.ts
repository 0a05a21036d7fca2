import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema } from '../core/describe/json-schema.ts'
import type { OpenApiDocument } from '../core/describe/openapi-types.ts'
import { createExample } from './example-value.ts'
import { createSchemaReader } from './schema-reader.ts'
import { createSchemaValidator } from './schema-validator.ts'

const tree: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 3 },
    children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
  },
  required: ['name'],
}

const endless: { anyOf: JsonSchema[] } = { anyOf: [{ type: 'string' }] }
endless.anyOf.unshift(endless)

const schemas: Readonly<Record<string, JsonSchema>> = {
  Tree: tree,
  Bounded: { type: 'integer', minimum: 20, maximum: 25, multipleOf: 10 },
  Small: { type: 'integer', maximum: -3 },
  Fraction: { type: 'number', exclusiveMinimum: 0.5, exclusiveMaximum: 0.6 },
  Tenth: { type: 'number', minimum: 0.25, multipleOf: 0.1 },
  Decimal: { type: 'string', format: 'decimal', pattern: '^-?\\d+\\.\\d{2}$' },
  Short: { type: 'string', maxLength: 1 },
  Long: { type: 'string', minLength: 40 },
  Choice: { type: 'string', enum: ['open', 'shipped'] },
  Nullable: { anyOf: [{ type: 'null' }, { type: 'string', format: 'uuid' }] },
  Union: {
    anyOf: [
      { oneOf: [{ type: 'object', properties: { kind: { const: 'box' } }, required: ['kind'] }, { type: 'boolean' }] },
      { anyOf: [{ type: 'null' }, { type: 'string' }] },
    ],
  },
  Items: { type: 'array', items: { type: 'boolean' }, minItems: 3 },
  Day: { type: ['string', 'null'], format: 'date' },
  Nothing: { type: 'null' },
}

const document = { openapi: '3.1.1', components: { schemas } } as unknown as OpenApiDocument
const reader = createSchemaReader(document)
const find = createSchemaValidator(document)

test('made-up values are valid, and end in recursive schemas', () => {
  for (const name of Object.keys(schemas)) {
    const example = createExample({ $ref: `#/components/schemas/${name}` }, reader)
    assert.deepEqual(find(['components', 'schemas', name])(example), [], `${name}: ${JSON.stringify(example)}`)
  }
})

test('a schema that is its own alternative ends', () => assert.equal(createExample(endless, reader), 'text'))

test('known values are taken where the schema allows them', () => {
  const known = { name: 'Oak', children: [{ name: 'no' }, { name: 'Elm', other: 1 }], other: 1 }
  const example = createExample(tree, reader, known)
  assert.deepEqual(example, { name: 'Oak', children: [{ name: 'text' }, { name: 'Elm' }] })
  assert.equal(createExample(schemas.Choice!, reader, 'lost'), 'open')
  assert.equal(createExample(schemas.Nullable!, reader, null), null)
  assert.equal(createExample(schemas.Union!, reader, null), null)
  assert.equal(createExample(schemas.Union!, reader, 'known'), 'known')
})

test('a related object stands for its key', () => {
  const related = { id: 7, name: 'Ann' }
  assert.equal(createExample({ type: 'integer' }, reader, related), 7)
  assert.equal(createExample({ type: ['integer', 'null'] }, reader, related), 7)
  assert.deepEqual(createExample({ type: 'array', items: { type: 'integer' } }, reader, [related]), [7])
  assert.equal(createExample({ type: 'boolean' }, reader, related), true)
})

test('a value that cannot be made up is left out, and so is an object that needs it', () => {
  const code: JsonSchema = { type: 'string', pattern: '^Q{7}$' }
  const properties = { code, name: { type: 'string' } }
  assert.equal(createExample(code, reader), undefined)
  assert.deepEqual(createExample({ type: 'object', properties }, reader), { name: 'text' })
  assert.equal(createExample({ type: 'object', properties, required: ['code'] }, reader), undefined)
  assert.deepEqual(createExample({ type: 'array', items: code }, reader), [])
  assert.equal(createExample({ anyOf: [code, { type: 'null' }] }, reader), null)
  assert.equal(createExample({ not: { type: 'string' } }, reader), undefined)
  assert.equal(createExample({ type: 'string', format: 'date' }, reader, 'soon'), '2026-01-31')
})
