// Wrong declarations of URLs are errors at start that name the fix.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import { type ApiOptions, createApi, type Database, integer, key, related, resource, reverse, text } from 'resource-api'
import { onEachDatabase, startApi } from '../support/own-api.ts'

const authors = resource('authors', { table: 'authors', fields: { id: key(), name: text() } })
const tags = resource('tags', { table: 'tags', fields: { id: key(), name: text() } })
const handlers = { GET: () => ({ status: 200, body: 'here' }) }

// The compiler refuses most of these declarations, but Node runs TypeScript without checking types.
const declareBooks = (options: object) => () =>
  resource('books', {
    table: 'books',
    fields: { id: key(), title: text(), pages: integer(), author: related(authors), editor: related('authors') },
    ...options,
  })

test('a wrong "nestedUnder" is refused', () => {
  const refuse = (nestedUnder: unknown, message: string) =>
    assert.throws(declareBooks({ nestedUnder }), { message: `resource "books": nestedUnder: ${message}` })
  const start = 'is not a relation to'
  refuse(
    [{ parent: authors, field: 'title' }],
    `field "title" ${start} "authors": name one, or write column: "title" if the column contains its key`,
  )
  for (const field of ['author', 'editor'])
    refuse(
      [{ parent: tags, field }],
      `field "${field}" ${start} "tags": name one, or write column: "${field}_id" if the column contains its key`,
    )
  refuse([{ parent: authors, field: 'books' }], 'there is no relation "books" with a column of its own')
  refuse(
    [{ parent: authors, field: 'author', column: 'author_id' }],
    `"field" and "column" both name the column with the parent's key: remove one of them`,
  )
  refuse([{ field: 'author' }], 'name the parent: write { parent: authors, field: "author" }')
  refuse({ parent: authors, field: 'author' }, 'must be a list: write [{ parent, field }]')
  for (const field of ['author', 'editor'])
    for (const parent of [authors, 'authors'])
      assert.deepEqual(declareBooks({ nestedUnder: [{ parent, field }] })().nestedUnder[0]!.column, `${field}_id`)
})

test('the compiler refuses a parent with both a field and a column', () => {
  assert.throws(() =>
    resource('books', {
      table: 'books',
      fields: { id: key(), author: related(authors) },
      // @ts-expect-error: both name the column
      nestedUnder: [{ parent: authors, field: 'author', column: 'author_id' }],
    }),
  )
})

test('wrong forms of views are refused with the name of the option', () => {
  const refuse = (options: object, message: string) =>
    assert.throws(declareBooks(options), { message: `resource "books": ${message}` })
  for (const option of ['lists', 'listViews']) {
    refuse({ [option]: () => ({}) }, `${option} must be an object, because only "objectViews" may be a function`)
    refuse({ [option]: [] }, `${option} must be an object with a name for each view`)
  }
  refuse({ objectViews: 'lend' }, 'objectViews must be an object with a name for each view')
  refuse(
    { objectViews: { lend: { handlers, columns: 'title' } } },
    'the view "lend": columns must be a list: write ["title"]',
  )
  refuse(
    { objectViews: { lend: { handlers, path: 7 } } },
    'the view "lend": path: write segments and parameters, such as "lines/:line/ship"',
  )
})

test('a path of a plain view has one spelling', () => {
  const createWith = (path: string) => () => createApi({ views: { [path]: { name: 'Here', handlers } } })
  for (const path of ['/../w/', '/./', '/w#x/', '/w?x/', '/w/:/', '/w//x/', '//', '/ä/', '/%C3%A4/', '/w/*/', '/a b/'])
    assert.throws(
      createWith(path),
      {
        message: `createApi(): the path "${path}" of view "Here" has a segment that a URL can spell in other ways: write segments of ASCII letters, digits, ".", "_", "~" and "-", and parameters such as ":name"`,
      },
      path,
    )
  for (const path of ['/w/', '/w.x/~a_b-c/:name/7/', '/.well-known/x/']) createWith(path)()
})

onEachDatabase(
  () => ({}),
  api => {
    test('two routes for one URL with one id are told apart by their resources, or declared twice', async () => {
      const { database } = api()
      const view = { name: 'Here', handlers }
      const listViews = { late: { handlers } }
      const lists = { late: { rows: () => sql`1 = 1` } }
      const declare = (options: object) => resource('notes', { table: 'authors', fields: { id: key() }, ...options })
      const start = (options: ApiOptions) => Fastify().register(createApi({ database, ...options }))
      for (const [options, message] of [
        [
          { resources: [declare({})], views: { '/notes/': { ...view, id: 'notes-list' } } },
          'the views "notes-list" (/notes/) of resource "notes" and "notes-list" (/notes/) of no resource match the same URLs: rename a part of one of these paths',
        ],
        [
          { resources: [declare({ lists, listViews })] },
          'the view "notes-late" (/notes/late/) is declared twice: remove one of them, or rename a part of its path',
        ],
        [
          { trailingSlash: false, views: { '/here': view, '/here/': view } },
          'the view "Here" (/here/) is declared twice: remove one of them, or rename a part of its path',
        ],
      ] as const)
        await assert.rejects(async () => start(options), { message: `createApi(): ${message}` })
    })

    test('two APIs whose prefixes overlap may not have routes for the same URLs', async () => {
      const { database } = api()
      const start = async (first: ApiOptions, second: ApiOptions) => {
        const app = Fastify()
        try {
          await app.register(createApi({ name: 'first', database, ...first }), { prefix: '/v' })
          await app.register(createApi({ name: 'second', database, ...second }), { prefix: '/v/authors' })
          await app.ready()
        } finally {
          await app.close()
        }
      }
      const message = (second: string) =>
        `createApi(): the views "authors-list" (/v/authors/) and ${second} match the same URLs: rename a part of one of these paths`
      for (const trailingSlash of [true, false, 'both'] as const)
        await assert.rejects(start({ resources: [authors] }, { trailingSlash }), {
          message: message('"Api Root" (/v/authors/)'),
        })
      await assert.rejects(
        start({ resources: [authors] }, { root: null, views: { '/:name/': { name: 'Name', handlers } } }),
        /the views "authors-detail" \(\/v\/authors\/:key\/\) and "Name" \(\/v\/authors\/:name\/\) match/,
      )
      await start({ resources: [tags] }, { resources: [authors] })
    })

    test('a lookup takes no value that a path cannot contain', async () => {
      const named = resource('authors', {
        table: 'authors',
        lookup: 'name',
        fields: { name: text({ unique: 'This name is taken.' }) },
      })
      const { client, stop } = await startApi({ database: database(), resources: [named] }, { socket: true })
      try {
        assert.equal((await client.post('/authors/', { json: { name: '...' } })).status, 201)
        for (const name of ['.', '..', '']) {
          const created = await client.post('/authors/', { json: { name } })
          const changed = await client.patch('/authors/.../', { json: { name } })
          assert.deepEqual([created.status, Object.keys(created.json())], [400, ['name']], name)
          assert.deepEqual([changed.status, Object.keys(changed.json())], [400, ['name']], name)
        }
        await api().insert('authors', [{ name: '.' }, { name: '..' }])
        for (const path of ['/authors/%2E/', '/authors/%2e%2E/', '/authors/../', '/authors/./', '/authors//'])
          assert.equal((await client.get(path)).status, 404, path)
      } finally {
        await stop()
      }
    })

    test('reverse refuses values that no URL contains', async () => {
      const links = {
        name: 'Links',
        handlers: {
          GET: (context: Parameters<typeof reverse>[2]) => {
            assert.throws(() => reverse(authors, Number.NaN, context), /"NaN" is not in a URL of "authors"/)
            for (const page of [Number.NaN, '..', ''])
              assert.throws(() => reverse('Page', { page }, context), {
                message: `reverse(): the parameter "page" cannot be "${page}"`,
              })
            return { status: 200, body: reverse('Page', { page: 7 }, context) }
          },
        },
      }
      const { client, stop } = await startApi({
        database: database(),
        resources: [authors],
        views: { '/links/': links, '/pages/:page/': { name: 'Page', handlers } },
      })
      assert.equal((await client.get('/links/')).json(), 'http://localhost/pages/7/')
      await stop()
    })

    const database = (): Database => api().database
  },
)
