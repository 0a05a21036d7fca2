// PUT that keeps the fields which its body does not contain: the option `put`.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { boolean, browsable, integer, jsonRenderer, key, resource, text } from 'resource-api'
import { onEachDatabase, startApi } from '../support/own-api.ts'

const declare = (name: string, put?: 'whole' | 'partial') =>
  resource(name, {
    table: 'books',
    fields: { id: key(), title: text(), pages: integer({ default: 1 }), in_print: boolean({ default: true }) },
    hookColumns: ['subtitle', 'contact', 'genre'],
    prepare: ({ action }) => (action === 'create' ? { subtitle: '', contact: '', genre: '' } : {}),
    ...(put && { put }),
  })

onEachDatabase(
  database => ({
    database,
    put: 'partial',
    renderers: [jsonRenderer, browsable()],
    resources: [declare('books'), declare('drafts', 'whole')],
  }),
  api => {
    before(async () => {
      for (const title of ['A', 'B']) await api().client.post('/books/', { json: { title, pages: 9 } })
    })

    test('a partial PUT changes the fields that its body contains, and has no ETag', async () => {
      const put = await api().client.put('/books/1/', { json: { pages: 10 } })
      assert.deepEqual([put.status, put.json()], [200, { id: 1, title: 'A', pages: 10, in_print: true }])
      assert.equal(put.headers.etag, undefined)
      assert.deepEqual((await api().client.put('/books/1/', { json: {} })).json(), put.json())
      const refused = await api().client.put('/books/1/', { json: { title: '' } })
      assert.deepEqual([refused.status, refused.json()], [400, { title: ['This field may not be blank.'] }])
      assert.equal((await api().client.put('/books/99/', { json: {} })).status, 404)
    })

    test('a form that a partial PUT sends leaves out what stays', async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const put = await api().client.put('/books/1/', { body: 'pages=11', headers })
      assert.deepEqual(put.json(), { id: 1, title: 'A', pages: 11, in_print: true })
    })

    test('a resource overrides the option of its API', async () => {
      const put = await api().client.put('/drafts/2/', { json: { pages: 10 } })
      assert.deepEqual([put.status, put.json()], [400, { title: ['This field is required.'] }])
    })

    test('OPTIONS requires no field of a partial PUT, and pages edit with PATCH', async () => {
      const { client } = api()
      const isRequired = async (path: string) =>
        (await client.request('OPTIONS', path)).json().actions.PUT.title.required
      assert.deepEqual([await isRequired('/books/1/'), await isRequired('/drafts/1/')], [false, true])
      const headers = { accept: 'text/html' }
      assert.doesNotMatch((await client.get('/books/1/', { headers })).text, /data-editor="PUT"/)
      assert.match((await client.get('/drafts/1/', { headers })).text, /data-editor="PUT"/)
    })
  },
)

test('another value is refused', async () => {
  await assert.rejects(startApi({ put: 'some' as 'whole' }), {
    message: "createApi(): put must be 'whole' or 'partial'",
  })
  assert.throws(() => declare('books', 'some' as 'whole'), /resource "books": put must be 'whole' or 'partial'/)
})
