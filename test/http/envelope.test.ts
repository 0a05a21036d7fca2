// Names around objects and lists in bodies: the option `envelope` of an API and of a resource.

import assert from 'node:assert/strict'
import { before, beforeEach, suite, test } from 'node:test'
import {
  browsable,
  type Database,
  type Envelope,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  key,
  limitOffset,
  linkHeader,
  objectView,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import type { Paginator } from 'resource-api/extend'
import { toReadableText } from '../support/html.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const seen: unknown[] = []

const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  envelope: { one: 'author', many: 'authors' },
  requireIfMatch: true,
  objectViews: {
    again: objectView({
      handlers: { POST: async ({ key, represent }) => ({ status: 200, body: await represent(key) }) },
    }),
    count: objectView({
      body: { to: integer() },
      handlers: { POST: ({ body }) => ({ status: 200, body }) },
    }),
  },
  prepare({ values, given }) {
    seen.push([values, given])
    return {}
  },
})

const books = resource('books', {
  table: 'books',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    title: text(),
    pages: integer({ default: 1 }),
    author: related(authors, { shows: ['id', 'name'], nullable: true }),
  },
  objectName: 'title',
  searchFields: ['title'],
  ordering: ['id'],
  hookColumns: ['subtitle', 'contact', 'genre', 'in_print'],
  async prepare(context) {
    if (context.values.title === 'with author') await authors.create({ name: 'Called' }, context)
    return { subtitle: '', contact: '', genre: '', in_print: true }
  },
  envelope: { one: 'book', many: { results: 'books', count: 'booksCount', next: null, previous: null } },
})

const me = resource('me', {
  table: 'tags',
  fields: { name: text() },
  singleton: ({ caller }) => (caller.id as number | null) ?? undefined,
  actions: ['retrieve', 'update', 'create'],
})

const paged = (name: string, pagination: Paginator | null, envelope?: Envelope) =>
  resource(name, {
    table: 'books',
    fields: { id: key() },
    ordering: ['id'],
    actions: ['list'],
    pagination,
    ...(envelope && { envelope }),
  })

const fixed = (database: Database) => ({
  database,
  authentication: [userScheme],
  renderers: [jsonRenderer, browsable()],
  pagination: limitOffset({ defaultLimit: 20 }),
  envelope: { one: 'data', many: 'items' },
  secret: 'x'.repeat(32),
  resources: [
    authors,
    books,
    me,
    paged('whole', null),
    paged('named', pageNumber({ pageSize: 2 }), { many: 'named' }),
    paged('linked', linkHeader({ pageSize: 2 })),
    paged('bare', null, {}),
    paged('bounded', limitOffset({ defaultLimit: 2, count: { atMost: 1 } }), {
      many: { count: 'n', count_is_exact: 'exact' },
    }),
  ],
})

onEachDatabase(fixed, api => {
  let first: number
  beforeEach(() => void seen.splice(0))

  before(async () => {
    await api().insert('authors', [{ name: 'Ann' }])
    for (const title of ['A', 'B', 'C']) {
      const created = await api().client.post('/books/', { json: { book: { title, author: 1 } } })
      assert.equal(created.status, 201)
      first ??= created.json().book.id
    }
  })

  test('responses and bodies of one object have its name', async () => {
    const { client } = api()
    const created = await client.post('/books/', { json: { book: { title: 'D' }, other: 1 } })
    const { id, url } = created.json().book
    const book = { url: `http://localhost/books/${id}/`, id, title: 'D', pages: 1, author: null }
    assert.equal(created.text, JSON.stringify({ book }))
    assert.equal(created.headers.location, url)
    assert.equal((await client.get(`/books/${id}/`)).text, created.text)
    assert.equal((await client.get(`/books/${id}/`)).headers.etag, created.headers.etag)
    const put = await client.put(`/books/${id}/`, { json: { book: { title: 'E', pages: 2, author: 1 } } })
    assert.deepEqual(put.json(), { book: { ...book, title: 'E', pages: 2, author: { id: 1, name: 'Ann' } } })
    const patched = await client.patch(`/books/${id}/`, { json: { book: { title: 'F' } } })
    assert.equal(patched.json().book.title, 'F')
    assert.equal((await client.delete(`/books/${id}/`)).status, 204)
  })

  test('a body without the name is 400, which names it, and errors of fields have no name around them', async () => {
    const { client } = api()
    for (const [json, errors] of [
      [{ title: 'D' }, { book: ['This field is required.'] }],
      [{ book: 'D' }, { book: ['Invalid data. Expected a dictionary, but got str.'] }],
      [{ book: null }, { book: ['Invalid data. Expected a dictionary, but got NoneType.'] }],
      [{ book: {} }, { title: ['This field is required.'] }],
      [{ book: { title: '' } }, { title: ['This field may not be blank.'] }],
      [['x'], { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] }],
    ] as const) {
      const response = await client.post('/books/', { json })
      assert.deepEqual([response.status, response.json()], [400, errors])
    }
    assert.deepEqual((await client.post('/books/')).json(), { book: ['This field is required.'] })
    assert.deepEqual((await client.patch(`/books/${first}/`, { json: {} })).json(), {
      book: ['This field is required.'],
    })
    assert.equal((await client.patch('/books/999/', { json: {} })).status, 404)
    assert.equal((await client.patch(`/books/${first}/`, { json: { book: {} } })).status, 200)
    assert.deepEqual((await client.get('/books/999/')).json(), { detail: 'Not found.' })
  })

  test('a form has its fields at the top', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const created = await api().client.post('/books/', { body: 'title=Form', headers })
    assert.deepEqual([created.status, created.json().book.title], [201, 'Form'])
    await api().client.delete(`/books/${created.json().book.id}/`)
  })

  test('the members of pages have the names that the resource gives them', async () => {
    const { client } = api()
    const { books: items, ...others } = (await client.get('/books/?limit=2')).json()
    assert.deepEqual([items.map(({ title }: { title: string }) => title), others], [['A', 'B'], { booksCount: 3 }])
    const ids = [first, first + 1].map(id => ({ id }))
    assert.deepEqual((await client.get('/named/')).json(), {
      count: 3,
      next: 'http://localhost/named/?page=2',
      previous: null,
      named: ids,
    })
    const linked = await client.get('/linked/')
    assert.deepEqual(linked.json(), { items: ids })
    assert.match(linked.headers.link as string, /rel="next"/)
    assert.deepEqual((await client.get('/bounded/')).json(), {
      n: 1,
      exact: false,
      next: 'http://localhost/bounded/?limit=2&offset=2',
      previous: null,
      results: ids,
    })
  })

  test('a list without pages has the name of its items, and is indented with it', async () => {
    const { client } = api()
    const ids = [first, first + 1, first + 2].map(id => ({ id }))
    assert.equal((await client.get('/whole/')).text, JSON.stringify({ items: ids }))
    assert.equal((await client.get('/bare/')).text, JSON.stringify(ids))
    const headers = { accept: 'application/json; indent=2' }
    assert.equal((await client.get('/whole/', { headers })).text, JSON.stringify({ items: ids }, null, 2))
    const [get, head] = [await client.get('/whole/'), await client.request('HEAD', '/whole/')]
    assert.equal(get.headers.etag, head.headers.etag)
    assert.equal((await client.get('/whole/', { headers: { 'if-none-match': get.headers.etag! } })).status, 304)
  })

  test('the body of a view has the name around its fields', async () => {
    const { client } = api()
    const send = async (json: unknown) => {
      const { status, text } = await client.post('/authors/1/count/', { json })
      return [status, JSON.parse(text)]
    }
    assert.deepEqual(await send({ author: { to: 3 } }), [200, { to: 3 }])
    assert.deepEqual(await send({ author: { to: 'x' } }), [400, { to: ['A valid integer is required.'] }])
    assert.deepEqual(await send({ author: {} }), [400, { to: ['This field is required.'] }])
    assert.deepEqual(await send({ to: 3 }), [400, { author: ['This field is required.'] }])
    assert.equal((await client.post('/authors/1/count/', { form: { to: '3' } })).status, 200)
    const page = await client.get('/authors/1/count/', { headers: { accept: 'text/html' } })
    assert.match(toReadableText(page.text), /"author": \{\s*"to"/)
    assert.deepEqual((await client.request('OPTIONS', '/authors/1/count/')).json().envelope, {
      one: 'author',
      many: 'authors',
    })
  })

  test('a tag is that of the whole body, and If-Match compares it', async () => {
    const { client } = api()
    const { etag } = (await client.get('/authors/1/')).headers
    const json = { author: { name: 'Anna' } }
    assert.equal((await client.patch('/authors/1/', { json })).status, 428)
    const changed = await client.patch('/authors/1/', { json, headers: { 'if-match': etag! } })
    assert.deepEqual([changed.status, changed.json()], [200, { author: { id: 1, name: 'Anna' } }])
    assert.equal((await client.patch('/authors/1/', { json, headers: { 'if-match': etag! } })).status, 412)
    const back = { json: { author: { name: 'Ann' } }, headers: { 'if-match': changed.headers.etag! } }
    assert.equal((await client.patch('/authors/1/', back)).status, 200)
  })

  test('a view represents an object as its own URL does', async () => {
    const { client } = api()
    assert.equal((await client.post('/authors/1/again/')).text, (await client.get('/authors/1/')).text)
  })

  test('hooks and called actions have values without names around them', async () => {
    const { client } = api()
    const created = await client.post('/authors/', { json: { author: { name: 'Bea' } } })
    assert.equal(created.status, 201)
    const called = await client.post('/books/', { json: { book: { title: 'with author' } } })
    assert.equal(called.status, 201)
    assert.deepEqual(seen, [
      [{ name: 'Bea' }, { name: 'Bea' }],
      [{ name: 'Called' }, { name: 'Called' }],
    ])
    await client.delete(`/books/${called.json().book.id}/`)
  })

  test('the names of the API apply to resources without names of their own, also to a singleton', async () => {
    const created = await api().client.put('/me/', { ...asUser('ann'), json: { data: { name: 'x' } } })
    assert.deepEqual([created.status, created.json()], [201, { data: { name: 'x' } }])
    const read = await api().client.get('/me/', asUser('ann'))
    assert.equal(read.text, '{"data":{"name":"x"}}')
    const refused = await api().client.put('/me/', { ...asUser('ann'), json: { name: 'x' } })
    assert.deepEqual(refused.json(), { data: ['This field is required.'] })
  })

  test('OPTIONS shows the names', async () => {
    const response = await api().client.request('OPTIONS', '/authors/')
    assert.deepEqual(response.json().envelope, { one: 'author', many: 'authors' })
  })

  test('pages show the objects and lists, their links and forms', async () => {
    const { client } = api()
    const headers = { accept: 'text/html' }
    const list = toReadableText((await client.get('/books/?limit=1', { headers })).text)
    assert.match(list, /<th scope="row"><a href="\/books\/\d+\/">A<\/a><\/th>/)
    assert.match(list, /<a href="\/books\/\?limit=1&offset=1" aria-label="Page 2">2<\/a>/)
    assert.match(list, /booksCount/)
    const object = toReadableText((await client.get(`/books/${first}/`, { headers })).text)
    assert.match(object, /<h1 dir="auto">A<\/h1>/)
    assert.match(object, /value="A" id="patch-title"/)
    assert.match(object, /"book": \{\n {4}"title": "A"/)
    assert.match(object, /-d '<span data-body>\{\n {2}"book": \{\n {4}"title"/)
    const rejected = await client.post('/books/', { json: { book: { title: 'Z', pages: 'many' } }, headers })
    assert.equal(rejected.status, 400)
    assert.match(rejected.text, /value="Z" id="post-title"/)
    assert.match((await client.get('/whole/', { headers })).text, /items/)
  })
})

suite('a long list', () => {
  onEachDatabase(
    database => ({ ...fixed(database), pagination: pageNumber() }),
    api => {
      test('is streamed with its name', async () => {
        const rows = Array.from({ length: 6000 }, (_, index) => ({ name: `author ${index} ${'x'.repeat(40)}` }))
        for (let start = 0; start < rows.length; start += 1000)
          await api().insert('authors', rows.slice(start, start + 1000))
        const response = await api().client.get('/authors/')
        assert.equal(response.headers['content-length'], undefined)
        assert.equal(response.json().authors.length, rows.length)
        const indented = await api().client.get('/authors/', { headers: { accept: 'application/json; indent=1' } })
        assert.equal(indented.text, JSON.stringify(response.json(), null, 1))
        const page = await api().client.get('/authors/', { headers: { accept: 'text/html' } })
        assert.match(page.text, /Only the first 50 items of this list are shown/)
      })
    },
  )
})

test('wrong names are refused', async () => {
  for (const [envelope, message] of [
    [{ single: 'x' }, /envelope: there is no option "single": /],
    [{ one: '' }, /envelope\.one must be a name, such as "article"/],
    [{ many: 7 }, /envelope\.many must be a name, such as "articles"/],
    [{ many: { results: null } }, /envelope\.many\.results must be a name, such as "articles"/],
    [{ many: { total: 'x' } }, /envelope\.many: there is no option "total": /],
    [{ many: { results: 'count' } }, /envelope\.many: two members are called "count": rename one/],
  ] as const) {
    await assert.rejects(startApi({ envelope: envelope as Envelope }), message)
    assert.throws(
      () => resource('books', { table: 'books', fields: { id: key() }, envelope: envelope as Envelope }),
      message,
    )
  }
})
