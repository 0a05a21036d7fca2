// What the OpenAPI document says about the operations of an API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Fastify from 'fastify'
import {
  anonThrottle,
  authenticated,
  authenticatedOrReadOnly,
  boolean,
  choice,
  createApi,
  type DocumentOptions,
  decimal,
  file,
  findDocument,
  folder,
  hyperlinkedIdentity,
  idempotencyMigrations,
  integer,
  key,
  limitOffset,
  listView,
  type Migrations,
  memoryStore,
  migrate,
  type OpenApiDocument,
  objectView,
  openDatabase,
  or,
  pageNumber,
  related,
  resource,
  staff,
  text,
  tokenScheme,
  view,
} from 'resource-api'
import { type Scheme, skip } from 'resource-api/extend'
import { testApi } from 'resource-api/testing'
import type { OperationOptions } from '#core'
import { checkDocument, listOperations } from '../support/check-document.ts'
import { skipUnlessThorough } from '../support/repetitions.ts'

const migrations: Migrations = {
  async '0001_shop'({ schema }, { key, text, reference, boolean, json }) {
    await schema
      .createTable('customers')
      .addColumn('id', key)
      .addColumn('name', text)
      .addColumn('favorite_id', reference)
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text)
      .addColumn('customer_id', reference)
      .addColumn('status', text)
      .addColumn('total', text)
      .addColumn('paid', boolean)
      .addColumn('invoice', json)
      .addColumn('extra', json)
      .execute()
  },
}

const customers = resource('customers', {
  table: 'customers',
  fields: { id: key(), name: text({ max: 100 }), favorite: related('orders', { nullable: true }) },
  expandableFields: ['favorite', 'favorite.customer'],
  bulk: 'atomic',
})

const orders = resource('orders', {
  description: 'What customers *order*: <b>tea</b>.',
  table: 'orders',
  lookup: 'number',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    number: text({ max: 20, unique: 'There is an order with this number.', fixed: true }),
    customer: related(customers),
    status: choice({ open: 'Open', shipped: 'Shipped' }, { default: 'open' }),
    total: decimal({ maxDigits: 8, decimalPlaces: 2 }),
    paid: boolean({ default: false }),
    invoice: file({ store: folder('data/invoices'), nullable: true }),
  },
  filters: {
    status: ['exact', 'in', 'isnull'],
    total: ['gte', 'range'],
    number: ['startswith'],
    'customer.name': true,
  },
  searchFields: ['number'],
  orderingFields: ['number', 'total'],
  sparseFields: true,
  expandableFields: ['customer'],
  requireIfMatch: true,
  envelope: { one: 'order', many: { results: 'orders', next: null } },
  nestedUnder: [{ parent: customers, field: 'customer' }],
  permissions: [authenticatedOrReadOnly],
  perAction: {
    list: { shows: ['url', 'number', 'customer'] },
    destroy: { permissions: [or(authenticated, staff)], openapi: { deprecated: true } },
    update: { openapi: { operationId: 'patchOrder' } },
  },
  listViews: {
    totals: listView({
      path: 'totals/:year',
      parameters: { year: integer({ min: 2000 }) },
      query: { paid: boolean({ required: false }) },
      response: { sum: integer() },
      handlers: { GET: () => ({ sum: 0 }) },
    }),
  },
  objectViews: {
    ship: objectView({
      body: { until: text({ help: 'When.' }) },
      response: 'representation',
      idempotent: true,
      handlers: { POST: { status: 202, handle: ({ represent }) => represent() } },
      openapi: { responses: { 409: { description: 'It was shipped before.' } }, tags: ['shipping'] },
    }),
  },
})

const tokens: Scheme = tokenScheme({ find: async () => undefined })
const keys: Scheme = { name: 'api key', varyOn: ['x-api-key'], authenticate: () => skip }

async function readDocument(): Promise<OpenApiDocument> {
  await using api = await testApi({
    migrations: [{ owner: 'shop', steps: migrations }, idempotencyMigrations],
    resources: [customers, orders],
    authentication: [tokens, keys],
    throttles: [anonThrottle({ rates: '60/minute', store: memoryStore() })],
    pagination: pageNumber({ pageSize: 10, pageSizeQueryParam: 'size', maxPageSize: 50 }),
    idempotencyKeys: true,
    openapi: {
      title: 'Orders',
      version: '3.0.0',
      contact: { email: 'help@example.org' },
      tags: [{ name: 'shipping', description: 'What leaves the house.' }],
      'x-audience': 'partners',
    },
  })
  const document = findDocument(api.app)
  await checkDocument(document)
  return document
}

const document = await readDocument()
const operations = listOperations(document)
const { schemas, responses } = document.components

const find = (name: string) => {
  const operation = operations[name]
  assert.ok(operation, `${name}: ${Object.keys(operations)}`)
  return operation
}

const findParameter = (operation: string, name: string) =>
  find(operation).parameters!.find(parameter => parameter.name === name)

const jsonOf = (part: unknown) =>
  (part as { content: Record<string, { schema: unknown }> }).content['application/json']!.schema

test('the info, tags and extensions of the application are merged', () => {
  assert.deepEqual(document.info, { title: 'Orders', version: '3.0.0', contact: { email: 'help@example.org' } })
  assert.equal(document['x-audience'], 'partners')
  assert.deepEqual(document.tags.at(-1), { name: 'shipping', description: 'What leaves the house.' })
  assert.equal(document.tags.find(({ name }) => name === 'orders')!.description, 'What customers *order*: <b>tea</b>.')
})

test('each path has its operations, named after what they do', () => {
  const names = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path, Object.values(item).map(each => each.operationId)]),
  )
  const objects = ['retrieveOrder', 'replaceOrder', 'patchOrder', 'deleteOrder']
  assert.deepEqual(names, {
    '/': ['getApiRoot'],
    '/customers/': ['listCustomers', 'createCustomer', 'replaceCustomers', 'updateCustomers', 'deleteCustomers'],
    '/customers/{key}/': ['retrieveCustomer', 'replaceCustomer', 'updateCustomer', 'deleteCustomer'],
    '/orders/': ['listOrders', 'createOrder'],
    '/orders/{key}/': objects,
    '/orders/totals/{year}/': ['getOrdersTotals'],
    '/orders/{key}/ship/': ['shipOrder'],
    '/orders/{key}/invoice/': ['downloadOrderInvoice'],
    '/customers/{customers_key}/orders/': ['listCustomerOrders', 'createCustomerOrder'],
    '/customers/{customers_key}/orders/{key}/': [
      'retrieveCustomerOrder',
      'replaceCustomerOrder',
      'updateCustomerOrder',
      'deleteCustomerOrder',
    ],
    '/customers/{customers_key}/orders/totals/{year}/': ['getCustomerOrdersTotals'],
    '/customers/{customers_key}/orders/{key}/ship/': ['shipCustomerOrder'],
    '/customers/{customers_key}/orders/{key}/invoice/': ['downloadCustomerOrderInvoice'],
  })
})

test('a list has its filters, search, ordering, pages and selection', () => {
  const parameters = find('listOrders').parameters!
  assert.deepEqual(
    parameters.map(parameter => `${parameter.in} ${parameter.name}`),
    [
      'query search',
      'query status',
      'query status__in',
      'query status__isnull',
      'query total__gte',
      'query total__range',
      'query number__startswith',
      'query customer__name',
      'query ordering',
      'query page',
      'query size',
      'query fields',
      'query omit',
      'query expand',
      'header If-None-Match',
    ],
  )
  assert.deepEqual(findParameter('listOrders', 'status')!.schema!.enum, ['open', 'shipped'])
  const several = findParameter('listOrders', 'status__in')!
  assert.equal(several.explode, false)
  assert.equal(several.schema!.maxItems, 100)
  assert.deepEqual((several.schema!.items as { enum: unknown }).enum, ['open', 'shipped'])
  assert.deepEqual(findParameter('listOrders', 'status__isnull')!.schema, { type: 'boolean' })
  assert.equal(findParameter('listOrders', 'total__range')!.schema!.minItems, 2)
  assert.deepEqual((findParameter('listOrders', 'ordering')!.schema!.items as { enum: unknown }).enum, [
    'number',
    '-number',
    'total',
    '-total',
  ])
  assert.deepEqual(findParameter('listOrders', 'size')!.schema, { type: 'integer', minimum: 1, maximum: 50 })
  assert.deepEqual((findParameter('listOrders', 'expand')!.schema!.items as { enum: unknown }).enum, ['customer'])
  const { properties } = (jsonOf(find('listOrders').responses[400]) as { anyOf: { properties: object }[] }).anyOf[0]!
  assert.ok(Object.hasOwn(properties, 'total__gte'))
})

test('a page has the names of the envelope, and lists may show something else than objects', () => {
  assert.deepEqual(jsonOf(find('listOrders').responses[200]), { $ref: '#/components/schemas/OrderList' })
  const { properties, required } = schemas.OrderList as { properties: Record<string, object>; required: string[] }
  assert.deepEqual(required, ['count', 'previous', 'orders'])
  assert.deepEqual(properties.orders, { type: 'array', items: { $ref: '#/components/schemas/OrderListItem' } })
  // With `?fields=`, a response may lack any field.
  assert.equal(schemas.Order!.required, undefined)
  assert.deepEqual(Object.keys(schemas.OrderListItem!.properties as object), ['url', 'number', 'customer'])
})

test('bodies have a component by method, an envelope in JSON, and a form if they contain files', () => {
  const { content, required } = find('createOrder').requestBody!
  assert.equal(required, true)
  assert.deepEqual(Object.keys(content), ['application/json', 'multipart/form-data'])
  assert.deepEqual(content['application/json']!.schema, {
    type: 'object',
    properties: { order: { $ref: '#/components/schemas/OrderCreate' } },
    required: ['order'],
  })
  assert.deepEqual(content['multipart/form-data']!.schema, { $ref: '#/components/schemas/OrderCreateForm' })
  assert.ok(!Object.hasOwn(schemas.OrderUpdate!.properties as object, 'number'))
  assert.equal(find('patchOrder').requestBody!.required, false)
  // Below a customer, the path says whose order it is.
  assert.ok(Object.hasOwn(schemas.OrderCreate!.properties as object, 'customer'))
  assert.ok(!Object.hasOwn(schemas.CustomerOrderCreate!.properties as object, 'customer'))
  assert.deepEqual(Object.keys(find('replaceCustomer').requestBody!.content), [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
  ])
})

test('conditions, keys and preferences are header parameters', () => {
  assert.equal(findParameter('patchOrder', 'If-Match')!.required, true)
  assert.equal(findParameter('updateCustomer', 'If-Match')!.required, undefined)
  assert.ok(findParameter('createOrder', 'Idempotency-Key'))
  assert.ok(findParameter('shipOrder', 'Idempotency-Key'))
  assert.equal(findParameter('patchOrder', 'Idempotency-Key'), undefined)
  assert.ok(findParameter('createOrder', 'Prefer'))
  assert.ok(findParameter('downloadOrderInvoice', 'Range'))
})

test('each operation lists the statuses that it can have', () => {
  const list = (name: string) => Object.keys(find(name).responses).join(' ')
  const denied = '400 401 403 404 406'
  assert.equal(list('listOrders'), `200 304 ${denied} 412 429 500 503`)
  assert.equal(list('createOrder'), `201 ${denied} 409 413 415 422 429 500 503 507`)
  assert.equal(list('patchOrder'), `200 204 ${denied} 409 412 413 415 428 429 500 503 507`)
  assert.equal(list('updateCustomer'), `200 204 ${denied} 409 412 413 415 429 500 503 507`)
  assert.equal(list('deleteOrder'), `204 ${denied} 409 412 428 429 500 503 507`)
  assert.equal(list('shipOrder'), `202 ${denied} 409 413 415 422 429 500 503 507 default`)
  assert.equal(list('downloadOrderInvoice'), '200 206 304 400 401 403 404 412 416 429 500 503')
  assert.deepEqual(Object.keys(responses.Throttled!.headers!), ['Retry-After', 'RateLimit', 'RateLimit-Policy'])
  assert.deepEqual(Object.keys(responses.NotAuthenticated!.headers!), ['WWW-Authenticate'])
  assert.deepEqual(Object.keys(responses.NotFound!.content!), ['application/json', 'application/problem+json'])
  assert.deepEqual(find('listOrders')['x-rate-limits'], [{ name: 'anon', limit: 60, period: 60 }])
})

test('security schemes are listed in order, and {} where anonymous callers may pass', () => {
  assert.deepEqual(document.components.securitySchemes, {
    token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Token <token>`' },
    'api-key': { type: 'apiKey', in: 'header', name: 'x-api-key' },
  })
  const required = [{ token: [] }, { 'api-key': [] }]
  assert.deepEqual(find('listOrders').security, [...required, {}])
  assert.deepEqual(find('createOrder').security, required)
  assert.deepEqual(find('deleteOrder').security, required)
  assert.deepEqual(find('createCustomer').security, [...required, {}])
})

test('requests with many objects are described', () => {
  const [one, many] = (jsonOf(find('createCustomer').requestBody) as { oneOf: unknown[] }).oneOf
  assert.deepEqual(one, { $ref: '#/components/schemas/CustomerCreate' })
  assert.deepEqual(many, { type: 'array', items: one, maxItems: 1000 })
  assert.ok(find('deleteCustomers').requestBody!.required)
  assert.ok(find('deleteCustomers').responses[204])
})

test('views have their path, query, body, status and response', () => {
  const totals = find('getOrdersTotals')
  assert.deepEqual(
    totals.parameters!.map(parameter => `${parameter.in} ${parameter.name}`),
    ['path year', 'query paid'],
  )
  assert.equal(totals.parameters![0]!.schema!.minimum, 2000)
  const ship = find('shipOrder')
  assert.deepEqual(ship.tags, ['shipping'])
  assert.equal((ship.responses[409] as { description: string }).description, 'It was shipped before.')
  assert.deepEqual(jsonOf(ship.responses[202]), {
    type: 'object',
    properties: { order: { $ref: '#/components/schemas/Order' } },
    required: ['order'],
  })
  assert.equal(find('deleteOrder').deprecated, true)
})

test('resources that refer to each other refer to each other in the document', () => {
  const { favorite } = schemas.Customer!.properties as { favorite: { anyOf: unknown[] } }
  const { customer } = schemas.Order!.properties as { customer: { anyOf: unknown[] } }
  // The order is shown with its customer as an object, which is this customer's component again.
  assert.ok(JSON.stringify(favorite).includes('"#/components/schemas/Customer"'))
  // Queries of orders also select the fields of their customers, so each may be absent.
  const [, expanded] = customer.anyOf as [unknown, Readonly<Record<string, object>>]
  assert.deepEqual(Object.keys(expanded.properties!), Object.keys(schemas.Customer!.properties as object))
  assert.equal(expanded.required, undefined)
  const names = (findParameter('retrieveCustomer', 'expand')!.schema!.items as { enum: unknown }).enum
  assert.deepEqual(names, ['favorite', 'favorite.customer'])
})

const nothing = { POST: () => ({ status: 204 }) }
const greet = { GET: () => ({ text: 'Hello' }) }

test('names that are taken get a number, and equal names of the application are refused', async () => {
  const greeting = view({ name: 'Greeting', response: { text: text() }, handlers: greet })
  const named = { ...greeting, openapi: { operationId: 'getGreeting' } }
  const app = Fastify()
  await app.register(createApi({ root: null, views: { '/a/': greeting, '/b/': greeting, '/c/': named } }))
  await app.ready()
  const found = Object.values(findDocument(app).paths).map(item => item.get!.operationId)
  assert.deepEqual(found, ['getGreeting2', 'getGreeting3', 'getGreeting'])
  await app.close()
  const refused = Fastify()
  await refused.register(createApi({ root: null, views: { '/a/': named, '/b/': { ...named, id: 'other' } } }))
  await assert.rejects(
    async () => refused.ready(),
    /GET of "Greeting" and GET of "other" have the same operationId "getGreeting": rename one/,
  )
})

test('mistakes in the options are errors at start', () => {
  const views = (openapi: OperationOptions) => ({
    '/a/': { ...view({ name: 'A', response: { text: text() }, handlers: greet }), openapi },
  })
  assert.throws(
    () => createApi({ views: views({ operationID: 'a' } as OperationOptions) }),
    /view "A": openapi: there is no option "operationID": write "operationId"/,
  )
  assert.throws(
    () => createApi({ views: {}, openapi: { titel: 'A' } as DocumentOptions }),
    /openapi: there is no option "titel"/,
  )
  assert.throws(
    () => createApi({ views: {}, openapi: { schemaFor: 'nobody' as 'caller' } }),
    /schemaFor must be "everyone" or "caller"/,
  )
})

test('fields and views with hostile names are described', async () => {
  const hostile = resource('hostile', {
    table: 'hostile',
    title: '__proto__ & <script>',
    description: '</script><script>alert(1)</script> [x](javascript:alert(1))',
    fields: {
      id: key(),
      ...Object.fromEntries(
        ['constructor', 'then', '$ref', 'toString'].map((name, index) => [name, text({ column: `c${index}` })]),
      ),
    },
    objectViews: {
      ...Object.fromEntries(['then', 'constructor'].map(name => [name, objectView({ handlers: nothing })])),
    },
  })
  await using api = await testApi({
    migrations: {
      async '0001_hostile'({ schema }, { key: keyType, text: textType }) {
        await schema
          .createTable('hostile')
          .addColumn('id', keyType)
          .addColumn('c0', textType)
          .addColumn('c1', textType)
          .addColumn('c2', textType)
          .addColumn('c3', textType)
          .execute()
      },
    },
    resources: [hostile],
    views: {
      '/then/': view({ name: 'then', body: { constructor: text() }, handlers: { POST: () => ({ status: 204 }) } }),
    },
  })
  const found = findDocument(api.app)
  const { ProtoScript } = found.components.schemas
  assert.deepEqual(Object.keys(ProtoScript!.properties as object), ['id', 'constructor', 'then', '$ref', 'toString'])
  const texts = Object.fromEntries(['constructor', 'then', '$ref', 'toString'].map(name => [name, 'a']))
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(ProtoScript!)
  assert.ok(validate({ id: 1, ...texts }))
  assert.ok(!validate({ id: 1, ...texts, $ref: 5 }))
  // The validator takes each member called `$ref` for a reference.
  await checkDocument(JSON.parse(JSON.stringify(found).replaceAll('"$ref":{', '"ref":{')))
  assert.ok(listOperations(found).then_)
})

test('four hundred resources, each with its own components', { skip: skipUnlessThorough }, async () => {
  const names = Array.from({ length: 400 }, (_, index) => `things-${index}`)
  const database = openDatabase('sqlite::memory:')
  await migrate(database, [
    {
      owner: 'things',
      steps: {
        async '0001_things'({ schema }, { key: keyType, text: textType }) {
          await schema.createTable('things').addColumn('id', keyType).addColumn('name', textType).execute()
        },
      },
    },
  ])
  const resources = names.map(name =>
    resource(name, { table: 'things', title: 'Thing', fields: { id: key(), name: text() }, suggestsIndexes: false }),
  )
  const app = Fastify()
  await app.register(createApi({ database, resources, pagination: limitOffset({ defaultLimit: 10 }) }))
  await app.ready()
  const found = findDocument(app)
  assert.equal(Object.keys(listOperations(found)).length, 400 * 6 + 1)
  assert.ok(found.components.schemas.Thing400)
  await checkDocument(found)
  assert.equal(findDocument(app), found)
  await app.close()
  await database.close()
})
