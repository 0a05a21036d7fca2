// `OPTIONS` of lists: their search, filters, ordering and pagination, as far as the caller sees them.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticated,
  boolean,
  choice,
  cursor,
  dateTime,
  filter,
  integer,
  key,
  limitOffset,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'
import { onEveryDatabase } from '../support/service.ts'

const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text({ max: 50, help: 'As on the cover.', visible: ({ user }) => user.isStaff }) },
  actions: ['list'],
  searchFields: ['name'],
  filters: { name: ['exact', 'icontains'] },
  orderingFields: ['name'],
  pagination: cursor({ ordering: 'id' }),
})

const fields = {
  id: key(),
  title: text(),
  pages: integer({ min: 1, max: 5000 }),
  genre: choice({ novel: 'Novel', poetry: 'Poetry' }),
  in_print: boolean(),
  published: dateTime({ nullable: true }),
  author: related(authors, { nullable: true }),
}

const books = resource('books', {
  table: 'books',
  wire: 'camelCase',
  actions: ['list'],
  fields,
  searchFields: ['title'],
  filters: {
    in_print: true,
    pages: ['gte', 'in', 'isnull', 'not'],
    genre: ['in'],
    published: ['date', 'year'],
    author: ['exact'],
    'author.name': ['icontains'],
    long: filter(boolean({ label: 'Long books' }), ({ row, value }) => sql`(${row.pages} > 300) = ${value}`),
  },
  orderingFields: ['in_print', 'title'],
  pagination: pageNumber({ pageSizeQueryParam: 'size', maxPageSize: 100 }),
})

const plain = resource('plain', { table: 'books', actions: ['list'], fields: { id: key() }, pagination: null })
const slices = resource('slices', {
  table: 'books',
  actions: ['list'],
  fields: { id: key() },
  pagination: limitOffset({ maxLimit: 9, maxOffset: 50 }),
})
const guarded = resource('guarded', {
  table: 'books',
  fields,
  actions: ['list', 'retrieve'],
  filters: { genre: true },
  filterLimits: { groups: 2 },
  perAction: { list: { permissions: [authenticated] } },
})

const basic = ['name', 'description', 'renders', 'parses']

onEachDatabase(
  () => ({
    authentication: [userScheme],
    pageSize: 10,
    secret: '-'.repeat(32),
    resources: [authors, books, plain, slices, guarded],
  }),
  api => {
    const describe = async (path: string, caller?: 'sue') => {
      const response = await api().client.request('OPTIONS', path, caller && asUser(caller))
      const body = response.json()
      return Object.fromEntries(Object.entries(body).filter(([name]) => !basic.includes(name)))
    }

    test('names the search, the filters, the ordering and the pagination of a list', async () => {
      const genres = [
        { value: 'novel', display_name: 'Novel' },
        { value: 'poetry', display_name: 'Poetry' },
      ]
      assert.deepEqual(await describe('/books/', 'sue'), {
        search: ['title'],
        filters: {
          inPrint: { field: 'inPrint', lookup: 'exact', label: 'In print', type: 'boolean' },
          pages__gte: {
            field: 'pages',
            lookup: 'gte',
            label: 'Pages: at least',
            type: 'integer',
            min_value: 1,
            max_value: 5000,
          },
          pages__in: {
            field: 'pages',
            lookup: 'in',
            label: 'Pages: one of',
            type: 'integer',
            min_value: 1,
            max_value: 5000,
          },
          pages__not: {
            field: 'pages',
            lookup: 'not',
            label: 'Pages: not',
            type: 'integer',
            min_value: 1,
            max_value: 5000,
          },
          pages__isnull: { field: 'pages', lookup: 'isnull', label: 'Pages: empty', type: 'boolean' },
          genre__in: { field: 'genre', lookup: 'in', label: 'Genre: one of', type: 'choice', choices: genres },
          published__date: { field: 'published', lookup: 'date', label: 'Published: on the day', type: 'date' },
          published__year: { field: 'published', lookup: 'year', label: 'Published: in the year', type: 'integer' },
          author: { field: 'author', lookup: 'exact', label: 'Author', type: 'integer' },
          author__name__icontains: {
            field: 'author__name',
            lookup: 'icontains',
            label: 'Author name: contains, in any case',
            type: 'string',
            help_text: 'As on the cover.',
          },
          long: { label: 'Long books', type: 'boolean' },
        },
        ordering: ['inPrint', 'title'],
        pagination: {
          page: { type: 'integer', min_value: 1 },
          size: { type: 'integer', min_value: 1, max_value: 100 },
        },
      })
    })

    test('names nothing that the caller does not see', async () => {
      const { filters } = await describe('/books/')
      assert.ok(!Object.hasOwn(filters as object, 'author__name__icontains'))
      const pagination = { cursor: { type: 'string' } }
      assert.deepEqual(await describe('/authors/'), { pagination })
      assert.deepEqual(Object.keys(await describe('/authors/', 'sue')), ['search', 'filters', 'ordering', 'pagination'])
      assert.deepEqual(await describe('/guarded/'), {})
      const guardedList = await describe('/guarded/', 'sue')
      assert.deepEqual([Object.keys(guardedList), guardedList.filter_groups], [['filters', 'filter_groups'], 2])
    })

    test('a list without options has no description, and objects have none', async () => {
      assert.deepEqual(await describe('/plain/'), {})
      assert.deepEqual(await describe('/guarded/1/'), {})
      assert.deepEqual(await describe('/slices/'), {
        pagination: {
          limit: { type: 'integer', min_value: 1, max_value: 9 },
          offset: { type: 'integer', min_value: 0, max_value: 50 },
        },
      })
    })
  },
)

onEachDatabase(
  () => ({ resources: [books, authors], secret: '-'.repeat(32), describesLists: false }),
  api => {
    test('an API can leave the descriptions out', async () => {
      const { json } = await api().client.request('OPTIONS', '/books/')
      assert.deepEqual(Object.keys(json()), basic)
    })
  },
)

suite('the service', () => {
  onEveryDatabase({}, service => {
    test('OPTIONS of the profiles contains what the specification says', async () => {
      const { json } = await service().client.request('OPTIONS', '/snippet/snippets/')
      assert.deepEqual(Object.keys(json()), basic)
    })
  })
})
