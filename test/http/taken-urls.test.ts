// No object gets a URL that a list, a view or an action has: such a value of a `lookup` or a `textKey` is refused.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import fc from 'fast-check'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  anonymous,
  createApi,
  createContext,
  german,
  key,
  listView,
  type Migrations,
  migrate,
  nested,
  objectView,
  openDatabase,
  readOnly,
  related,
  resource,
  slug,
  text,
  textKey,
  ValidationError,
  view,
} from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const unique = 'There is such a one.'
const empty = { handlers: { GET: () => ({ status: 204 }) } }

const authors = resource('authors', {
  table: 'authors',
  fields: {
    id: key(),
    name: text(),
    articles: nested({ of: 'articles', many: { reverse: 'author_id' }, fields: ['url_name'], writable: ['add'] }),
  },
})

const articles = resource('articles', {
  table: 'articles',
  lookup: 'url_name',
  wire: 'camelCase',
  bulk: 'each',
  fields: {
    url_name: text({ max: 40, unique, trim: false }),
    author: related(authors, { nullable: true }),
  },
  nestedUnder: [{ parent: authors, field: 'author' }],
  lists: { feed: { rows: ({ row }) => sql`${row.author_id} is not null` } },
  listViews: {
    report: listView(empty),
    ship: listView({ path: 'lines/:line/ship', ...empty }),
  },
  objectViews: { favorite: objectView(empty) },
})

/** The name in the URL follows the title, as a hook says. */
let formatName = (title: string): string | null => title.toLowerCase()
const declareDerived = (name: string, hook: 'prepare' | 'beforeSave') =>
  resource(name, {
    table: 'articles',
    lookup: 'url_name',
    wire: { url_name: 'slug' },
    fields: { url_name: readOnly(slug({ unique })), title: text({ nullable: true }) },
    hookColumns: ['url_name'],
    [hook]: ({ values }: { readonly values: { readonly title: string } }) => ({ url_name: formatName(values.title) }),
    listViews: { report: listView(empty) },
  })

const codes = resource('codes', {
  table: 'codes',
  key: textKey({ column: 'code' }),
  fields: { code: key() },
  listViews: { report: listView(empty) },
})

/** Its objects have no URLs. */
const entries = resource('entries', {
  table: 'codes',
  key: textKey({ column: 'code' }),
  fields: { code: key() },
  actions: ['list', 'create'],
  listViews: { report: listView(empty) },
})

const migrations: Migrations = {
  async '0001_articles'({ schema }, { key, reference, text }) {
    await schema
      .createTable('authors')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('articles')
      .addColumn('id', key)
      .addColumn('url_name', text, column => column.notNull().unique())
      .addColumn('title', text)
      .addColumn('author_id', reference, column => column.references('authors.id'))
      .execute()
    await schema
      .createTable('codes')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .execute()
  },
}

const resources = [authors, articles, declareDerived('early', 'prepare'), declareDerived('late', 'beforeSave'), codes]
const takenNames = ['feed', 'report', 'lines', 'export']
const explain = (name: string) => `The URL of "${name}" is taken. Choose another value.`

onEachDatabase(
  () => ({
    resources: [...resources, entries],
    views: {
      '/articles/export/': view({ name: 'Other', ...empty }),
      '/codes/export/all/': view({ name: 'Other', ...empty }),
    },
    languages: { de: german },
  }),
  api => {
    beforeEach(async () => {
      formatName = title => title.toLowerCase()
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['articles', 'authors', 'codes']) await kysely.deleteFrom(table).execute()
      })
    })

    test('a create with the segment of a list, a view or an action is 400', async () => {
      for (const urlName of takenNames) {
        const response = await api().client.post('/articles/', { json: { urlName } })
        assert.deepEqual([response.status, response.json()], [400, { urlName: [explain(urlName)] }])
      }
      for (const code of ['report', 'export'])
        assert.deepEqual((await api().client.post('/codes/', { json: { code } })).json(), { code: [explain(code)] })
      assert.deepEqual([...(await api().rows('articles')), (await api().rows('authors')).length], [0])
    })

    test('updates, forms, bulk writes and children are refused in the same way', async () => {
      const { client } = api()
      await client.post('/articles/', { json: { urlName: 'tea' } })
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const response of [
        await client.patch('/articles/tea/', { json: { urlName: 'feed' } }),
        await client.put('/articles/tea/', { headers, body: 'urlName=feed' }),
      ])
        assert.deepEqual([response.status, response.json()], [400, { urlName: [explain('feed')] }])
      const many = await client.post('/articles/', { json: [{ urlName: 'milk' }, { urlName: 'report' }] })
      assert.deepEqual(
        many.json().map(({ status, body }: { status: number; body: object }) => [status, body]),
        [
          [201, { urlName: 'milk', author: null }],
          [400, { urlName: [explain('report')] }],
        ],
      )
      const child = await client.post('/authors/', { json: { name: 'A', articles: [{ urlName: 'lines' }] } })
      assert.deepEqual([child.status, child.json()], [400, { articles: [{ urlName: [explain('lines')] }] }])
      const [author] = await api().insert('authors', [{ name: 'Ann' }])
      const nestedList = await client.post(`/authors/${author}/articles/`, { json: { urlName: 'feed' } })
      assert.deepEqual([nestedList.status, nestedList.json()], [400, { urlName: [explain('feed')] }])
    })

    test('a called action rejects with ValidationError', async () => {
      const context = createContext(api().app, { user: anonymous })
      await assert.rejects(articles.create({ urlName: 'feed' }, context), (error: ValidationError) => {
        assert.deepEqual(error.codes, { urlName: ['reserved'] })
        return error instanceof ValidationError
      })
    })

    test('so is a value that a hook derives from the body, and one without which there is no URL', async () => {
      for (const path of ['/early/', '/late/']) {
        const { client } = api()
        for (const [title, message] of [
          ['Report', explain('report')],
          ['.', '"." and ".." cannot stand in a URL.'],
          ['..', '"." and ".." cannot stand in a URL.'],
        ]) {
          const response = await client.post(path, { json: { title } })
          assert.deepEqual([response.status, response.json()], [400, { slug: [message] }])
        }
        formatName = () => ''
        const blank = await client.post(path, { json: { title: '?' } })
        assert.deepEqual([blank.status, blank.json()], [400, { slug: ['This field may not be blank.'] }])
        formatName = title => title.toLowerCase()
        assert.equal((await client.post(path, { json: { title: 'Tea' } })).status, 201)
        const changed = await client.patch(`${path}tea/`, { json: { title: 'Report' } })
        assert.deepEqual([changed.status, changed.json()], [400, { slug: [explain('report')] }])
        assert.equal((await client.delete(`${path}tea/`)).status, 204)
      }
    })

    test('the message is translated', async () => {
      const response = await api().client.post('/codes/', {
        json: { code: 'report' },
        headers: { 'accept-language': 'de' },
      })
      assert.deepEqual(response.json(), {
        code: ['Die URL von „report“ ist vergeben. Wählen Sie einen anderen Wert.'],
      })
    })

    test('names of views below objects, and of lists without URLs of objects, are free', async () => {
      const { client } = api()
      for (const urlName of ['favorite', 'articles', 'Feed', 'feeds', 'ship'])
        assert.equal((await client.post('/articles/', { json: { urlName } })).status, 201, urlName)
      assert.equal((await client.post('/entries/', { json: { code: 'report' } })).status, 201)
    })

    test('whatever value is accepted, its URL leads to the object', async () => {
      const { client } = api()
      const texts = fc.oneof(fc.constantFrom(...takenNames, 'favorite', '.', '..', 'new'), fc.string({ maxLength: 9 }))
      await fc.assert(
        fc.asyncProperty(texts, async urlName => {
          const created = await client.post('/articles/', { json: { urlName } })
          assert.ok(created.status === 201 || created.status === 400, created.text)
          if (created.status === 400) return
          const { pathname } = new URL(created.headers.location as string)
          const found = await client.get(pathname)
          assert.deepEqual([found.status, found.json()], [200, created.json()])
          assert.equal((await client.delete(pathname)).status, 204)
        }),
        { numRuns: randomCases(60) },
      )
    })
  },
  { migrations },
)

test('a view of another API counts too, whatever the prefix and the order of registration', async () => {
  const database = openDatabase('sqlite::memory:')
  await migrate(database, [{ owner: 'articles', steps: migrations }])
  const app = Fastify()
  await app.register(createApi({ name: 'first', database, resources: [codes], trailingSlash: false }), {
    prefix: '/v1',
  })
  await app.register(
    createApi({ name: 'deeper', root: null, views: { '/import/': view({ name: 'Other', ...empty }) } }),
    { prefix: '/v1/codes' },
  )
  await app.register(
    createApi({
      name: 'second',
      views: { '/codes/totals/': view({ name: 'Other', ...empty }) },
      root: null,
      trailingSlash: false,
    }),
    { prefix: '/v1' },
  )
  for (const [code, status] of [
    ['totals', 400],
    ['import', 400],
    ['report', 400],
    ['codes', 201],
  ] as const) {
    const response = await app.inject({ method: 'POST', url: '/v1/codes', payload: { code } })
    assert.equal(response.statusCode, status, code)
  }
  await app.close()
  await database.close()
})
