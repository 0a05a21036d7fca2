// Header fields that views and resources declare, and that handlers and hooks set.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  Conflict,
  createApi,
  findDocument,
  idempotencyMigrations,
  integer,
  key,
  listView,
  resource,
  text,
  view,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { injectFetch } from '../support/client.ts'
import { onEachDatabase } from '../support/own-api.ts'

const segments = view({
  name: 'Segments',
  responseHeaders: { 'x-segment': text({ help: 'The segment of the caller.' }), 'x-count': integer() },
  body: { fail: text({ default: '', blank: true }) },
  response: { found: integer() },
  handlers: {
    GET({ setHeaders }) {
      setHeaders({ 'x-segment': 'new', 'x-count': 3 })
      return { found: 1 }
    },
    POST({ setHeaders, body }) {
      setHeaders({ 'x-segment': 'old' })
      if (body.fail === 'error') throw new Conflict()
      setHeaders({ [body.fail]: 'x' })
      return { found: 1 }
    },
    PUT: {
      response: { found: integer() },
      handle: ({ setHeaders }) => {
        setHeaders({ 'x-segment': 'a\r\nset-cookie: b' })
        return { found: 1 }
      },
    },
  },
})
const plain = view({
  name: 'Plain',
  handlers: {
    GET: ({ setHeaders }) => {
      setHeaders({ 'x-a': 'b' })
      return { status: 204 }
    },
  },
})

const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text({ max: 20 }) },
  responseHeaders: { 'x-saved': text() },
  bulk: 'atomic',
  afterSave: ({ setHeaders, after }) => setHeaders({ 'x-saved': after.name }),
  afterDestroy: ({ setHeaders }) => setHeaders({ 'x-saved': false }),
  listViews: {
    count: listView({
      handlers: {
        POST: ({ setHeaders }) => {
          setHeaders({ 'x-saved': 7 })
          return { status: 200, body: [] }
        },
      },
    }),
  },
})
const typed = view({
  name: 'Typed',
  responseHeaders: { 'x-segment': text(), 'x-count': integer() },
  response: { found: integer() },
  handlers: {
    GET: ({ setHeaders }) => {
      // @ts-expect-error the view declares no such field
      assert.throws(() => setHeaders({ 'x-segmnt': 'new' }))
      setHeaders({ 'x-segment': 'new' })
      return { found: 1 }
    },
  },
})
const old = resource('old-tags', {
  table: 'tags',
  fields: { id: key(), name: text({ max: 20 }) },
  headers: { deprecation: '@1767225600' },
  noStore: true,
})
const copy = view({
  name: 'Copy',
  response: { key: integer() },
  handlers: { POST: async context => ({ key: (await tags.create({ name: 'copied' }, context)).key }) },
})

test('a name must be that of a header field', () => {
  const handlers = { GET: () => ({ status: 204 }) }
  assert.throws(() => view({ name: 'Wrong', responseHeaders: { 'X-A': text() }, handlers }), {
    message: 'view "Wrong": "responseHeaders": "X-A" must be the name of a header field in lower case',
  })
  assert.throws(
    () => resource('tags', { table: 'tags', fields: { id: key() }, responseHeaders: { 'a b': text() } }),
    /responseHeaders: "a b" must be the name of a header field in lower case/,
  )
})

onEachDatabase(
  () => ({
    resources: [tags, old],
    idempotencyKeys: true,
    views: {
      '/segments/': segments,
      '/typed/': typed,
      '/plain/': plain,
      '/copy/': copy,
    },
  }),
  api => {
    test('a handler with a declared response sets them', async () => {
      const { headers, status } = await api().client.get('/segments/')
      assert.deepEqual([status, headers['x-segment'], headers['x-count']], [200, 'new', '3'])
    })

    test('an error has none of them, and an unknown or malformed one is a mistake of the service', async () => {
      const post = (json: object) => api().client.post('/segments/', { json })
      const refused = await post({ fail: 'error' })
      assert.deepEqual([refused.status, refused.headers['x-segment']], [409, undefined])
      for (const response of [
        await post({ fail: 'x-other' }),
        await api().client.request('PUT', '/segments/', { json: {} }),
        await api().client.get('/plain/'),
      ])
        assert.deepEqual([response.status, response.headers['x-segment']], [500, undefined])
    })

    test('hooks and views of a resource set them; an action that code calls sets none', async () => {
      const send = async (method: string, url: string, json?: unknown) => {
        const { headers, status, text } = await api().client.request(method, url, json === undefined ? {} : { json })
        return { status, saved: headers['x-saved'], text }
      }
      const created = await send('POST', '/tags/', { name: 'a1' })
      const { id } = JSON.parse(created.text)
      assert.equal(created.saved, 'a1')
      assert.equal((await send('PATCH', `/tags/${id}/`, { name: 'b2' })).saved, 'b2')
      assert.equal((await send('GET', `/tags/${id}/`)).saved, undefined)
      assert.equal((await send('DELETE', `/tags/${id}/`)).saved, 'false')
      assert.equal((await send('POST', '/tags/', [{ name: 'c3' }, { name: 'd4' }])).saved, 'd4')
      assert.equal((await send('POST', '/tags/count/')).saved, '7')
      const copied = await send('POST', '/copy/')
      assert.deepEqual([copied.status, copied.saved], [200, undefined])
    })

    test('every response of a resource has its fixed fields', async () => {
      const created = await api().client.post('/old-tags/', { json: { name: 'old' } })
      const url = `/old-tags/${created.json().id}/`
      for (const [method, path, status] of [
        ['GET', '/old-tags/', 200],
        ['OPTIONS', '/old-tags/', 200],
        ['PUT', '/old-tags/', 405],
        ['GET', `${url}?x=1`, 200],
        ['DELETE', url, 204],
        ['GET', url, 404],
      ] as const) {
        const response = await api().client.request(method, path)
        const { deprecation, 'cache-control': cache } = response.headers
        assert.deepEqual([response.status, deprecation, cache], [status, '@1767225600', 'no-store'], method)
      }
      assert.throws(
        () => resource('tags', { table: 'tags', fields: { id: key() }, headers: { 'a b': 'c' } }),
        /headers cannot be sent/,
      )
    })

    test('a response that is sent again has them too', async () => {
      const headers = { 'idempotency-key': 'a key of this test' }
      const send = () => api().client.post('/tags/', { json: { name: 'again' }, headers })
      const [first, second] = [await send(), await send()]
      assert.deepEqual([first.status, first.headers['x-saved']], [201, 'again'])
      assert.deepEqual([second.status, second.headers['x-saved'], second.text], [201, 'again', first.text])
    })

    test('a client reads them by their names', async () => {
      const server = createApi({ views: { '/typed/': typed, '/plain/': plain } })
      const client = createClient<typeof server>({ baseUrl: 'http://localhost/', fetch: injectFetch(api().client) })
      const found = await client.view('/typed/').get().result()
      if (!found.ok) return assert.fail()
      assert.deepEqual([found.value.found, found.header('x-segment'), found.header('x-count')], [1, 'new', null])
      // @ts-expect-error the view declares no such field
      assert.equal(found.header('x-other'), null)
    })

    test('the OpenAPI document describes them', () => {
      const { paths } = findDocument(api().app)
      const { headers } = paths['/segments/']!.get!.responses['200'] as { headers: object }
      assert.deepEqual(headers, {
        'x-segment': { description: 'The segment of the caller.', schema: { type: 'string' } },
        'x-count': { schema: { type: 'integer' } },
      })
      assert.match(JSON.stringify(paths['/tags/']!.post!.responses['201']), /"x-saved":\{"schema"/)
      assert.doesNotMatch(JSON.stringify(paths['/tags/']!.post!.responses['400']), /x-saved/)
    })
  },
  { owners: [idempotencyMigrations] },
)
