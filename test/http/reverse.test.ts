// URLs in code: `reverse(orders, key, context)`.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  anonymous,
  createApi,
  createContext,
  type Database,
  hyperlinkedIdentity,
  key,
  objectView,
  publicId,
  resource,
  reverse,
  text,
} from 'resource-api'
import { asUser, onEachDatabase, people, startApi, userScheme } from '../support/own-api.ts'

const authors = resource('authors', {
  table: 'authors',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text({ unique: 'Taken.' }) },
  lists: { late: { rows: ({ row }) => sql`${row.id} > 1` } },
  objectViews: {
    greet: objectView({
      path: 'greet/:word',
      handlers: {
        GET: context => ({
          status: 200,
          body: [
            reverse('authors-detail', { key: context.key }, context),
            reverse('authors-greet', { key: context.key, word: context.parameters.word }, context),
          ],
        }),
      },
    }),
  },
  afterSave: context => void hooked.push(reverse('authors-detail', { key: context.key }, context)),
})

const hooked: string[] = []

const named = resource('named', { table: 'authors', lookup: 'name', fields: { name: text({ unique: 'Taken.' }) } })
const hidden = resource('hidden', {
  table: 'authors',
  key: publicId('aut', { publicColumn: 'name' }),
  fields: { id: key() },
  actions: ['list', 'retrieve'],
})
const me = resource('me', { table: 'authors', fields: { name: text() }, singleton: () => 1 })
const editions = resource('editions', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { id: key() },
  hookColumns: ['author_id'],
  nestedUnder: [{ parent: authors, column: 'author_id', only: true }],
})
const unknown = resource('unknown', { table: 'books', fields: { id: key() }, actions: [] })

const declare = (trailingSlash: boolean) => (database: Database) => ({
  database,
  trailingSlash,
  authentication: [userScheme],
  resources: [authors, named, hidden, me, editions],
  views: { '/hello/': { name: 'Hello', id: 'hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } } },
})

for (const [end, trailingSlash] of [
  ['/', true],
  ['', false],
] as const)
  suite(`URLs that end with "${end}"`, () => {
    onEachDatabase(
      declare(trailingSlash),
      api => {
        const base = 'http://localhost/api'

        before(async () => void (await api().insert('authors', [{ name: 'Ann' }])))

        test('handlers and hooks build the URLs of responses', async () => {
          const { client } = api()
          const greeting = await client.get(`/api/authors/1/greet/a%2Fb${end}`)
          assert.deepEqual(greeting.json(), [`${base}/authors/1${end}`, `${base}/authors/1/greet/a%2Fb${end}`])
          assert.equal((await client.get(`/api/authors/1${end}`)).json().url, greeting.json()[0])
          hooked.splice(0)
          const created = await client.post(`/api/authors${end}`, { ...asUser('ann'), json: { name: `Bea${end}` } })
          assert.deepEqual(hooked, [created.headers.location])
        })

        test('lists, objects, singletons, nested objects and views have URLs', async () => {
          await api().app.ready()
          const context = createContext(api().app, { user: people.ann })
          for (const [url, expected] of [
            [reverse(authors, context), '/authors'],
            [reverse('authors-list', context), '/authors'],
            [reverse('authors-late', context), '/authors/late'],
            [reverse('authors-detail', { key: 7 }, context), '/authors/7'],
            [reverse(named, 'Ann Lee/?', context), '/named/Ann%20Lee%2F%3F'],
            [reverse(hidden, 'aut_0123456789abcdef', context), '/hidden/aut_0123456789abcdef'],
            [reverse(me, context), '/me'],
            [reverse(editions, { authors_key: 1 }, context), '/authors/1/editions'],
            [reverse(editions, { key: 2, authors_key: 1 }, context), '/authors/1/editions/2'],
            [reverse('hello', context), '/hello'],
          ])
            assert.equal(url, `${base}${expected}${end}`)
        })

        test('an unknown name, and missing, superfluous or impossible parameters, are errors that say what exists', async () => {
          await api().app.ready()
          const context = createContext(api().app, { user: people.ann })
          for (const [build, message] of [
            [() => reverse('authors-lst', context), 'reverse(): there is no view "authors-lst": write "authors-list"'],
            [() => reverse('x', context), /there is no view "x": the views are Api Root, authors-list, /],
            [() => reverse(unknown, context), /the resource "unknown" has no URL here: add it to the "resources"/],
            [
              () => reverse(editions, 7, context),
              'reverse(): no URL of "editions" has the parameters key: its paths are /authors/:authors_key/editions/, /authors/:authors_key/editions/:key/',
            ],
            [() => reverse('authors-detail', context), /no URL of "authors-detail" has no parameters: its paths are/],
            [
              () => reverse(authors, 'x', context),
              /"x" is not in a URL of "authors": give the value of its column "id"/,
            ],
            [() => reverse(hidden, 7, context), /"7" is not in a URL of "hidden": give the value of its column "name"/],
            [() => reverse('authors-greet', { key: 1, word: '..' }, context), /the parameter "word" cannot be "\.\."/],
            [() => reverse(authors, undefined as never, context), /the parameter "key" cannot be "undefined"/],
            [() => reverse(authors, null as never, context), /"null" is not in a URL of "authors"/],
            [() => reverse(authors, 7, undefined as never), /its last argument must be the context/],
          ] as const)
            assert.throws(build, typeof message === 'string' ? { message } : message)
        })
      },
      { prefix: '/api' },
    )
  })

onEachDatabase(
  database => ({ database }),
  api => {
    test('a resource of another API has its URLs there', async () => {
      const { database } = api()
      const app = Fastify()
      await app.register(createApi({ name: 'crm', database, resources: [authors] }), { prefix: '/crm' })
      await app.register(
        createApi({
          name: 'shop',
          database,
          publicUrl: 'https://shop.example.org',
          resources: [me],
          trailingSlash: false,
        }),
        { prefix: '/shop' },
      )
      await app.ready()
      const crm = createContext(app, { user: anonymous, api: 'crm' })
      assert.equal(reverse(me, crm), 'https://shop.example.org/shop/me')
      const shop = createContext(app, { user: anonymous, api: 'shop' })
      assert.equal(reverse(authors, 7, shop), 'https://shop.example.org/crm/authors/7/')
      await app.close()
    })
  },
)

test('a handler of a plain view builds URLs', async () => {
  const api = await startApi({
    views: {
      '/a/:name/': {
        name: 'a',
        handlers: { GET: context => ({ status: 200, body: reverse('a', { name: 'ü' }, context) }) },
      },
    },
  })
  assert.equal((await api.client.get('/a/x/')).json(), 'http://localhost/a/%C3%BC/')
  await api.stop()
})
