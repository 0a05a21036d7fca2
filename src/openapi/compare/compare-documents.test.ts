import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findBreakingChanges } from './compare-documents.ts'
import { parseDocument } from './read-document.ts'

// biome-ignore lint/suspicious/noExplicitAny: the cases change any part of the document.
type Members = Record<string, any>

const createDocument = () => ({
  openapi: '3.1.1',
  security: [{ token: [] }, {}] as Members[],
  paths: {
    '/orders/{id}/': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }] as Members[],
      get: {
        operationId: 'getOrder',
        parameters: [
          { name: 'status', in: 'query', schema: { $ref: '#/components/schemas/Status' } },
          { name: 'If-None-Match', in: 'header', schema: { type: 'string' } },
        ] as Members[],
        responses: {
          200: {
            headers: { ETag: { required: true, schema: { type: 'string' } } } as Members,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } as object,
          },
          404: {},
        } as Members,
      } as Members,
      patch: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/OrderPatch' } } } },
        responses: { 200: {} },
      } as Members,
    } as Members,
  } as Members,
  components: {
    securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'Authorization' } } as Members,
    schemas: {
      Status: { type: 'string', enum: ['open', 'paid'] },
      Order: {
        type: 'object',
        properties: {
          id: { type: 'integer', format: 'int32' },
          status: { $ref: '#/components/schemas/Status' },
          note: { type: ['string', 'null'], maxLength: 10 },
          lines: { type: 'array', items: { $ref: '#/components/schemas/Order' } },
          customer: { anyOf: [{ type: 'integer' }, { $ref: '#/components/schemas/Customer' }] },
        },
        required: ['id', 'status'],
      } as Members,
      Customer: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as Members,
      OrderPatch: {
        type: 'object',
        properties: {
          note: { type: ['string', 'null'], maxLength: 10 },
          total: { type: 'string', pattern: '^\\d{1,3}$' },
          tags: { type: 'array', items: { type: 'string' }, maxItems: 5 },
          quantity: { type: 'integer' },
        },
      } as Members,
    } as Members,
  },
})

type Document = ReturnType<typeof createDocument>

const path = '/orders/{id}/'
const get = '/paths/~1orders~1{id}~1/get'
const schemas = '/components/schemas'

interface Case {
  readonly change: (document: Document) => unknown
  /** The pointers and messages; none if the change is compatible. */
  readonly expected: readonly string[]
}

const breaking: Readonly<Record<string, Case>> = {
  'a removed path': {
    change: ({ paths }) => delete paths[path],
    expected: ['/paths/~1orders~1{id}~1 was removed'],
  },
  'a removed method': { change: ({ paths }) => delete paths[path].get, expected: [`${get} was removed`] },
  'another operationId': {
    change: ({ paths }) => Object.assign(paths[path].get, { operationId: 'readOrder' }),
    expected: [`${get} has another operationId: it was getOrder and is now readOrder`],
  },
  'a removed parameter': {
    change: ({ paths }) => paths[path].get.parameters.shift(),
    expected: [`${get}/parameters/0 was removed`],
  },
  'a new required parameter, and one that becomes required': {
    change: ({ paths }) => {
      paths[path].get.parameters[0].required = true
      paths[path].parameters.push({ name: 'lang', in: 'query', required: true })
    },
    expected: [
      `${get}/parameters/0 is now required`,
      '/paths/~1orders~1{id}~1/parameters/1 is a new required parameter',
    ],
  },
  'another style of a parameter': {
    change: ({ paths }) => Object.assign(paths[path].get.parameters[0], { explode: false }),
    expected: [`${get}/parameters/0 is written in another style: it was form, exploded and is now form`],
  },
  'a narrower choice, in a query and in a response': {
    change: ({ components }) => Object.assign(components.schemas.Status, { enum: ['open', 'sent'] }),
    expected: [`${schemas}/Status no longer accepts "paid"`, `${schemas}/Status may now be "sent"`],
  },
  'a removed and an optional member of a response': {
    change: ({ components: { schemas } }) => {
      delete schemas.Order.properties.note
      schemas.Order.required = ['id']
    },
    expected: [`${schemas}/Status may now be absent`, `${schemas}/Order/properties/note was removed`],
  },
  'a wider type, format and null in a response': {
    change: ({ components: { schemas } }) => {
      schemas.Order.properties.id = { type: ['integer', 'null'], format: 'int64' }
      schemas.Customer.properties.name = { type: 'number' }
    },
    expected: [
      `${schemas}/Order/properties/id the format was "int32" and is now "int64"`,
      `${schemas}/Order/properties/id may now be null`,
      `${schemas}/Customer/properties/name may now be a value of the type number`,
    ],
  },
  'a wider union in a response': {
    change: ({ components: { schemas } }) => schemas.Order.properties.customer.anyOf.push({ type: 'null' }),
    expected: [`${schemas}/Order/properties/customer may now be null`],
  },
  'a narrower member of a body, a required one, and a removed one': {
    change: ({ components: { schemas } }) => {
      const { properties } = schemas.OrderPatch
      properties.note = { type: 'string', maxLength: 5 }
      properties.total.pattern = '^\\d{2,3}$'
      delete properties.tags
      properties.city = { type: 'string' }
      schemas.OrderPatch.required = ['city']
    },
    expected: [
      `${schemas}/OrderPatch/properties/note the maximum length was 10 and is now 5`,
      `${schemas}/OrderPatch/properties/note no longer accepts null`,
      `${schemas}/OrderPatch/properties/total the pattern was "^\\\\d{1,3}$" and is now "^\\\\d{2,3}$"`,
      `${schemas}/OrderPatch/properties/tags was removed`,
      `${schemas}/OrderPatch/properties/city is now required`,
    ],
  },
  'a narrower list': {
    change: ({ components: { schemas } }) =>
      Object.assign(schemas.OrderPatch.properties.tags, { items: { type: 'integer' }, minItems: 1, uniqueItems: true }),
    expected: [
      `${schemas}/OrderPatch/properties/tags the minimum number of items was absent and is now 1`,
      `${schemas}/OrderPatch/properties/tags no longer accepts repeated items`,
      `${schemas}/OrderPatch/properties/tags/items no longer accepts a value of the type string`,
    ],
  },
  'a minimum of 0, and a type of the members that are not listed, in a body': {
    change: ({ components: { schemas } }) => {
      schemas.OrderPatch.properties.quantity.minimum = 0
      schemas.OrderPatch.additionalProperties = { type: 'string' }
    },
    expected: [
      `${schemas}/OrderPatch/properties/quantity the minimum was absent and is now 0`,
      `${schemas}/OrderPatch/additionalProperties no longer accepts any value`,
    ],
  },
  'a list in a response whose items may be of any type': {
    change: ({ components: { schemas } }) => delete schemas.Order.properties.lines.items,
    expected: [`${schemas}/Order/properties/lines/items may now be any value`],
  },
  'a body that becomes required': {
    change: ({ paths }) => Object.assign(paths[path].patch.requestBody, { required: true }),
    expected: ['/paths/~1orders~1{id}~1/patch/requestBody is now required'],
  },
  'a removed body and a removed media type': {
    change: ({ paths }) => {
      delete paths[path].patch.requestBody
      paths[path].get.responses[200].content = { 'application/xml': {} }
    },
    expected: [
      `${get}/responses/200/content/application~1json was removed`,
      '/paths/~1orders~1{id}~1/patch/requestBody was removed',
    ],
  },
  'a removed success, and another one': {
    change: ({ paths }) => Object.assign(paths[path].patch, { responses: { 202: {} } }),
    expected: [
      '/paths/~1orders~1{id}~1/patch/responses/200 was removed',
      '/paths/~1orders~1{id}~1/patch/responses/202 is a new status of a success',
    ],
  },
  'a removed header field, and one that may be absent': {
    change: ({ paths }) => Object.assign(paths[path].get.responses[200].headers, { ETag: { schema: {} } }),
    expected: [
      `${get}/responses/200/headers/ETag may now be absent`,
      `${get}/responses/200/headers/ETag/schema may now be any value`,
    ],
  },
  'no anonymous callers': {
    change: document => document.security.pop(),
    expected: [
      `${get} can no longer be called anonymously`,
      '/paths/~1orders~1{id}~1/patch can no longer be called anonymously',
    ],
  },
  'another scheme of authentication': {
    change: ({ paths, components }) => {
      paths[path].get.security = [{ bearer: [] }, {}]
      components.securitySchemes.bearer = { type: 'http', scheme: 'bearer' }
      paths[path].patch.security = [{ token: ['write'] }, {}]
    },
    expected: [`${get} no longer accepts token`, '/paths/~1orders~1{id}~1/patch no longer accepts token'],
  },
}

const compatible: Readonly<Record<string, Case['change']>> = {
  'the same document': () => undefined,
  'a new path, method, parameter, error and header field': ({ paths }) => {
    paths['/new/'] = { get: {} }
    paths[path].post = {}
    paths[path].get.parameters.push({ name: 'page', in: 'query', schema: { type: 'integer' } })
    paths[path].get.responses[429] = {}
    paths[path].get.responses[200].headers.Link = {}
  },
  'the removal of an error': ({ paths }) => delete paths[path].get.responses[404],
  'new members and other texts': ({ components: { schemas } }) => {
    schemas.Order.properties.more = { type: 'string' }
    schemas.OrderPatch.properties.more = { type: 'string', description: 'More.' }
    schemas.Order.title = 'An order'
  },
  'a member of a response that is always present now': ({ components: { schemas } }) =>
    schemas.Order.required.push('note'),
  'a narrower response and a wider body': ({ components: { schemas } }) => {
    schemas.Order.properties.note = { type: 'string', maxLength: 5 }
    schemas.OrderPatch.properties.note.maxLength = 20
    schemas.OrderPatch.properties.total = { type: ['string', 'number'], pattern: '^\\d{1,4}$' }
    schemas.OrderPatch.properties.tags.items = {}
  },
  'other names of parameters in the path, of schemas and of schemes': document => {
    const { paths, components } = document
    const item = paths[path]
    delete paths[path]
    paths['/orders/{key}/'] = item
    item.parameters[0].name = 'key'
    components.schemas.State = components.schemas.Status
    item.get.parameters[0].schema = { $ref: '#/components/schemas/State' }
    components.securitySchemes.authorization = components.securitySchemes.token!
    document.security = [{ authorization: [] }, {}]
  },
  'the same schema in other words': ({ components: { schemas } }) => {
    const note = { anyOf: [{ type: 'null' }, { type: 'string', maxLength: 10 }] }
    schemas.OrderPatch.properties.note = note
    schemas.Order.properties.note = note
    schemas.OrderPatch.properties.tags.minItems = 0
    schemas.Order.properties.customer = {
      oneOf: [{ allOf: [{ $ref: '#/components/schemas/Customer' }] }, { type: 'integer' }],
    }
    schemas.Status = { oneOf: [{ const: 'paid' }, { const: 'open', title: 'Open' }] }
  },
}

const compare = (change: Case['change']): readonly string[] => {
  const current = createDocument()
  change(current)
  return findBreakingChanges(createDocument(), current).map(({ pointer, message }) => `${pointer} ${message}`)
}

for (const [name, { change, expected }] of Object.entries(breaking))
  test(`${name} breaks clients`, () => assert.deepEqual(compare(change).toSorted(), expected.toSorted()))

for (const [name, change] of Object.entries(compatible))
  test(`compatible: ${name}`, () => assert.deepEqual(compare(change), []))

test('a document of OpenAPI 3.0 is compared by its own words for null', () => {
  const create = (schema: object) => ({
    openapi: '3.0.3',
    paths: { '/a/': { get: { responses: { 200: { content: { 'application/json': { schema } } } } } } },
  })
  const nullable = create({ type: 'string', nullable: true })
  assert.deepEqual(findBreakingChanges(nullable, create({ type: ['string', 'null'] })), [])
  assert.equal(findBreakingChanges(create({ type: 'string' }), nullable).length, 1)
})

test('any two JSON documents can be compared, and none has changes from itself', () => {
  const schema = fc.letrec(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constant({ $ref: '#/components/schemas/a' }),
      fc.jsonValue({ maxDepth: 1 }),
      fc.record({ type: fc.constantFrom('string', 'integer', 'object'), minLength: fc.nat(3) }, { requiredKeys: [] }),
      fc.record({
        properties: fc.dictionary(fc.constantFrom('a', '$ref', '__proto__'), tie('schema')),
        items: tie('schema'),
      }),
      fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }), enum: fc.array(fc.jsonValue(), { maxLength: 2 }) }),
    ),
  })).schema
  const document = fc.record({
    openapi: fc.constant('3.1.0'),
    components: fc.record({ schemas: fc.record({ a: schema }) }),
    paths: fc.record({
      '/a': fc.record({
        get: fc.record({
          responses: fc.record({ 200: fc.record({ content: fc.record({ x: fc.record({ schema }) }) }) }),
        }),
      }),
    }),
  })
  fc.assert(
    fc.property(document, document, (one, other) => {
      assert.deepEqual(findBreakingChanges(one, structuredClone(one)), [])
      assert.ok(Array.isArray(findBreakingChanges(one, other)))
    }),
  )
})

test('a reference that names nothing accepts every value', () => {
  const create = ($ref: string) => ({
    openapi: '3.1.0',
    paths: { '/a/': { get: { responses: { 200: { content: { 'application/json': { schema: { $ref } } } } } } } },
  })
  for (const $ref of ['#%', '#/components/schemas/gone', 'other.json#/a'])
    assert.deepEqual(findBreakingChanges(create($ref), create($ref)), [])
})

test('texts that are no OpenAPI documents are refused', () => {
  assert.throws(() => parseDocument('openapi: 3.1.0', 'old.yaml'), /^Error: old\.yaml is not JSON: /)
  assert.throws(() => parseDocument('[]', 'old.json'), /^Error: old\.json is not an OpenAPI document/)
  assert.throws(() => parseDocument('{"openapi":"2.0"}', 'old.json'), /only 3\.x can be compared/)
  assert.equal(parseDocument('{"openapi":"3.1.0"}', 'old.json').openapi, '3.1.0')
})
