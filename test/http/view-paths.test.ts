// Views of a resource whose paths have several segments and parameters: `/authors/7/books/3/lend/`.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { browsable, integer, jsonRenderer, key, listView, objectView, related, resource, text } from 'resource-api'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const authors = resource('authors', { table: 'authors', fields: { id: key(), name: text() } })

const books = resource('books', {
  table: 'books',
  fields: { id: key(), title: text(), author: related(authors) },
  hookColumns: ['subtitle', 'contact', 'genre', 'in_print', 'pages'],
  actions: ['list', 'retrieve'],
  nestedUnder: [{ parent: authors, field: 'author' }],
  listViews: {
    year: listView({
      path: 'published/:year',
      handlers: {
        GET({ parameters, parent }) {
          const year: string = parameters.year
          // @ts-expect-error: the path has no such parameter
          const month: string | undefined = parameters.month
          return { status: 200, body: { year, month: month ?? null, parent: parent ?? null } }
        },
      },
    }),
    recent: listView({ handlers: { GET: ({ parameters }) => ({ status: 200, body: { ...parameters } }) } }),
  },
  objectViews: ({ objectView }) => ({
    page: objectView({
      path: 'pages/:page/lines/:line',
      body: { word: integer() },
      handlers: {
        PUT: ({ key, parameters: { page, line }, body }) => ({ status: 200, body: { key, page, line, ...body } }),
        DELETE: { permissions: [], handle: ({ parameters: { line } }) => ({ status: 200, body: { line } }) },
      },
    }),
    'lend-out': objectView({ path: 'lend', handlers: { GET: () => ({ status: 200, body: 'lent' }) } }),
  }),
})

onEachDatabase(
  () => ({ authentication: [userScheme], resources: [authors, books], renderers: [jsonRenderer, browsable()] }),
  api => {
    let author: number
    let book: number
    const send = (method: string, url: string, json?: unknown, options = {}) =>
      api().client.request(method, url, { ...options, ...(json !== undefined && { json }) })

    before(async () => {
      ;[author] = (await api().insert('authors', [{ name: 'Jane' }])) as [number]
      ;[book] = (await api().insert('books', [{ ...bookRow, author_id: author }])) as [number]
    })

    test('handlers get the parameters of their path, decoded, also below a parent', async () => {
      const path = `/books/${book}/pages/12/lines/a%2Fb/`
      const shown = { key: book, page: '12', line: 'a/b', word: 3 }
      assert.deepEqual((await send('PUT', path, { word: 3 })).json(), shown)
      assert.deepEqual((await send('PUT', `/authors/${author}${path}`, { word: 3 })).json(), shown)
      assert.deepEqual((await send('DELETE', path)).json(), { line: 'a/b' })
      assert.deepEqual((await send('GET', '/books/published/1813/')).json(), {
        year: '1813',
        month: null,
        parent: null,
      })
      assert.deepEqual((await send('GET', `/authors/${author}/books/published/1813/`)).json().parent, author)
      assert.deepEqual((await send('GET', `/authors/${author}/books/recent/`)).json(), { authors_key: String(author) })
      const long = 'x'.repeat(300)
      assert.equal((await send('DELETE', `/books/${book}/pages/1/lines/${long}/`)).json().line, long)
    })

    test('methods, bodies and slashes are as for every view', async () => {
      const path = `/books/${book}/pages/1/lines/2`
      assert.equal((await send('PUT', `${path}/`, { word: 'x' })).status, 400)
      assert.equal((await send('GET', `${path}/`)).headers.allow, 'PUT, DELETE, OPTIONS')
      assert.equal((await send('PUT', path)).headers.location, `${path}/`)
      assert.equal((await send('OPTIONS', `${path}/`)).json().actions.PUT.word.type, 'integer')
      assert.deepEqual((await send('GET', `/books/${book}/lend/`)).json(), 'lent')
      assert.equal((await send('GET', `/books/${book}/lend-out/`)).status, 404)
    })

    test('a missing object, and an empty, dotted or NUL parameter, are 404', async () => {
      for (const path of [
        '/books/999999/pages/1/lines/2/',
        `/books/${book}/pages//lines/2/`,
        `/books/${book}/pages/1/2/lines/3/`,
        `/books/${book}/pages/%00/lines/2/`,
        `/books/${book}/pages/1/lines/2%00/`,
        '/books/published/%00/',
        '/books/published/1813/2/',
        '/books/published/',
      ])
        assert.equal((await send(path.includes('published') ? 'GET' : 'PUT', path, { word: 1 })).status, 404, path)
    })

    test('a page links to the views directly below it', async () => {
      const headers = { accept: 'text/html', ...asUser('ann').headers }
      const page = await send('GET', `/books/${book}/`, undefined, { headers })
      assert.ok(page.text.includes(`href="/books/${book}/lend/"`), page.text)
      assert.ok(!page.text.includes(':page'))
    })
  },
)

onEachDatabase(
  () => ({}),
  api => {
    test('a wrong path is refused', async () => {
      const handlers = { GET: () => ({ status: 200 }) }
      const declare = (path: string) => () =>
        resource('notes', {
          table: 'authors',
          fields: { id: key(), name: text() },
          objectViews: { ship: objectView({ path, handlers }) },
        })
      const format = 'path: write segments and parameters, such as "lines/:line/ship"'
      for (const path of ['', '/ship', 'ship/', 'a//b', 'a/*', 'a/:b-c', 'a b', '../a'])
        assert.throws(declare(path), { message: `resource "notes": the view "ship": ${format}` }, path)
      for (const [path, parameter] of [
        ['lines/:key', ':key'],
        [':a/:a', ':a'],
        ['lines/:orders_key', ':orders_key'],
      ] as const)
        assert.throws(declare(path), {
          message: `resource "notes": the view "ship": path: another part of the URL has the parameter "${parameter}": rename it`,
        })
      const same = resource('notes', {
        table: 'authors',
        fields: { id: key(), name: text() },
        listViews: { any: listView({ path: ':name', handlers }) },
      })
      await assert.rejects(
        startApi({ database: api().database, resources: [same] }).then(({ app }) => app.ready()),
        {
          message:
            'createApi(): the views "notes-detail" (/notes/:key/) and "notes-any" (/notes/:name/) match the same URLs: rename a part of one of these paths',
        },
      )
    })
  },
)
