// Filters whose parameters have names of their own, or take several values; and a search for one phrase.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  choice,
  date,
  filter,
  findDocument,
  integer,
  key,
  list,
  type Query,
  related,
  resource,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { injectFetch } from '../support/client.ts'
import { authors, bookRow } from '../support/library.ts'
import { onEachDatabase } from '../support/own-api.ts'

const genre = choice(['novel', 'poetry', 'essay'])
const fields = { id: key(), title: text(), pages: integer(), genre, author: related(authors, { nullable: true }) }
const books = resource('books', {
  table: 'books',
  fields,
  actions: ['list'],
  strict: true,
  ordering: ['id'],
  searchFields: ['title', 'genre'],
  searchAs: 'phrase',
  pagination: null,
  filters: {
    genre: { in: 'genre', not__in: 'genre__n' },
    pages: { exact: 'length', gte: 'min', lte: 'max', range: 'between' },
    'author.name': { exact: 'writer', isnull: 'anonymous' },
    titles: filter(list({ of: text() }), ({ row, value }) => sql`${row.title} in ${value}`),
    lengths: filter(list({ of: integer(), max: 3 }), ({ row, value }) => sql`${row.pages} in ${value}`),
    kinds: filter(list({ of: genre, empty: false }), ({ row, value }) => sql`${row.genre} not in ${value}`),
  },
  filterLimits: { values: 4 },
})
const resources = [authors, books] as const

const query: Query<typeof books> = { genre: ['novel'], length: 3, between: [1, 2], kinds: ['poetry'], lengths: [1] }
// @ts-expect-error the parameter has another name
const other: Query<typeof books> = { pages: 3 }

onEachDatabase(
  () => ({ resources }),
  api => {
    const get = async (text: string) => {
      const response = await api().client.get(`/books/?${text}`)
      return [response.status, response.json()] as const
    }
    const titles = async (text: string) => {
      const [status, body] = await get(text)
      assert.equal(status, 200, JSON.stringify(body))
      return body.map(({ title }: { title: string }) => title).join()
    }

    before(async () => {
      const [jane] = await api().insert('authors', [{ name: 'Jane' }])
      const rows = [
        { title: 'Emma', pages: 474, genre: 'novel', author_id: jane },
        { title: 'Odes, new', pages: 90, genre: 'poetry', author_id: null },
        { title: 'A "red" sea', pages: 90, genre: 'essay', author_id: null },
      ]
      await api().insert(
        'books',
        rows.map(row => ({ ...bookRow, ...row })),
      )
    })

    test('a lookup has the name that the resource gives to its parameter', async () => {
      for (const [text, expected] of [
        ['genre=novel', 'Emma'],
        ['genre=novel&genre=poetry', 'Emma,Odes, new'],
        ['genre=novel,poetry', 'Emma,Odes, new'],
        ['genre__n=novel&genre__n=poetry', 'A "red" sea'],
        ['length=474', 'Emma'],
        ['min=91', 'Emma'],
        ['max=90', 'Odes, new,A "red" sea'],
        ['min=90&max=100', 'Odes, new,A "red" sea'],
        ['between=100,500', 'Emma'],
        ['writer=Jane', 'Emma'],
        ['anonymous=true', 'Odes, new,A "red" sea'],
        ['genre=', 'Emma,Odes, new,A "red" sea'],
      ] as const)
        assert.equal(await titles(text), expected, text)
      for (const [text, errors] of [
        ['genre=prose', { genre: ['"prose" is not a valid choice.'] }],
        ['genre=novel&genre=prose', { genre: ['"prose" is not a valid choice.'] }],
        ['genre=novel,novel,novel&genre=novel,novel', { genre: ['Ensure this field has no more than 4 elements.'] }],
        ['length=1&length=2', { length: ['Give this parameter once: the filter takes one value.'] }],
        ['min=x', { min: ['A valid integer is required.'] }],
        ['between=1', { between: ['Give two values, separated by a comma.'] }],
        ['genre__in=novel', { genre__in: ['There is no such parameter. Did you mean "genre__n"?'] }],
        ['pages=3', { pages: ['There is no such parameter.'] }],
        ['Genre=novel', { Genre: ['There is no such parameter. Did you mean "genre"?'] }],
      ] as const)
        assert.deepEqual(await get(text), [400, errors], text)
    })

    test('a filter with SQL of its own takes a list', async () => {
      for (const [text, expected] of [
        ['titles=Emma', 'Emma'],
        ['titles=Emma&titles="Odes, new"', 'Emma,Odes, new'],
        ['titles="A ""red"" sea",Emma', 'Emma,A "red" sea'],
        ['titles=&titles=Emma', 'Emma'],
        ['titles=', 'Emma,Odes, new,A "red" sea'],
        ['lengths=474,1&lengths=2', 'Emma'],
        ['kinds=novel&kinds=poetry', 'A "red" sea'],
        ['kinds=novel&lengths=90', 'Odes, new,A "red" sea'],
      ] as const)
        assert.equal(await titles(text), expected, text)
      for (const [text, errors] of [
        ['lengths=1,x', { lengths: ['A valid integer is required.'] }],
        ['lengths=1,2,3,4', { lengths: ['Ensure this field has no more than 3 elements.'] }],
        ['titles=1,2,3,4,5', { titles: ['Ensure this field has no more than 4 elements.'] }],
        ['titles="a', { titles: ['End a value in quotation marks with one, and double those inside it.'] }],
        ['titles=a%00', { titles: ['Null characters are not allowed.'] }],
        ['kinds=prose', { kinds: ['"prose" is not a valid choice.'] }],
        ['lengths=99999999999999999999', { lengths: ['Ensure this value is less than or equal to 2147483647.'] }],
      ] as const)
        assert.deepEqual(await get(text), [400, errors], text)
    })

    test('a search is one phrase', async () => {
      for (const [text, expected] of [
        ['search=emm', 'Emma'],
        ['search=+odes, NEW+', 'Odes, new'],
        ['search=new odes', ''],
        ['search="red" sea', 'A "red" sea'],
        ['search="emma"', ''],
        ['search=%25', ''],
        ['search=++', 'Emma,Odes, new,A "red" sea'],
        ['search=emma&search=x', 'Emma'],
      ] as const)
        assert.equal(await titles(text), expected, text)
      assert.deepEqual(await get(`search=${'x '.repeat(501)}y`), [
        400,
        { search: ['Ensure this field has no more than 1000 characters.'] },
      ])
    })

    test('OPTIONS and the OpenAPI document have the names', async () => {
      const { filters } = (await api().client.request('OPTIONS', '/books/')).json()
      assert.deepEqual([filters.genre.lookup, filters.genre__n.lookup, filters.min.lookup], ['in', 'not__in', 'gte'])
      assert.equal(filters.titles.type, 'list')
      const { parameters } = findDocument(api().app)!.paths['/books/']!.get!
      const find = (name: string) => parameters!.find(parameter => parameter.name === name)!.schema
      assert.deepEqual(find('genre'), {
        type: 'array',
        items: { type: 'string', enum: ['novel', 'poetry', 'essay'] },
        maxItems: 4,
      })
      assert.deepEqual((find('lengths') as { maxItems: number }).maxItems, 3)
    })

    test('a client knows the names', async () => {
      const client = createClient<typeof resources>({ baseUrl: 'http://localhost/', fetch: injectFetch(api().client) })
      const found = await client.books.list({ genre: ['novel', 'poetry'], titles: ['Odes, new', 'Emma'], min: 100 })
      assert.deepEqual(
        found.map(({ title }) => title),
        ['Emma'],
      )
      assert.ok(query && other)
    })
  },
)

suite('wrong names are errors at start', () => {
  const sqlOf = ({ value }: { value: unknown }) => sql`1 in ${value}`
  for (const [filters, message] of [
    [{ genre: {} }, 'filters: "genre": write true, a list of lookups such as ["exact"], or filter(…), not {}'],
    [{ genre: { in: '' } }, 'filters: "genre": the name of "in" must be that of a parameter: letters, digits, _ and -'],
    [
      { genre: { in: true } },
      'filters: "genre": the name of "in" must be that of a parameter: letters, digits, _ and -',
    ],
    [
      { genre: { in: 'or.a' } },
      'filters: "genre": the name of "in" must be that of a parameter: letters, digits, _ and -',
    ],
    [{ genre: { in: 'a', exact: 'a' } }, 'filters: two filters have the parameter "a": remove one'],
    [{ genre: { in: 'pages' }, pages: true }, 'filters: two filters have the parameter "pages": remove one'],
  ] as const)
    test(JSON.stringify(filters), () => {
      assert.throws(
        () => resource('books', { table: 'books', fields, filters: filters as never }),
        new Error(`resource "books": ${message}`),
      )
    })

  test('lookups that do not exist or fit', () => {
    assert.throws(
      // @ts-expect-error no lookup
      () => resource('books', { table: 'books', fields, filters: { genre: { week: 'a' } } }),
      /filters: "genre": there is no lookup "week"/,
    )
    assert.throws(
      // @ts-expect-error the compiler knows no such field
      () => resource('books', { table: 'books', fields, filters: { gnre: { in: 'a' } } }),
      /filters: "gnre": there is no field "gnre"/,
    )
    assert.throws(
      () => resource('books', { table: 'books', fields, searchFields: ['title'], searchAs: 'word' as never }),
      new Error(`resource "books": searchAs must be 'words' or 'phrase'`),
    )
  })

  test('items that SQL cannot compare', () => {
    const message = 'filter(): the items of a list must be texts, choices or integers'
    assert.throws(() => filter(list({ of: date() }), sqlOf), new Error(message))
    assert.throws(() => filter(list({ of: list({ of: text() }) }), sqlOf), new Error(message))
  })
})
