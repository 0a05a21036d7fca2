// URLs without a trailing slash, and with or without one: the option `trailingSlash`.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import {
  browsable,
  type Database,
  hyperlinkedIdentity,
  jsonRenderer,
  key,
  limitOffset,
  listView,
  objectView,
  related,
  resource,
  text,
} from 'resource-api'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const origin = 'http://localhost'

const authors = resource('authors', {
  table: 'authors',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text() },
  listViews: {
    late: listView({ handlers: { GET: () => ({ status: 200, body: 'late' }) } }),
  },
  objectViews: {
    greet: objectView({
      path: 'greet/:word',
      handlers: { GET: ({ key, parameters }) => ({ status: 200, body: [key, parameters.word] }) },
    }),
    shout: objectView({ handlers: { POST: () => ({ status: 200, body: 'shout' }) } }),
  },
  pagination: limitOffset({ defaultLimit: 1 }),
})

/** The books of an author, with URLs only below the author. */
const editions = resource('editions', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { url: hyperlinkedIdentity(), id: key() },
  hookColumns: ['author_id'],
  nestedUnder: [{ parent: authors, column: 'author_id', only: true }],
})

const books = resource('books', {
  table: 'books',
  fields: { url: hyperlinkedIdentity(), id: key(), title: text(), author: related(authors, { form: 'url' }) },
  hookColumns: ['subtitle', 'contact', 'genre', 'in_print', 'pages'],
  prepare: () => ({ subtitle: '', contact: '', genre: '', in_print: true, pages: 1 }),
})

const me = resource('me', {
  table: 'authors',
  fields: { url: hyperlinkedIdentity(), name: text() },
  singleton: ({ caller }) => (caller.id as number | null) ?? undefined,
})

const declare = (trailingSlash: boolean | 'both') => (database: Database) => ({
  database,
  authentication: [userScheme],
  resources: [authors, editions, books, me],
  views: { '/hello': { name: 'Hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } } },
  renderers: [jsonRenderer, browsable()],
  trailingSlash,
})

for (const [name, prefix] of [
  ['at the root', ''],
  ['under a prefix', '/api'],
] as const)
  for (const trailingSlash of [false, 'both'] as const)
    suite(`${name}, trailingSlash: ${trailingSlash}`, () => {
      onEachDatabase(
        declare(trailingSlash),
        api => {
          const base = `${origin}${prefix}`
          let book: number

          before(async () => {
            await api().insert('authors', [{ name: 'Ann' }, { name: 'Bea' }])
            const created = await api().client.post(`${prefix}/books`, {
              json: { title: 'A', author: `${base}/authors/1` },
            })
            assert.equal(created.status, 201)
            assert.equal(created.headers.location, `${base}/books/${created.json().id}`)
            book = created.json().id
          })

          test('links have no slash at their end', async () => {
            const { client } = api()
            assert.deepEqual((await client.get(prefix || '/')).json(), {
              authors: `${base}/authors`,
              books: `${base}/books`,
              me: `${base}/me`,
            })
            const [first, second] = [
              (await client.get(`${prefix}/authors`)).json(),
              (await client.get(`${prefix}/authors?limit=1&offset=1`)).json(),
            ]
            assert.equal(first.next, `${base}/authors?limit=1&offset=1`)
            assert.equal(second.previous, `${base}/authors?limit=1`)
            assert.equal(first.results[0].url, `${base}/authors/1`)
            const shown = (await client.get(`${prefix}/books/${book}`)).json()
            assert.deepEqual([shown.url, shown.author], [`${base}/books/${book}`, `${base}/authors/1`])
            const below = (await client.get(`${prefix}/authors/1/editions`)).json()
            assert.deepEqual(below[0].url, `${base}/authors/1/editions/${book}`)
            assert.equal((await client.get(`${prefix}/me`, asUser('ann'))).json().url, `${base}/me`)
          })

          test('views, list views and object views respond', async () => {
            const { client } = api()
            assert.equal((await client.get(`${prefix}/hello`)).json(), 'hello')
            assert.equal((await client.get(`${prefix}/authors/late`)).json(), 'late')
            assert.deepEqual((await client.get(`${prefix}/authors/2/greet/%20`)).json(), [2, ' '])
            assert.equal((await client.post(`${prefix}/authors/2/shout`)).json(), 'shout')
          })

          test('a URL with a slash at its end is redirected, or responds too', async () => {
            const { client } = api()
            for (const [method, path, user] of [
              ['GET', '/authors'],
              ['HEAD', '/authors'],
              ['GET', '/authors/1'],
              ['OPTIONS', '/authors'],
              ['GET', '/authors/late'],
              ['POST', '/authors/2/shout'],
              ['GET', '/authors/2/greet/x'],
              ['GET', `/authors/1/editions/${1}`],
              ['GET', '/hello'],
              ['GET', '/me', 'ann'],
              ...(prefix === '' ? [] : [['GET', '', undefined] as const]),
            ] as const) {
              const response = await client.request(method, `${prefix}${path}/?a=/`, user && asUser(user))
              if (trailingSlash === 'both') assert.equal(response.status, 200, path)
              else
                assert.deepEqual(
                  [response.status, response.headers.location],
                  [method === 'GET' || method === 'HEAD' ? 301 : 308, `${prefix}${path}?a=/`],
                  path,
                )
            }
          })

          test('both forms of a hyperlink in a body name the object', async () => {
            for (const end of ['', '/']) {
              const json = { author: `${base}/authors/2${end}` }
              const response = await api().client.patch(`${prefix}/books/${book}`, { json })
              assert.deepEqual([response.status, response.json().author], [200, `${base}/authors/2`])
            }
            await api().client.patch(`${prefix}/books/${book}`, { json: { author: `${base}/authors/1` } })
          })

          test('an unknown URL, or one with an empty segment, is 404, and a method without a handler 405', async () => {
            const { client } = api()
            for (const path of [
              '/nothing',
              '/nothing/',
              '/authors//',
              '/authors//greet/x',
              '/authors/2/greet//',
              '//',
              '/authors/1/editions//',
            ])
              assert.equal((await client.get(prefix + path)).status, 404, path)
            for (const path of ['/authors', '/authors/1', '/hello', prefix === '' ? '/' : ''])
              for (const method of ['PROPFIND', 'LINK'])
                assert.equal((await client.request(method, prefix + path)).status, 405, `${method} ${path}`)
            assert.equal((await client.get(`${prefix}/authors/${'1'.repeat(150)}`)).status, 404)
            assert.deepEqual((await client.get(`${prefix}/authors/1/greet/${'x'.repeat(150)}`)).json(), [
              1,
              'x'.repeat(150),
            ])
          })

          test('the links of pages have no slash at their end', async () => {
            const page = await api().client.get(`${prefix}/authors`, { headers: { accept: 'text/html' } })
            for (const href of [`${prefix}/authors/1`, `${prefix}/authors/late`, `${prefix}/authors`])
              assert.match(page.text, new RegExp(`href="${href}"`))
            const object = await api().client.get(`${prefix}/authors/1`, { headers: { accept: 'text/html' } })
            for (const href of [prefix || '/', `${prefix}/authors`, `${prefix}/authors/1?action=shout`])
              assert.ok(object.text.includes(`href="${href}"`), href)
          })
        },
        prefix === '' ? {} : { prefix },
      )
    })

test('a prefix that ends with a slash is refused if the URLs do not', async () => {
  await assert.rejects(startApi({ trailingSlash: false }, { prefix: '/v1/' }), {
    message: 'createApi(): the prefix "/v1/" ends with a slash, but the URLs of the API do not: write "/v1"',
  })
})

test('another value is refused', async () => {
  await assert.rejects(startApi({ trailingSlash: 'never' as 'both' }), {
    message: "createApi(): trailingSlash must be true, false or 'both'",
  })
})
