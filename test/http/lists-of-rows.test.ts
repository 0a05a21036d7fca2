// Further lists of a resource, which contain some of its rows: `/articles/feed/`.

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  allowAny,
  authenticated,
  browsable,
  type Database,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  key,
  limitOffset,
  pageNumber,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  permissions: [rowFilter(({ row }) => sql`${row.name} <> 'Hidden'`)],
})

const books = resource('books', {
  table: 'books',
  fields: { url: hyperlinkedIdentity(), id: key(), title: text(), pages: integer() },
  permissions: [rowFilter(({ row }) => sql`${row.title} not like 'secret%'`)],
  actions: ['list', 'retrieve'],
  ordering: ['id'],
  orderingFields: ['pages'],
  searchFields: ['title'],
  filters: { pages: ['gte'] },
  hookColumns: ['author_id', 'owner_id'],
  nestedUnder: [{ parent: authors, column: 'author_id' }],
  lists: {
    mine: {
      rows: ({ row, caller }) => sql`${row.owner_id} = ${caller.id}`,
      permissions: [authenticated, rowFilter(({ row }) => sql`${row.title} not like 'secret%'`)],
      ordering: ['-pages'],
      pagination: pageNumber({ pageSize: 2 }),
      name: 'My books',
      description: 'The books of the caller.',
    },
    long: { rows: ({ row }) => sql`${row.pages} > 100` },
  },
})

/** The same at URLs without slashes, only below authors. */
const editions = resource('editions', {
  table: 'books',
  fields: { id: key() },
  actions: [],
  hookColumns: ['author_id'],
  nestedUnder: [{ parent: authors, column: 'author_id', only: true }],
  lists: { all: { rows: () => sql`1 = 1` } },
})

const statements: string[] = []

const declare = (database: Database) => ({
  database,
  authentication: [userScheme],
  renderers: [jsonRenderer, browsable()],
  pagination: limitOffset({ defaultLimit: 10 }),
  resources: [authors, books, editions],
})

onEachDatabase(
  declare,
  api => {
    before(async () => {
      const [ann, bea] = await api().insert('authors', [{ name: 'Ann' }, { name: 'Bea' }, { name: 'Hidden' }])
      const rows = [
        ['A', 50, ann, 1],
        ['B', 150, ann, 1],
        ['C', 250, bea, 1],
        ['secret', 350, ann, 1],
        ['D', 450, bea, 2],
      ] as const
      await api().insert(
        'books',
        rows.map(([title, pages, author_id, owner_id]) => ({ ...bookRow, title, pages, author_id, owner_id })),
      )
    })

    beforeEach(() => void statements.splice(0))

    const listTitles = async (path: string, user?: 'ann' | 'bob') => {
      const response = await api().client.get(path, user && asUser(user))
      assert.equal(response.status, 200, path)
      return response.json().results.map(({ title }: { title: string }) => title)
    }

    test('a list contains its rows that the row filters show, in its own order and pages', async () => {
      assert.deepEqual(await listTitles('/books/mine/', 'ann'), ['C', 'B'])
      assert.deepEqual(await listTitles('/books/mine/?page=2', 'ann'), ['A'])
      assert.deepEqual(await listTitles('/books/mine/', 'bob'), ['D'])
      assert.deepEqual(await listTitles('/books/long/'), ['B', 'C', 'D'])
      const page = (await api().client.get('/books/mine/', asUser('ann'))).json()
      assert.deepEqual([page.count, page.next], [3, 'http://localhost/books/mine/?page=2'])
      assert.match(page.results[0].url, /^http:\/\/localhost\/books\/\d+\/$/)
    })

    test('its pages take one statement', async () => {
      await api().client.get('/books/mine/?ordering=pages', asUser('bob'))
      assert.equal(statements.length, 1, statements.join('\n'))
    })

    test('it has the search, the filters and the ordering of the resource', async () => {
      assert.deepEqual(await listTitles('/books/long/?search=c'), ['C'])
      assert.deepEqual(await listTitles('/books/long/?pages__gte=200&ordering=-pages'), ['D', 'C'])
      const { search, filters } = (await api().client.request('OPTIONS', '/books/long/')).json()
      assert.deepEqual([search, Object.keys(filters)], [['title'], ['pages__gte']])
    })

    test('its permissions replace those of the resource, and it only reads', async () => {
      const { client } = api()
      assert.equal((await client.get('/books/mine/')).status, 401)
      assert.equal((await client.post('/books/mine/', { ...asUser('ann'), json: {} })).status, 405)
      assert.equal((await client.get('/books/nothing/')).status, 404)
    })

    test('below a parent, it contains the rows of that parent', async () => {
      assert.deepEqual(await listTitles('/authors/1/books/mine/', 'ann'), ['B', 'A'])
      assert.deepEqual(await listTitles('/authors/2/books/long/'), ['C', 'D'])
      assert.equal((await api().client.get('/authors/3/books/long/')).status, 404)
      assert.equal((await api().client.get('/authors/9/editions/all/')).status, 404)
      assert.equal((await api().client.get('/authors/2/editions/all/')).json().count, 2)
      assert.equal((await api().client.get('/authors/2/editions/')).status, 404)
    })

    test('it has an ETag, and 304 follows from it', async () => {
      const { client } = api()
      const { etag } = (await client.get('/books/long/')).headers
      assert.equal((await client.get('/books/long/', { headers: { 'if-none-match': etag! } })).status, 304)
    })

    test('OPTIONS and pages show its name, and the page of the list links to it', async () => {
      const { client } = api()
      const options = (await client.request('OPTIONS', '/books/mine/', asUser('ann'))).json()
      assert.deepEqual([options.name, options.description], ['My books', 'The books of the caller.'])
      const headers = { accept: 'text/html' }
      assert.match(
        (await client.get('/books/', { headers })).text,
        /<a class="button" href="\/books\/long\/">Long<\/a>/,
      )
      const page = (await client.get('/books/long/', { headers })).text
      assert.match(page, /<h1 dir="auto">Book Long<\/h1>/)
      assert.match(page, /<th scope="row"><a href="\/books\/\d+\/">/)
    })
  },
  { observe: text => void statements.push(text) },
)

test('wrong lists are refused', () => {
  const declareWith = (lists: object) => () =>
    resource('books', { table: 'books', fields: { id: key() }, lists: lists as Record<string, never> })
  for (const [lists, message] of [
    [{ feed: {} }, /resource "books": the list "feed" needs its rows: write rows: /],
    [{ feed: { rows: () => sql`true`, order: [] } }, /the list "feed": there is no option "order"/],
    [{ feed: { rows: () => sql`true`, ordering: ['author.name'] } }, /the list "feed": ordering: /],
    [{ 'a/b': { rows: () => sql`true` } }, /the name of view "a\/b" must be a valid path segment/],
  ] as const)
    assert.throws(declareWith(lists), message)
  const singleton = { singleton: () => 1, lists: { feed: { rows: () => sql`true` } } }
  assert.throws(
    () => resource('me', { table: 'books', fields: { id: key() }, ...singleton }),
    /singleton: its URL has no list and no key: remove "lists"/,
  )
})

onEachDatabase(
  database => ({ database, permissions: [allowAny] }),
  api => {
    test('a list that hides that it depends on more than data stops the start', async () => {
      const lists = { feed: { rows: () => sql`random() > 0` } }
      const random = resource('authors', { table: 'authors', fields: { id: key(), name: text() }, lists })
      await assert.rejects(
        startApi({ database: api().database, resources: [random] }),
        /depends on more than data \(random\(\)\)/,
      )
    })

    test('a list and a view at one URL are refused', async () => {
      const twice = resource('authors', {
        table: 'authors',
        fields: { id: key(), name: text() },
        lists: { feed: { rows: () => sql`1 = 1` } },
        listViews: { other: { path: 'feed', handlers: { GET: () => ({ status: 200 }) } } },
      })
      await assert.rejects(startApi({ database: api().database, resources: [twice] }), /match the same URLs/)
    })
  },
)

onEachDatabase(
  () => ({}),
  api => {
    test('the database refuses a list by its name, and reports the mistakes of its resource once', async () => {
      const startError = async (options: object, column = 'name'): Promise<string> => {
        const own = resource('authors', { table: 'authors', fields: { id: key(), name: text({ column }) }, ...options })
        const { app, stop } = await startApi({ database: api().database, resources: [own] })
        try {
          return await app.ready().then(
            () => 'started',
            (error: Error) => error.message,
          )
        } finally {
          await stop()
        }
      }
      const list = 'resource "authors": the list "late": '
      assert.equal(
        await startError({
          lists: { late: { rows: ({ row }: { row: Record<string, unknown> }) => sql`${row.nme} > 0` } },
        }),
        `${list}permissions: table "authors" has no column "nme": write "name", or add it with a migration, or remove it from the declaration`,
      )
      assert.match(
        await startError({ lists: { late: { rows: () => sql`no_function(1) > 0` } } }),
        /^resource "authors": the list "late": the row filter of its permissions: the database rejects its SQL: .*no_function/,
      )
      assert.match(
        await startError({ lists: { late: { rows: () => sql`true` } } }, 'nme'),
        /^resource "authors": field "name": column: table "authors" has no column "nme"[^\n]*$/,
      )
    })
  },
)
