// Every example in the documents is a value of its schema, and shows the rows of the demonstration where there are any.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findDocument, integer, key, type Migrations, type OpenApiDocument, resource, text } from 'resource-api'
import { testApi } from 'resource-api/testing'
import { createSchemaValidator } from '../../src/openapi/schema-validator.ts'
import { readDocuments } from '../support/example-documents.ts'

interface Found {
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** The examples of schemas, and of the schemas of bodies, with the path of the schema. */
function listExamples(part: unknown, path: readonly (string | number)[] = []): readonly Found[] {
  if (typeof part !== 'object' || part === null) return []
  const { examples, example, schema } = part as Readonly<Record<string, unknown>>
  const own = [
    ...(Array.isArray(examples) && path.includes('schemas') ? examples.map(value => ({ path, value })) : []),
    ...(example !== undefined && schema !== undefined ? [{ path: [...path, 'schema'], value: example }] : []),
  ]
  const inner = Object.entries(part).filter(([name]) => name !== 'examples' && name !== 'example')
  return [...own, ...inner.flatMap(([name, value]) => listExamples(value, [...path, name]))]
}

function checkExamples(document: OpenApiDocument): number {
  const find = createSchemaValidator(document)
  const found = listExamples(document)
  for (const { path, value } of found)
    assert.deepEqual(find(path)(value), [], `${path.join(' ')}: ${JSON.stringify(value)}`)
  return found.length
}

const migrations: Migrations = {
  async '0001_parcels'({ schema }, { key, text }) {
    const table = schema.createTable('parcels').addColumn('id', key).addColumn('title', text)
    await table.addColumn('weight', 'integer').addColumn('code', text).execute()
  },
}

suite('examples', async () => {
  const documents = await readDocuments()

  for (const [name, document] of Object.entries(documents))
    test(`those of ${name} are valid`, () => assert.ok(checkExamples(document) > 10))

  test('every component of a resource has one', () => {
    const isOther = (name: string) => /(Errors|Form|^Error|^Problem)$/.test(name)
    for (const { components } of Object.values(documents))
      for (const [name, schema] of Object.entries(components.schemas))
        assert.equal(Array.isArray(schema.examples), !isOther(name), name)
  })

  test('they show the demonstration of a profile', () => {
    const { Product, ProductCreate } = documents.shop.components.schemas
    const row = { name: 'Green tea', description: 'From Assam', price: '4.50', category: 'tea' }
    for (const { examples } of [Product!, ProductCreate!])
      assert.deepEqual({ ...(examples as readonly object[])[0], ...row }, (examples as readonly object[])[0])
    assert.equal(documents.shop.paths['/products/']!.post!.requestBody!.content['application/json']!.example, undefined)
  })

  test('they show what the application gives, where it fits, and leave out what cannot be made', async () => {
    const fields = {
      id: key(),
      title: text({ max: 5 }),
      weight: integer({ min: 1 }),
      code: text({ pattern: { test: /^Q{7}-[0-9]{3}$/u, message: 'A code.' } }),
    }
    const parcels = resource('parcels', { table: 'parcels', fields, wire: { weight: 'grams' } })
    const examples = { parcels: { title: 'too long', grams: 20, unknown: 1 } }
    await using api = await testApi({ resources: [parcels], migrations, openapi: { examples } })
    const document = findDocument(api.app)
    checkExamples(document)
    const { ParcelCreate, ParcelUpdate, Parcel } = document.components.schemas
    assert.equal(ParcelCreate!.examples, undefined)
    assert.deepEqual(ParcelUpdate!.examples, [{ title: 'text', grams: 20 }])
    assert.deepEqual(Parcel!.examples, [{ id: 1, title: 'too long', grams: 20, code: 'text' }])
  })

  test('an example of an unknown resource is an error at start', async () => {
    const parcels = resource('parcels', { table: 'parcels', fields: { id: key() } })
    const start = testApi({ resources: [parcels], migrations, openapi: { examples: { parcel: {} } } })
    await assert.rejects(start, /openapi: examples: there is no resource "parcel": write "parcels"/)
  })
})
