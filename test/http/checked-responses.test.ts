// Responses are compared with the OpenAPI document: in tests by the test kit, in development before they are sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { type ApiOptions, computed, integer, key, type Migrations, resource, text, view } from 'resource-api'
import { type TestOptions, testApi } from 'resource-api/testing'

const migrations: Migrations = {
  async '0001_books'({ schema }, { key, text }) {
    await schema.createTable('books').addColumn('id', key).addColumn('title', text).execute()
  },
}

const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    // The declaration is wrong: the value is null.
    rating: computed(integer(), ({ row }) => sql`case when ${row.title} <> 'Bad' then 5 end`),
  },
})

type ViewOpenApi = NonNullable<Parameters<typeof view>[0]['openapi']>

const answer = (status: number, openapi: ViewOpenApi, headers = {}) =>
  view({ name: 'View', handlers: { GET: () => ({ status, headers, body: { a: 1 } }) }, openapi })

const content = (schema: object) => ({ 'application/json': { schema } })
const views = {
  '/status/': answer(201, { responses: { '2XX': null, 200: { description: 'OK', content: content({}) } } }),
  '/field/': answer(200, {
    responses: { '2XX': { headers: { 'X-Total': { required: true, schema: { type: 'integer' } } } } },
  }),
  '/type/': answer(200, { responses: { '2XX': { content: { 'application/json': null, 'text/csv': {} } } } }),
  '/member/': answer(200, {
    responses: { '2XX': { content: content({ type: 'object', properties: { a: { type: 'string' } } }) } },
  }),
  '/empty/': answer(200, { responses: { '2XX': { content: null } } }),
  '/refused/': view({
    name: 'Refused',
    handlers: { GET: () => ({ status: 400, body: 'Not like this.' }) },
    openapi: { responses: { 400: { description: 'A sentence.', content: content({ type: 'string' }) } } },
  }),
  '/none/': view({ name: 'None', handlers: { GET: () => ({ status: 299, body: { a: 1 } }) }, openapi: false }),
}

const start = (api: Partial<ApiOptions> = {}, options: TestOptions = {}) =>
  testApi({ resources: [books], views, migrations, ...api } as never, options)

test('the test kit rejects a response that the document does not allow, and names the differences', async () => {
  await using api = await start()
  await api.post('/books/', { title: 'Good' }).expect(201)
  await assert.rejects(
    async () => api.post('/books/', { title: 'Bad' }),
    /POST \/books\/: the response 201 is not what the OpenAPI document says:\n\/rating must be integer/,
  )
  await assert.rejects(async () => api.get('/books/'), /\/1\/rating must be integer/)
  const differences = {
    '/status/': /the status 201 is not listed/,
    '/field/': /the header field X-Total is missing/,
    '/type/': /the media type application\/json is not listed: text\/csv/,
    '/member/': /\/a must be string/,
    '/empty/': /there is a body, of the type application\/json/,
  }
  for (const [path, message] of Object.entries(differences))
    await assert.rejects(async () => api.get(path), message, path)
  await api.get('/none/').expect(299)
  await api.get('/nowhere/').expect(404)
})

test('without checkDocument, the test kit returns every response', async () => {
  await using api = await start({}, { checkDocument: false })
  await api.get('/status/').expect(201)
})

test('with checkResponses, such a response is a 500 whose cause names the differences', async () => {
  await using api = await start({ checkResponses: true })
  await api.post('/books/', { title: 'Good' }).expect(201)
  const response = await api.get('/member/')
  assert.throws(() => response.expect(200), /500[\s\S]*The application threw: [\s\S]*\/a must be string/)
  await api.get('/books/').expect(200)
  await api.head('/books/').expect(200)
})

test('the content of an error that the application describes replaces the generated one', async () => {
  await using api = await start({ checkResponses: true })
  const response = await api.get('/refused/').expect(400)
  assert.equal(response.json(), 'Not like this.')
})

test('an API without a document is not compared', async () => {
  await using api = await start({ openapi: false })
  await api.post('/books/', { title: 'Bad' }).expect(201)
})
