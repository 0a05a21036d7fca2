// The bodies of errors that handlers of views return themselves: declared, described, and compared with the document.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Document, findDocument, integer, key, listView, resource, text, view } from 'resource-api'
import * as z from 'zod'
import { onEachDatabase } from '../support/own-api.ts'

let body: unknown = 'too late'
let status = 400
const respond = () => ({ status, body }) as never

const books = resource('books', {
  table: 'books',
  actions: [],
  fields: { id: key(), title: text() },
  listViews: {
    fields: listView({
      errors: { 409: { holder: text(), days: integer() } },
      handlers: { POST: respond, GET: { errors: { 400: z.object({ reason: z.string() }) }, handle: respond } },
    }),
    undeclared: listView({ handlers: { GET: respond } }),
  },
})
const pages = view({
  name: 'Pages',
  errors: { 403: 'document', 400: 'document' },
  body: { until: integer() },
  handlers: { POST: respond },
})
const whole = view({
  name: 'Whole',
  body: { until: integer() },
  errors: { 400: text(), 418: text() },
  handlers: { POST: respond },
})

onEachDatabase(
  () => ({ resources: [books], views: { '/whole/': whole, '/pages/': pages } }),
  api => {
    const send = async (method: string, path: string, found: number, sent: unknown, json?: object) => {
      status = found
      body = sent
      const response = await api().client.request(method, path, json && { json })
      return [response.status, response.json()]
    }
    const isRefused = (sending: Promise<unknown>) => assert.rejects(sending, /is not what the OpenAPI document says/)

    test('a declared text, fields and a schema may be the body; other bodies differ from the document', async () => {
      assert.deepEqual(await send('POST', '/whole/', 400, 'too late', { until: 1 }), [400, 'too late'])
      assert.deepEqual(await send('POST', '/whole/', 418, 'tea', { until: 1 }), [418, 'tea'])
      assert.deepEqual(await send('POST', '/whole/', 400, '', { until: 'x' }), [
        400,
        { until: ['A valid integer is required.'] },
      ])
      const held = { holder: 'Ann', days: 3 }
      assert.deepEqual(await send('POST', '/books/fields/', 409, held), [409, held])
      assert.deepEqual(await send('GET', '/books/fields/', 400, { reason: 'a' }), [400, { reason: 'a' }])
      await isRefused(send('POST', '/whole/', 400, 5, { until: 1 }))
      await isRefused(send('POST', '/books/fields/', 409, { holder: 'Ann' }))
      await isRefused(send('POST', '/books/fields/', 409, null))
      await isRefused(send('GET', '/books/fields/', 400, 'text'))
      await isRefused(send('GET', '/books/undeclared/', 400, 'text'))
    })

    test('a finished document is sent as HTML, whatever the client accepts', async () => {
      const { client, app } = api()
      body = new Document('Insufficient permissions')
      status = 403
      for (const accept of [undefined, 'application/json', 'text/html;q=0, */*'] as const) {
        const headers = { ...(accept && { accept }) }
        const response = await client.post('/pages/', { json: { until: 1 }, headers })
        assert.deepEqual(
          [response.status, response.headers['content-type'], response.text],
          [403, 'text/html; charset=utf-8', 'Insufficient permissions'],
        )
      }
      const refused = await client.post('/pages/', { json: { until: 'x' } })
      assert.deepEqual(refused.json(), { until: ['A valid integer is required.'] })
      const { responses } = findDocument(app)!.paths['/pages/']!.post!
      const { content } = responses['403'] as { content: Record<string, object> }
      assert.deepEqual(Object.keys(content), ['text/html', 'application/json', 'application/problem+json'])
      assert.deepEqual(content['text/html'], { schema: { type: 'string' } })
    })

    test('the document has the bodies beside the usual ones', () => {
      const { responses } = findDocument(api().app)!.paths['/whole/']!.post!
      const { content } = responses['418'] as { content: Record<string, { schema: object }> }
      const { schema } = content['application/json']!
      assert.deepEqual(schema, { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Error' }] })
    })
  },
)

suite('wrong declarations are errors at start', () => {
  const declare = (errors: object) => () =>
    resource('books', {
      table: 'books',
      fields: { id: key() },
      listViews: { late: listView({ errors: errors as never, handlers: { GET: () => ({ status: 200 }) } }) },
    })

  test('a status that is no error, and a body that is no schema', () => {
    for (const [errors, message] of [
      [{ 200: text() }, 'errors: "200" is not the status of an error: write one from 400 to 599'],
      [{ late: text() }, 'errors: "late" is not the status of an error: write one from 400 to 599'],
      [
        { 400: 'text' },
        'errors: 400 must be fields, such as { until: date() }, or a Standard Schema, such as that of Zod',
      ],
    ] as const)
      assert.throws(declare(errors), new Error(`resource "books": the view "late": ${message}`))
  })
})
