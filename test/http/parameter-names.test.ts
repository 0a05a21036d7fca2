// The names of query parameters that an API or a resource replaces, and the names that are free.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  createApi,
  filter,
  findDocument,
  integer,
  jsonRenderer,
  key,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { injectFetch } from '../support/client.ts'
import { authors, bookRow } from '../support/library.ts'
import { onEachDatabase, startApi } from '../support/own-api.ts'

const fields = {
  id: key(),
  title: text(),
  pages: integer(),
  author: related(authors, { nullable: true }),
}
const shared = {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields,
  searchFields: ['title'],
  orderingFields: ['title', 'pages'],
  sparseFields: true,
  expandableFields: ['author'],
} as const

const books = resource('books', shared)
const strict = resource('strict-books', { ...shared, strict: true, parameters: { search: 'find', ordering: 'sorts' } })
/** Uses no parameter, so the names are free. */
const plain = resource('plain', {
  table: 'books',
  actions: ['list'],
  fields,
  strict: true,
  filters: {
    q: filter(integer(), ({ row, value }) => sql`${row.pages} = ${value}`),
    search: filter(integer(), ({ row, value }) => sql`${row.pages} > ${value}`),
    ordering: filter(integer(), ({ row, value }) => sql`${row.pages} < ${value}`),
    fields: filter(text(), ({ row, value }) => sql`${row.title} = ${value}`),
  },
})
const resources = [authors, books, strict, plain] as const
const parameters = { search: 'q', ordering: 'sort', omit: 'exclude_fields' } as const
const declared = createApi({ resources, pagination: pageNumber({ pageSize: 10 }), parameters })

onEachDatabase(
  () => ({
    resources,
    pagination: pageNumber({ pageSize: 10 }),
    parameters,
    renderers: [jsonRenderer],
  }),
  api => {
    const get = async (url: string) => {
      const response = await api().client.get(url)
      return [response.status, response.json()] as const
    }
    const titles = async (url: string) => {
      const [status, body] = await get(url)
      assert.equal(status, 200, JSON.stringify(body))
      return body.results.map(({ title }: { title: string }) => title)
    }

    before(async () => {
      const rows = [
        ['Emma', 474],
        ['Persuasion', 249],
        ['Lady Susan', 80],
      ].map(([title, pages]) => ({ ...bookRow, title, pages }))
      await api().insert('books', rows)
    })

    test('lists search and order by the names of the API', async () => {
      assert.deepEqual(await titles('/books/?q=em'), ['Emma'])
      assert.deepEqual(await titles('/books/?sort=pages'), ['Lady Susan', 'Persuasion', 'Emma'])
      assert.deepEqual(await titles('/books/?search=em&ordering=title'), ['Emma', 'Persuasion', 'Lady Susan'])
      assert.deepEqual(await titles('/books/?q='), ['Emma', 'Persuasion', 'Lady Susan'])
      assert.deepEqual(await get(`/books/?q=${'x'.repeat(1001)}`), [
        400,
        { q: ['Ensure this field has no more than 1000 characters.'] },
      ])
      assert.deepEqual(await get('/books/?q=%00'), [400, { q: ['Null characters are not allowed.'] }])
    })

    test('a plus sign is ascending, encoded or not', async () => {
      for (const sort of ['+pages,-title', '%2Bpages,-title', '%2Bpages&sort=-title', ' +pages', '+%2Bpages'])
        assert.deepEqual((await titles(`/books/?sort=${sort}`))[0], 'Lady Susan', sort)
      assert.deepEqual((await titles('/strict-books/?sorts=-pages,+title'))[0], 'Emma')
      assert.deepEqual(await get('/strict-books/?sorts=%2B%2Bpages'), [
        400,
        { sorts: ['The list cannot be ordered by this name. Did you mean "pages"?'] },
      ])
    })

    test('what is shown is chosen by the names of the API, for lists and objects', async () => {
      const [, { results }] = await get('/books/?exclude_fields=pages,author')
      assert.deepEqual(Object.keys(results[0]), ['id', 'title'])
      const [, object] = await get(`/books/${results[0].id}/?exclude_fields=author&exclude_fields=id&fields=id,title`)
      assert.deepEqual(Object.keys(object), ['title'])
      assert.deepEqual(await get('/books/?exclude_fields=titel'), [
        400,
        { exclude_fields: ['There is no field "titel". Did you mean "title"?'] },
      ])
      assert.deepEqual(Object.keys((await get('/books/?omit=pages'))[1].results[0]), ['id', 'title', 'pages', 'author'])
    })

    test('a resource replaces single names, and a strict list refuses the others', async () => {
      assert.deepEqual(await titles('/strict-books/?find=em'), ['Emma'])
      for (const [query, errors] of [
        ['q=em', { q: ['There is no such parameter.'] }],
        ['search=em', { search: ['There is no such parameter.'] }],
        ['sort=title', { sort: ['There is no such parameter. Did you mean "sorts"?'] }],
        ['omit=title', { omit: ['There is no such parameter.'] }],
        ['exclude_field=title', { exclude_field: ['There is no such parameter. Did you mean "exclude_fields"?'] }],
        ['new', { new: ['There is no such parameter.'] }],
      ] as const)
        assert.deepEqual(await get(`/strict-books/?${query}`), [400, errors])
    })

    test('a filter may have the name of a parameter that its list does not use', async () => {
      assert.deepEqual(await titles('/plain/?q=474'), ['Emma'])
      assert.deepEqual(await titles('/plain/?search=300'), ['Emma'])
      assert.deepEqual(await titles('/plain/?fields=Emma'), ['Emma'])
      assert.deepEqual(await titles('/plain/?ordering=100'), ['Lady Susan'])
      assert.deepEqual(await titles('/plain/?q=&search='), ['Emma', 'Persuasion', 'Lady Susan'])
      assert.deepEqual(await get('/plain/?q=1&q=2'), [
        400,
        { q: ['Give this parameter once: the filter takes one value.'] },
      ])
      assert.deepEqual(await get('/plain/?q=x'), [400, { q: ['A valid integer is required.'] }])
    })

    test('links of pages keep the names', async () => {
      const [, { next }] = await get('/books/?sort=pages&q=a&page=1')
      assert.equal(next, null)
    })

    test('OPTIONS and the OpenAPI document have the names', async () => {
      const options = await api().client.request('OPTIONS', '/books/')
      assert.deepEqual(options.json().parameters, parameters)
      const { paths } = findDocument(api().app)!
      const names = (path: string) =>
        paths[path]!.get!.parameters!.flatMap(({ in: place, name }) => (place === 'query' ? name : []))
      assert.deepEqual(names('/books/'), ['q', 'sort', 'page', 'fields', 'exclude_fields', 'expand'])
      assert.deepEqual(names('/strict-books/'), ['find', 'sorts', 'page', 'fields', 'exclude_fields', 'expand'])
    })

    test('a client knows the names', async () => {
      const client = createClient<typeof declared>({
        baseUrl: 'http://localhost/',
        fetch: injectFetch(api().client),
        parameters: { ordering: 'sort', omit: 'exclude_fields' },
      })
      const { results } = await client.books.list({ q: 'a', sort: '-pages', exclude_fields: ['pages'] })
      assert.deepEqual(
        results.map(({ title }) => title),
        ['Emma', 'Persuasion', 'Lady Susan'],
      )
      // @ts-expect-error the field is left out
      assert.equal(results[0]!.pages, undefined)
      const found = await client['strict-books'].list({ find: 'em', sorts: 'title', exclude_fields: [] })
      assert.equal(found.results[0]!.pages, 474)
      // @ts-expect-error another name
      await client.books.list({ ordering: 'title' })
      assert.equal((await client.plain.list({ q: 474, search: 1 })).count, 1)
    })
  },
)

suite('wrong names are errors at start', () => {
  test('names that no parameter has', () => {
    for (const [names, message] of [
      [{ search: '' }, 'the name of "search" must be that of a parameter: letters, digits, _ and -, not ""'],
      [{ search: 'a b' }, 'the name of "search" must be that of a parameter: letters, digits, _ and -, not "a b"'],
      [{ search: 5 }, 'the name of "search" must be that of a parameter: letters, digits, _ and -, not 5'],
      [{ page: 'p' }, 'the option pageQueryParam of pageNumber() names the parameter "page": set it there'],
      [{ format: 'f' }, 'the option formatParam of createApi() names the parameter "format": set it there'],
      [{ serch: 'q' }, 'there is no option "serch": write "search"'],
    ] as const)
      assert.throws(
        () => resource('books', { ...shared, parameters: names as object }),
        new Error(`resource "books": parameters: ${message}`),
      )
    assert.throws(
      () => createApi({ parameters: { cursor: 'c' } as object }),
      new Error(
        'createApi(): parameters: the option cursorQueryParam of cursor() names the parameter "cursor": set it there',
      ),
    )
  })
})

onEachDatabase(
  () => ({
    resources: [authors, resource('books', { ...shared, strict: true, parameters: { search: 'q', ordering: 'sort' } })],
    renderers: [jsonRenderer, browsable()],
  }),
  api => {
    test('the pages use the names', async () => {
      await api().insert('books', [{ ...bookRow, title: 'Emma' }])
      const headers = { accept: 'text/html' }
      const { text: page, status } = await api().client.get('/books/?q=em&sort=-title', { headers })
      assert.equal(status, 200)
      assert.match(page, /<input id="list-search" type="search" name="q" value="em"/)
      assert.match(page, /name="sort"/)
      assert.match(page, /href="\/books\/\?q&#61;em&#38;sort&#61;title"/)
      assert.doesNotMatch(page, /<[^>]* name="(?:search|ordering)"/)
      const chosen = await api().client.get('/books/?_search=filter%3Aauthor&_text=a', { headers })
      assert.equal(chosen.status, 200)
    })

    test('two parameters of one name are an error', async () => {
      const { database } = api()
      for (const [options, message] of [
        [
          { parameters: { search: 'q', ordering: 'q' } },
          'parameters: the parameter "q" has another meaning too: give one of them another name',
        ],
        [
          { parameters: { search: 'format' } },
          'parameters: the parameter "format" has another meaning too: give one of them another name',
        ],
        [
          { parameters: { search: 'page' }, pagination: pageNumber({ pageSize: 2 }) },
          'pagination: the parameter "page" has another meaning too: give the paginator another name for it',
        ],
        [
          { parameters: { search: 'q' }, filters: { q: filter(integer(), ({ value }) => sql`1 = ${value}`) } },
          'filters: lists use the parameter "q" themselves: filter by another name, such as filter(…) under "q_is"',
        ],
      ] as const)
        await assert.rejects(
          startApi({ database, resources: [authors, resource('books', { ...shared, ...options } as never)] }),
          new Error(`resource "books": ${message}`),
        )
    })
  },
)
