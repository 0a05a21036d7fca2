// Create, replace and update: required fields, stored values and responses (END-GAP-b3).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { authors, books, plainBook, tags } from '../support/library.ts'
import { onEachDatabase } from '../support/own-api.ts'

onEachDatabase(
  () => ({ resources: [books, authors, tags] }),
  api => {
    let tag: number
    let author: number

    before(async () => {
      ;[tag] = (await api().insert('tags', [{ name: 'a' }])) as [number]
      ;[author] = (await api().insert('authors', [{ name: 'Jane' }])) as [number]
    })

    const create = async (json: object = {}) =>
      (await api().client.post('/books/', { json: { title: 'Emma', pages: 474, ...json } })).json()
    const createFullBook = () => ({
      title: 'Emma',
      subtitle: 'A Novel',
      summary: ' Matchmaking.\n',
      pages: 474,
      isbn: null,
      published: '1815-12-23T00:00:00.000000Z',
      in_print: false,
      genre: 'poetry',
      contact: 'jane@example.org',
      author: `http://localhost/authors/${author}/`,
      translator: author,
      tags: [tag],
      editors: [`http://localhost/authors/${author}/`],
    })

    test('END-GAP-b3: POST returns 201, the created object with its defaults, and its URL', async () => {
      const { client } = api()
      const response = await client.post('/books/', { json: { title: 'Emma', pages: 474 } })
      const { id, ...book } = response.json()
      assert.deepEqual([response.status, book], [201, plainBook])
      assert.equal(response.headers.location, `http://localhost/books/${id}/`)
      assert.deepEqual((await client.get(`/books/${id}/`)).json(), { id, ...book })
    })

    test('END-GAP-b3: POST stores and returns all sent fields', async () => {
      const { id, ...book } = await create(createFullBook())
      assert.deepEqual(book, { ...createFullBook(), shelf: 'A1' })
      assert.deepEqual((await api().client.get(`/books/${id}/`)).json(), { id, ...book })
    })

    test('read-only and unknown fields are ignored; write-only fields are stored but not shown', async () => {
      const json = { id: 999_999, shelf: 'Z9', secret: 'hush', unknown: 1, __proto__: { title: 'x' }, constructor: 2 }
      const book = await create(json)
      assert.notEqual(book.id, 999_999)
      assert.equal(book.shelf, 'A1')
      assert.deepEqual(Object.keys(book), ['id', ...Object.keys(plainBook)])
      const row = (await api().rows('books')).find(({ id }) => Number(id) === book.id)
      assert.equal(row?.secret, 'hush')
      await api().client.patch(`/books/${book.id}/`, { json: { id: 1, shelf: 'Z9', title: 'Persuasion' } })
      assert.deepEqual((await api().client.get(`/books/${book.id}/`)).json(), { ...book, title: 'Persuasion' })
    })

    test('END-GAP-b3: PATCH changes only the fields that it contains', async () => {
      const book = await create(createFullBook())
      const url = `/books/${book.id}/`
      const response = await api().client.patch(url, { json: { pages: 500 } })
      assert.deepEqual([response.status, response.json()], [200, { ...book, pages: 500 }])
      for (const options of [{}, { json: {} }, { form: {} }]) {
        const unchanged = await api().client.patch(url, options)
        assert.deepEqual([unchanged.status, unchanged.json()], [200, { ...book, pages: 500 }])
      }
    })

    test('END-GAP-b3: PUT needs all required fields, and keeps the values of missing optional fields', async () => {
      const book = await create(createFullBook())
      const response = await api().client.put(`/books/${book.id}/`, { json: { title: 'Emma II', pages: 1 } })
      assert.deepEqual([response.status, response.json()], [200, { ...book, title: 'Emma II', pages: 1 }])
      const refused = await api().client.put(`/books/${book.id}/`, { json: { subtitle: 'x' } })
      assert.deepEqual(refused.json(), { title: ['This field is required.'], pages: ['This field is required.'] })
    })

    test('nullable fields accept null', async () => {
      const book = await create(createFullBook())
      const nulls = { summary: null, published: null, author: null, translator: null }
      const response = await api().client.patch(`/books/${book.id}/`, { json: nulls })
      assert.deepEqual(response.json(), { ...book, ...nulls })
    })

    test('END-GAP-b3: DELETE returns 204 without a body, and later requests get 404', async () => {
      const { id } = await create(createFullBook())
      const response = await api().client.delete(`/books/${id}/`)
      assert.deepEqual([response.status, response.text, response.headers['content-type']], [204, '', undefined])
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
        assert.equal(
          (await api().client.request(method, `/books/${id}/`, { json: createFullBook() })).status,
          404,
          method,
        )
    })

    test('form and multipart bodies create the same object as JSON', async () => {
      const { isbn: _, ...sent } = createFullBook()
      const form = Object.entries({ ...sent, in_print: 'on' }).flatMap(([name, value]) =>
        [value].flat().map(item => [name, String(item)] as const),
      )
      const data = new FormData()
      for (const [name, value] of form) data.append(name, value)
      const multipart = new Response(data)
      const requests = [
        { form },
        {
          body: Buffer.from(await multipart.clone().arrayBuffer()),
          headers: { 'content-type': multipart.headers.get('content-type')! },
        },
      ]
      for (const options of requests) {
        const response = await api().client.post('/books/', options)
        const { id: __, ...book } = response.json()
        const summary = 'form' in options ? sent.summary : sent.summary.replace('\n', '\r\n')
        assert.deepEqual([response.status, book], [201, { ...createFullBook(), in_print: true, summary, shelf: 'A1' }])
      }
    })

    test('END-GAP-b3: in a form, a missing checkbox is false, a missing list is empty, and an empty date or relation is null', async () => {
      const form = { title: 'Emma', pages: '474', published: '', translator: '', summary: '' }
      const created = await api().client.post('/books/', { form })
      const { id, ...book } = created.json()
      assert.deepEqual([created.status, book], [201, { ...plainBook, in_print: false, summary: '' }])
      await api().client.patch(`/books/${id}/`, { json: createFullBook() })
      const put = await api().client.put(`/books/${id}/`, { form })
      const emptied = { published: null, translator: null, summary: '', tags: [], editors: [], in_print: false }
      assert.deepEqual(put.json(), { ...createFullBook(), id, shelf: 'A1', ...emptied })
    })

    test('fields missing in a PATCH form are unchanged', async () => {
      const book = await create({ ...createFullBook(), in_print: true })
      const response = await api().client.patch(`/books/${book.id}/`, { form: { pages: '7' } })
      assert.deepEqual(response.json(), { ...book, pages: 7 })
    })
  },
)
