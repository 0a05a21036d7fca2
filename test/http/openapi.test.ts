// The OpenAPI documents of the service, of its profiles, and of the examples.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import Fastify from 'fastify'
import { authenticated, createApi, findDocument, key, type Migrations, resource, text, view } from 'resource-api'
import { describeRoute } from 'resource-api/extend'
import { type DatabaseKind, testApi, testApp, testService } from 'resource-api/testing'
import { parse } from 'yaml'
import { createConduit } from '../../examples/conduit/conduit.ts'
import shop from '../../examples/shop/resource-api.config.ts'
import defaultService from '../../src/seed/default-service.ts'
import { checkDocument, listOperations } from '../support/check-document.ts'
import { readDocument } from '../support/read-document.ts'

const databases: readonly DatabaseKind[] = ['sqlite', 'postgres']
const ada = { isAuthenticated: true, id: 1, username: 'ada', isStaff: false }
const sue = { ...ada, username: 'sue', isStaff: true }

for (const database of databases)
  suite(`documents on ${database}`, () => {
    test('the service of several profiles has one document of all parts, and each part has its own', async () => {
      await using service = await testService(defaultService, { database })
      const whole = await readDocument(service)
      await checkDocument(whole)
      for (const path of [
        '/',
        '/snippet/snippets/',
        '/api-auth/login/',
        '/api-token-auth/',
        '/admin/users/{key}/',
        '/healthz',
      ])
        assert.ok(whole.paths[path], path)
      const own = await readDocument(service, '/snippet/openapi.json')
      await checkDocument(own)
      assert.ok(Object.keys(own.paths).length < Object.keys(whole.paths).length)
      assert.deepEqual(own.servers, [{ url: '/snippet' }])
      await checkDocument(await readDocument(service, '/admin/openapi.json'))
    })

    test('the shop', async () => {
      await using service = await testService(shop, { database })
      const document = await readDocument(service)
      await checkDocument(document)
      assert.equal(document.info.title, 'Shop')
      const operations = listOperations(document)
      for (const name of [
        'listOrders',
        'createOrder',
        'retrieveOrder',
        'replaceOrder',
        'updateOrder',
        'shipOrder',
        'listWatchedOrders',
        'listCustomerOrderLines',
        'getOrdersSales',
        'replaceSettings',
        'downloadAttachmentFile',
        'obtainAuthToken',
        'adminListUsers',
        'checkReady',
      ])
        assert.ok(operations[name] ?? operations[`apiTokenAuth${name[0]!.toUpperCase()}${name.slice(1)}`], name)
    })

    test('conduit, whose exception handler changes all errors', async () => {
      await using conduit = await testApp(parts => createConduit(parts.database), { database })
      const document = await readDocument(conduit, '/api/openapi.json')
      await checkDocument(document)
      assert.deepEqual(document.servers, [{ url: '/api' }])
      const { createArticle } = listOperations(document)
      assert.deepEqual(createArticle!.responses[400], { description: 'The request is malformed.' })
      assert.deepEqual(createArticle!.responses.default, { description: 'Any other error.' })
      const { content } = createArticle!.requestBody!
      assert.deepEqual(content['application/json']!.schema, {
        type: 'object',
        properties: { article: { $ref: '#/components/schemas/ArticleCreate' } },
        required: ['article'],
      })
    })
  })

const greeting = view({
  name: 'Greeting',
  response: { text: text() },
  handlers: { GET: () => ({ text: 'Hello' }), POST: { handle: () => ({ text: 'Hi' }), permissions: [authenticated] } },
})

test('the document has an ETag, and comes as JSON, as application/openapi+json or as YAML', async () => {
  await using api = await testApi({ views: { '/greeting/': greeting } })
  const json = await api.get('/openapi.json').expect(200)
  assert.equal(json.headers.get('content-type'), 'application/json')
  const etag = json.headers.get('etag')!
  await api.get('/openapi.json', { headers: { 'if-none-match': etag } }).expect(304)
  assert.equal((await api.get('/openapi.json')).headers.get('etag'), etag)
  const accept = 'application/openapi+json;version=3.1'
  const named = await api.get('/openapi.json', { headers: { accept } }).expect(200)
  assert.equal(named.headers.get('content-type'), accept)
  assert.equal(named.text, json.text)
  // A browser gets it too.
  await api.get('/openapi.json', { headers: { accept: 'text/html' } }).expect(200)
  const yaml = await api.get('/openapi.yaml').expect(200)
  assert.equal(yaml.headers.get('content-type'), 'application/yaml')
  assert.deepEqual(parse(yaml.text), json.json())
  await api.get('/openapi.yaml', { headers: { 'if-none-match': yaml.headers.get('etag')! } }).expect(304)
  await api.post('/openapi.json', {}).expect(405)
})

test('permissions limit who may read the document', async () => {
  await using api = await testApi({
    views: { '/greeting/': greeting },
    openapi: { title: 'Greetings', permissions: [authenticated] },
  })
  await api.get('/openapi.json').expect(403)
  await api.get('/openapi.yaml').expect(403)
  const document = await readDocument(api.as(ada))
  assert.equal(document.info.title, 'Greetings')
  assert.deepEqual(Object.keys(document.paths['/greeting/']!), ['get', 'post'])
})

const notes = resource('notes', {
  table: 'notes',
  fields: { id: key(), text: text(), remark: text({ blank: true, default: '', visible: ({ user }) => user.isStaff }) },
  actions: ['list', 'create'],
  filters: { remark: true },
})

const migrations: Migrations = {
  async '0001_notes'({ schema }, { key, text }) {
    await schema.createTable('notes').addColumn('id', key).addColumn('text', text).addColumn('remark', text).execute()
  },
}

test('with schemaFor: "caller", the document has only what the caller may call and see', async () => {
  await using api = await testApi({
    migrations,
    resources: [notes],
    views: {
      '/greeting/': greeting,
      '/closed/': { ...greeting, permissions: [{ allows: ({ user }) => user.isStaff }] },
    },
    root: null,
    openapi: { schemaFor: 'caller' },
  })
  const read = async (client = api.client()) => {
    const document = await readDocument(client)
    await checkDocument(document)
    return document
  }
  const [forAnyone, forAda, forSue] = [await read(), await read(api.as(ada)), await read(api.as(sue))]
  assert.deepEqual(Object.keys(forAnyone.paths), ['/notes/', '/greeting/'])
  assert.deepEqual(Object.keys(forAnyone.paths['/greeting/']!), ['get'])
  assert.deepEqual(Object.keys(forAda.paths['/greeting/']!), ['get', 'post'])
  assert.deepEqual(Object.keys(forSue.paths), ['/notes/', '/greeting/', '/closed/'])
  for (const [document, isStaff] of [
    [forAda, false],
    [forSue, true],
  ] as const) {
    const { Note, NoteCreate, NoteErrors } = document.components.schemas
    for (const schema of [Note, NoteCreate, NoteErrors])
      assert.equal(Object.hasOwn(schema!.properties as object, 'remark'), isStaff)
    const names = listOperations(document).listNotes!.parameters!.map(({ name }) => name)
    assert.equal(names.includes('remark'), isStaff)
  }
  // The document for everyone contains all fields; not every caller sees this one.
  const everything = findDocument(api.app)
  assert.deepEqual(everything.components.schemas.Note!.required, ['id', 'text'])
})

test('a caller who may see nothing gets an empty document', async () => {
  const closed = { ...greeting, permissions: [authenticated] }
  await using api = await testApi({ root: null, views: { '/closed/': closed }, openapi: { schemaFor: 'caller' } })
  const document = await readDocument(api)
  await checkDocument(document)
  assert.deepEqual(document.paths, {})
})

test('openapi: false removes the document, and hides the API from those above it', async () => {
  const app = Fastify()
  await app.register(createApi({ views: { '/greeting/': greeting }, root: null }))
  await app.register(createApi({ views: { '/greeting/': greeting }, root: null, openapi: false }), {
    prefix: '/hidden',
  })
  await app.register(createApi({ views: { '/greeting/': greeting }, root: null }), { prefix: '/shown' })
  describeRoute(app, '/files/{name}', {})
  await app.ready()
  const { paths } = findDocument(app)
  assert.deepEqual(Object.keys(paths), ['/greeting/', '/shown/greeting/', '/files/{name}'])
  assert.equal(paths['/shown/greeting/']!.get!.operationId, 'shownGetGreeting')
  assert.deepEqual(Object.keys(findDocument(app, '/shown').paths), ['/greeting/'])
  assert.throws(() => findDocument(app, '/hidden'), /no API at "\/hidden\/" has a document/)
  assert.equal((await app.inject('/hidden/openapi.json')).statusCode, 404)
  await app.close()
})

test('APIs at one prefix share its document', async () => {
  const app = Fastify()
  await app.register(createApi({ views: { '/one/': greeting } }))
  await app.register(createApi({ views: { '/two/': greeting }, name: 'second' }))
  await app.ready()
  const operations = listOperations(findDocument(app))
  assert.deepEqual(Object.keys(operations), ['getApiRoot', 'getGreeting', 'greeting', 'getGreeting2', 'greeting2'])
  await app.close()
  const other = Fastify()
  await other.register(createApi({ views: { '/one/': greeting } }))
  await assert.rejects(
    async () => other.register(createApi({ views: {}, name: 'second', openapi: { title: 'Second' } })),
    /another API at the same prefix has the OpenAPI document/,
  )
})
