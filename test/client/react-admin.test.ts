// The data provider that react-admin uses for Django REST framework works with an API as it is.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { suite, test } from 'node:test'
import { choice, integer, key, type Migrations, pageNumber, related, resource, text } from 'resource-api'
import { type DatabaseKind, testApi, testService } from 'resource-api/testing'

interface Found {
  // biome-ignore lint/suspicious/noExplicitAny: records of any resource
  readonly data: any
  readonly total?: number
}

type Method = `get${'List' | 'One' | 'Many' | 'ManyReference'}` | `${'update' | 'delete'}${'' | 'Many'}` | 'create'
type DataProvider = Readonly<Record<Method, (resource: string, parameters: object) => Promise<Found>>>

// Its types need those of React, whose globals would change those of the other tests.
const require = createRequire(import.meta.url)
const { default: createDataProvider, tokenAuthProvider } = require('ra-data-django-rest-framework') as {
  readonly default: (url: string) => DataProvider
  readonly tokenAuthProvider: (options: { readonly obtainAuthTokenUrl: string }) => {
    readonly login: (credentials: object) => Promise<void>
  }
}

const authors = resource('authors', { table: 'authors', fields: { id: key(), name: text({ max: 50 }) } })

const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text({ max: 50, unique: 'There is a book with this title.' }),
    genre: choice(['novel', 'poetry'], { default: 'novel' }),
    pages: integer({ min: 1 }),
    author: related(authors),
  },
  filters: { genre: ['exact', 'in'], author: ['exact'] },
  orderingFields: ['id', 'title', 'pages'],
  searchFields: ['title'],
})

const migrations: Migrations = {
  async '0001_books'({ schema }, { key, reference, text }) {
    await schema.createTable('authors').addColumn('id', key).addColumn('name', text).execute()
    await schema
      .createTable('books')
      .addColumn('id', key)
      .addColumn('title', text, column => column.unique())
      .addColumn('genre', text)
      .addColumn('pages', 'integer')
      .addColumn('author_id', reference, column => column.references('authors.id'))
      .execute()
  },
}

const declaration = {
  resources: [authors, books],
  migrations,
  pagination: pageNumber({ pageSize: 20, pageSizeQueryParam: 'page_size', maxPageSize: 1000 }),
}

const listTitles = ({ data }: Found): readonly string[] => data.map(({ title }: { title: string }) => title)

const databases: readonly DatabaseKind[] = ['sqlite', 'postgres']

for (const database of databases)
  suite(`ra-data-django-rest-framework on ${database}`, () => {
    test('lists, reads, creates, changes and deletes', async () => {
      await using api = await testApi(declaration, { database, socket: true })
      const data = createDataProvider(api.origin)
      const create = async (name: string, values: object) => (await data.create(name, { data: values })).data
      const { id: author } = await create('authors', { name: 'Ada' })
      const { id: other } = await create('authors', { name: 'Bo' })
      const made = await create('books', { title: 'Tea', pages: 100, author })
      const poems = await create('books', { title: 'Coffee', genre: 'poetry', pages: 40, author: other })
      await create('books', { title: 'Teapots', pages: 60, author })
      const list = async (filter: object, sort = { field: 'id', order: 'ASC' }, page = 1) => {
        const found = await data.getList('books', { filter, sort, pagination: { page, perPage: 2 } })
        return [found.total, ...listTitles(found)]
      }
      assert.deepEqual(await list({}), [3, 'Tea', 'Coffee'])
      assert.deepEqual(await list({}, { field: 'title', order: 'ASC' }, 2), [3, 'Teapots'])
      assert.deepEqual(await list({ q: 'tea' }), [2, 'Tea', 'Teapots'])
      assert.deepEqual(await list({ genre: 'poetry' }), [1, 'Coffee'])
      assert.deepEqual(await list({ genre__in: ['poetry', 'novel'], author }), [2, 'Tea', 'Teapots'])
      const reference = { target: 'author', id: author, filter: {}, sort: { field: 'pages', order: 'DESC' } }
      const below = await data.getManyReference('books', { ...reference, pagination: { page: 1, perPage: 10 } })
      assert.deepEqual(listTitles(below), ['Tea', 'Teapots'])
      assert.deepEqual((await data.getOne('books', { id: made.id })).data, made)
      assert.deepEqual((await data.getMany('books', { ids: [poems.id, made.id] })).data, [poems, made])
      // A form of react-admin sends the whole record.
      const changed = await data.update('books', { id: made.id, data: { ...made, pages: 101 }, previousData: made })
      assert.deepEqual(changed.data, { ...made, pages: 101 })
      const many = await data.updateMany('books', { ids: [made.id, poems.id], data: { genre: 'poetry' } })
      assert.deepEqual(many.data, [made.id, poems.id])
      assert.equal((await data.delete('books', { id: made.id, previousData: made })).data, made)
      await data.deleteMany('books', { ids: [poems.id] })
      assert.deepEqual(await list({}), [1, 'Teapots'])
      await assert.rejects(data.getOne('books', { id: made.id }), { status: 404 })
      await assert.rejects(
        create('books', { title: 'Teapots', pages: 0, author }),
        ({ status, body }: { status: number; body: object }) => {
          assert.equal(status, 400)
          assert.deepEqual(Object.keys(body), ['title', 'pages'])
          return true
        },
      )
    })

    test('logs in to a service', async () => {
      await using service = await testService({}, { database, socket: true })
      const { username, password } = await service.user('ada')
      const stored = new Map<string, string>()
      const localStorage = { setItem: (name: string, value: string) => stored.set(name, value) }
      const before = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
      Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true })
      try {
        const { login } = tokenAuthProvider({ obtainAuthTokenUrl: `${service.origin}/api-token-auth/` })
        await login({ username, password })
        assert.match(stored.get('token')!, /^\S{20,}$/)
        await assert.rejects(login({ username, password: 'wrong' }), /./)
      } finally {
        if (before) Object.defineProperty(globalThis, 'localStorage', before)
      }
    })
  })
