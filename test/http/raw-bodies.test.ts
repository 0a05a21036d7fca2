// The bytes of bodies in permissions, hooks and handlers, for the signatures of webhooks.

import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { beforeEach, test } from 'node:test'
import {
  file,
  folder,
  integer,
  key,
  listView,
  type Permission,
  resource,
  text,
  ValidationError,
  view,
} from 'resource-api'
import { fieldPart, filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { onEachDatabase } from '../support/own-api.ts'

const sign = (body: Buffer | string) => createHmac('sha256', 'secret').update(body).digest()

const signed: Permission = {
  message: 'The signature is wrong.',
  allows({ request, rawBody }) {
    const given = Buffer.from(String(request.headers['x-signature'] ?? ''), 'hex')
    return rawBody !== undefined && given.length === 32 && timingSafeEqual(given, sign(rawBody))
  },
}

const seen: unknown[] = []
const hook = view({
  name: 'Hook',
  permissions: [signed],
  rawBody: { limit: 1000 },
  body: { event: text(), data: file({ store: folder('/tmp/raw-bodies'), nullable: true }) },
  response: { size: integer() },
  handlers: {
    POST: ({ rawBody }) => ({ size: rawBody!.length }),
    DELETE: { body: { event: text() }, handle: ({ rawBody }) => ({ size: rawBody!.length }) },
    GET: { permissions: [], handle: ({ rawBody }) => ({ size: rawBody === undefined ? 0 : 1 }) },
  },
})

const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text({ max: 20 }) },
  rawBody: true,
  bulk: 'atomic',
  validate({ rawBody }) {
    if (rawBody?.includes('"label"')) throw new ValidationError({ label: 'Write name.' })
  },
  afterSave: ({ rawBody }) => void seen.push(String(rawBody)),
  listViews: {
    plain: listView({
      rawBody: false,
      handlers: { POST: ({ rawBody }) => ({ status: 200, body: { raw: rawBody ?? null } }) },
    }),
  },
})

const copy = view({
  name: 'Copy',
  rawBody: true,
  response: { key: integer() },
  handlers: { POST: async context => ({ key: (await tags.create({ name: 'copied' }, context)).key }) },
})

test('a limit must be a number of bytes', () => {
  const handlers = { GET: () => ({ status: 204 }) }
  assert.throws(() => view({ name: 'Wrong', rawBody: { limit: 0 }, handlers }), {
    message: 'view "Wrong": "rawBody" must be true, or { limit } with the most bytes of a body',
  })
  assert.throws(
    () => resource('tags', { table: 'tags', fields: { id: key() }, rawBody: 'yes' as never }),
    /rawBody must be true/,
  )
})

onEachDatabase(
  () => ({ resources: [tags], views: { '/hook/': hook, '/copy/': copy } }),
  api => {
    beforeEach(() => void seen.splice(0))
    const send = (method: string, body: string | Buffer, headers: Record<string, string> = {}) =>
      api().client.request(method, '/hook/', {
        headers: { 'content-type': 'application/json', 'x-signature': sign(body).toString('hex'), ...headers },
        body,
      })

    test('a permission gets the exact bytes, before they are parsed', async () => {
      const body = '{ "event":"ping",  "event": "pöng" }'
      const response = await send('POST', body)
      assert.deepEqual([response.status, response.json()], [200, { size: Buffer.byteLength(body) }])
      assert.equal((await send('POST', body, { 'x-signature': sign('{}').toString('hex') })).status, 403)
      assert.equal((await send('POST', '{', { 'x-signature': 'xx' })).status, 403)
      assert.equal((await send('POST', '{')).status, 400)
      assert.equal((await send('DELETE', '{"event":"a"}')).json().size, 13)
      assert.equal((await api().client.get('/hook/')).json().size, 0)
      assert.equal((await api().client.request('OPTIONS', '/hook/')).status, 403)
    })

    test('a body beyond the limit is 413, whatever its parser allows', async () => {
      assert.equal((await send('POST', JSON.stringify({ event: 'x'.repeat(1000) }))).status, 413)
      assert.equal((await send('POST', 'x'.repeat(1001), { 'content-type': 'text/odd' })).status, 413)
    })

    test('a form with files is parsed from the bytes', async () => {
      const body = multipartBody(fieldPart('event', 'up'), filePart('data', 'a.txt', 'content'))
      const response = await send('POST', body, multipartHeaders)
      assert.deepEqual([response.status, response.json()], [200, { size: body.length }])
    })

    test('hooks of a resource get the bytes; called actions have none', async () => {
      const post = (url: string, json: unknown) => api().client.post(url, { json })
      assert.equal((await post('/tags/', { name: 'raw', other: 1 })).status, 201)
      assert.deepEqual((await post('/tags/', { name: 'raw2', label: 1 })).json(), { label: ['Write name.'] })
      assert.equal((await post('/tags/', [{ name: 'raw3' }])).status, 201)
      assert.equal((await post('/copy/', { a: 1 })).status, 200)
      assert.deepEqual((await post('/tags/plain/', { a: 1 })).json(), { raw: null })
      assert.deepEqual(seen, ['{"name":"raw","other":1}', '[{"name":"raw3"}]', 'undefined'])
    })
  },
)
