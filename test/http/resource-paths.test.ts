// The path of a resource's list, where it is not the resource's name, and names with underscores.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  allowAny,
  createApi,
  findDocument,
  hyperlinkedIdentity,
  integer,
  key,
  objectView,
  pageNumber,
  related,
  resource,
  reverse,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { injectFetch } from '../support/client.ts'
import { bookRow } from '../support/library.ts'
import { onEachDatabase, startApi } from '../support/own-api.ts'

const writers = resource('book_writers', {
  table: 'authors',
  path: 'people/writers',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text() },
  lists: { long: { rows: ({ row }) => sql`${row.name} > 'M'`, permissions: [allowAny] } },
  objectViews: {
    link: objectView({
      handlers: {
        GET: context => ({
          body: { link: reverse('book_writers-detail', { key: context.key }, context) },
          status: 200,
        }),
      },
    }),
  },
})

const books = resource('books', {
  table: 'books',
  path: 'all_books',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    title: text(),
    pages: integer(),
    writer: related(writers, { column: 'author_id', form: 'url' }),
  },
  expandableFields: ['writer'],
  nestedUnder: [{ parent: writers, field: 'writer' }],
  hookColumns: ['subtitle', 'contact', 'genre', 'in_print'],
  prepare: () => ({ subtitle: '', contact: '', genre: '', in_print: true }),
})

const shelves = resource('shelves', {
  table: 'authors',
  actions: ['list'],
  fields: { url: hyperlinkedIdentity(), id: key(), name: text() },
  pagination: null,
})

/** Its list has the URL of its parent. */
const volumes = resource('volumes', {
  table: 'books',
  path: '',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    title: text(),
    pages: integer(),
    shelf: related(shelves, { column: 'author_id' }),
  },
  filters: { title: true },
  nestedUnder: [{ parent: shelves, field: 'shelf', only: true }],
  hookColumns: ['subtitle', 'contact', 'genre', 'in_print'],
  prepare: () => ({ subtitle: '', contact: '', genre: '', in_print: true }),
})

const groups = resource('user_groups', { table: 'tags', fields: { id: key(), name: text() } })

const resources = [writers, books, groups, shelves, volumes] as const
const api = createApi({ resources, pagination: pageNumber({ pageSize: 10 }) })
const root = 'http://localhost'

onEachDatabase(
  () => ({
    name: 'own',
    permissions: [allowAny],
    resources,
    pagination: pageNumber({ pageSize: 10 }),
  }),
  own => {
    let jane: number
    let emma: number
    const get = async (url: string) => (await own().client.get(url)).json()

    before(async () => {
      ;[jane] = (await own().insert('authors', [{ name: 'Jane' }])) as [number]
      ;[emma] = (await own().insert('books', [{ ...bookRow, author_id: jane }])) as [number]
    })

    test('lists, objects, views and links have the path', async () => {
      const writer = { url: `${root}/people/writers/${jane}/`, id: jane, name: 'Jane' }
      assert.deepEqual((await get('/people/writers/')).results, [writer])
      assert.deepEqual(await get(`/people/writers/${jane}/`), writer)
      assert.deepEqual((await get('/people/writers/long/')).results, [])
      assert.deepEqual(await get(`/people/writers/${jane}/link/`), { link: writer.url })
      const book = { url: `${root}/all_books/${emma}/`, id: emma, title: 'Emma', pages: 474, writer: writer.url }
      assert.deepEqual((await get('/all_books/')).results, [book])
      assert.deepEqual((await get(`/people/writers/${jane}/all_books/`)).results, [book])
      assert.deepEqual((await get(`/all_books/${emma}/?expand=writer`)).writer, writer)
    })

    test('the root names the resources, and their paths', async () => {
      assert.deepEqual(await get('/'), {
        book_writers: `${root}/people/writers/`,
        books: `${root}/all_books/`,
        user_groups: `${root}/user_groups/`,
        shelves: `${root}/shelves/`,
      })
    })

    test('a body names an object by its URL, and a new object has its path', async () => {
      const { client } = own()
      const json = { title: 'Lady Susan', pages: 80, writer: `/people/writers/${jane}/` }
      const made = await client.post('/all_books/', { json })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.headers.location, made.json().url)
      assert.match(made.json().url, /^http:\/\/localhost\/all_books\/\d+\/$/)
      const below = await client.post(`/people/writers/${jane}/all_books/`, { json: { ...json, title: 'Sanditon' } })
      assert.equal(below.status, 201, below.text)
      for (const [writer, message] of [
        ['/people/writers/', 'Invalid hyperlink - Incorrect URL match.'],
        [`/all_books/${emma}/`, 'Invalid hyperlink - Incorrect URL match.'],
        [`/people/${jane}/`, 'Invalid hyperlink - No URL match.'],
        [`/book_writers/${jane}/`, 'Invalid hyperlink - No URL match.'],
        [`/people/writers/${jane}/link/`, 'Invalid hyperlink - No URL match.'],
        ['/people/writers//', 'Invalid hyperlink - No URL match.'],
        ['/people/writers/999999/', 'Invalid hyperlink - Object does not exist.'],
      ] as const) {
        const response = await client.post('/all_books/', { json: { ...json, writer } })
        assert.deepEqual([response.status, response.json()], [400, { writer: [message] }])
      }
    })

    test('a list with an empty path has the URL of its parent', async () => {
      const list = `/shelves/${jane}/`
      const volume = { url: `${root}${list}${emma}/`, id: emma, title: 'Emma', pages: 474, shelf: jane }
      assert.deepEqual((await get(`${list}?title=Emma`)).results, [volume])
      assert.deepEqual(await get(`${list}${emma}/`), volume)
      const made = await own().client.post(list, { json: { title: 'Evelyn', pages: 20 } })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.headers.location, made.json().url)
      assert.deepEqual(await get(new URL(made.json().url).pathname), made.json())
      assert.equal((await own().client.get('/shelves/999999/')).status, 404)
      assert.equal((await own().client.get(`/shelves/${jane}`)).status, 301)
      const client = createClient<typeof api>({ baseUrl: `${root}/`, fetch: injectFetch(own().client) })
      const shelf = client.shelves(jane).resource('')
      assert.equal((await shelf.list({ title: 'Evelyn' })).results[0]!.url, made.json().url)
      assert.equal((await shelf(emma).retrieve()).title, 'Emma')
      await own().client.delete(new URL(made.json().url).pathname)
    })

    test('a list with an empty path needs a parent with "only", whose objects have no URL', async () => {
      const parent = resource('parents', { table: 'authors', fields: { id: key(), name: text() } })
      const declare = (only: boolean) =>
        resource('children', {
          table: 'books',
          path: '',
          actions: ['list'],
          fields: { id: key(), parent: related(parent, { column: 'author_id' }) },
          nestedUnder: [{ parent, field: 'parent', only }],
        })
      assert.throws(() => declare(false), /only a list below a parent with "only" may have an empty path/)
      await assert.rejects(
        startApi({ database: own().database, resources: [parent, declare(true)] }),
        /match the same URLs/,
      )
    })

    test('another spelling of a path is 404', async () => {
      for (const path of ['/book_writers/', '/book-writers/', '/people/', '/people%2Fwriters/', '/People/writers/'])
        assert.equal((await own().client.get(path)).status, 404, path)
      assert.equal((await own().client.get('/people/writers')).status, 301)
    })

    test('the OpenAPI document has the paths', () => {
      const { paths } = findDocument(own().app)!
      assert.ok(Object.hasOwn(paths, '/people/writers/{book_writers_key}/all_books/{key}/'))
      assert.deepEqual(
        Object.keys(paths).filter(path => path.startsWith('/shelves/')),
        ['/shelves/', '/shelves/{shelves_key}/', '/shelves/{shelves_key}/{key}/'],
      )
    })

    test('a client calls resources by their paths', async () => {
      const client = createClient<typeof api>({ baseUrl: `${root}/`, fetch: injectFetch(own().client) })
      assert.equal((await client.all_books(emma).retrieve()).title, 'Emma')
      assert.equal((await client['people/writers'](jane).retrieve()).name, 'Jane')
      assert.equal((await client.resource('people/writers').list()).results[0]!.name, 'Jane')
      const below = await client['people/writers'](jane).all_books.list()
      assert.equal(below.results[0]!.title, 'Emma')
      assert.deepEqual((await client.user_groups.list()).results, [])
      // @ts-expect-error the name is no path
      await assert.rejects(client.book_writers.list())
    })
  },
)

suite('mistakes', () => {
  const fields = { id: key() }

  test('a path has segments without a slash at their ends', () => {
    for (const path of ['', '/', '/a', 'a/', 'a//b', 'a/:b', '.', '..', 'a b', 'é', 'a%2Fb', '*'])
      assert.throws(
        () => resource('things', { table: 'things', path, fields }),
        new Error(
          'resource "things": path: write segments without a slash at their ends, such as "custom_fields" or "plugins/tags"; only a list below a parent with "only" may have an empty path',
        ),
        path,
      )
    assert.throws(() => resource('things', { table: 'things', path: 5 as never, fields }), /path: write segments/)
  })

  test('two resources cannot have one path, or names that differ only in a sign', async () => {
    const things = resource('things', { table: 'things', fields })
    const other = resource('others', { table: 'things', path: 'things', fields })
    await assert.rejects(
      startApi({ database: undefined as never, resources: [things, other] }),
      /match the same URLs|needs the option "database"/,
    )
    await assert.rejects(
      startApi({ resources: [resource('a-b', { table: 'a', fields }), resource('a_b', { table: 'a', fields })] }),
      new Error('createApi(): the names "a-b" and "a_b" differ only in "-" and "_": rename one'),
    )
  })
})
