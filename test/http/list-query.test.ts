// Searching, filtering and ordering a list: what a resource names, and nothing else.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  boolean,
  choice,
  cursor,
  integer,
  key,
  limitOffset,
  type Permission,
  related,
  resource,
  text,
} from 'resource-api'
import { anyCharacter } from '../support/any-text.ts'
import { authors, bookRow } from '../support/library.ts'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const fields = {
  id: key(),
  title: text(),
  summary: text({ nullable: true }),
  pages: integer(),
  in_print: boolean(),
  genre: choice(['novel', 'poetry', '__proto__']),
  author: related(authors, { nullable: true }),
}

const narrowed = {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields,
  searchFields: ['title', 'summary'],
  filters: { in_print: true, genre: true, pages: true, author: true },
  orderingFields: ['title', 'pages', 'summary'],
} as const

const short: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('pages')} < ${value('most')}`,
    values: () => ({ most: 300 }),
  },
}

const resources = [
  authors,
  resource('books', narrowed),
  resource('short', { ...narrowed, permissions: [short] }),
  resource('streamed', { ...narrowed, pagination: null }),
  resource('walked', {
    ...narrowed,
    pagination: cursor({ secret: 's'.repeat(32), pageSize: 2, ordering: 'pages' }),
  }),
  resource('plain', { table: 'books', actions: ['list'], fields }),
  resource('by-key', {
    table: 'books',
    actions: ['list'],
    fields: { number: key(), pages: integer() },
    searchFields: ['pages', 'number'],
    filters: { number: true },
    orderingFields: ['number'],
  }),
]

const rows = [
  { title: 'Emma', summary: 'A novel of manners', pages: 474, in_print: true, genre: 'novel' },
  { title: 'Odes', summary: null, pages: 90, in_print: false, genre: 'poetry' },
  { title: '100%_sure', summary: 'back\\slash', pages: 120, in_print: true, genre: '__proto__' },
  { title: 'EMMA again', summary: 'of Odes', pages: 301, in_print: false, genre: 'novel' },
  { title: 'Ünder', summary: '', pages: 90, in_print: true, genre: 'poetry' },
]

onEachDatabase(
  () => ({ resources, pagination: limitOffset({ defaultLimit: 50 }) }),
  api => {
    let library: LibraryApi
    before(async () => {
      library = api()
      await library.insert('authors', [{ name: 'Jane' }])
      const own = (row: object, index: number) => ({ ...bookRow, ...row, author_id: index === 0 ? 1 : null })
      const isSqlite = library.database.dialect.name === 'sqlite'
      const inserted = rows.map((row, index) => ({
        ...own(row, index),
        in_print: isSqlite ? Number(row.in_print) : row.in_print,
      }))
      await library.insert('books', inserted)
    })

    const titles = async (path: string) => {
      const response = await library.client.get(path)
      assert.equal(response.status, 200, response.text)
      const body = response.json()
      return (Array.isArray(body) ? body : body.results).map(({ title }: { title: string }) => title)
    }

    test('a search with a null character is refused', async () => {
      for (const query of ['search=%00', 'search=emma%00', 'search=emma+%22a%00%22']) {
        const response = await library.client.get(`/books/?${query}`)
        assert.deepEqual(
          [response.status, response.json()],
          [400, { search: ['Null characters are not allowed.'] }],
          query,
        )
      }
    })

    test('a search finds words of at most 1,000 characters', async () => {
      const long = '😀'.repeat(1000)
      const search = (term: string) => library.client.get(`/books/?search=${encodeURIComponent(term)}`)
      assert.deepEqual((await search(long)).json().results, [])
      for (const term of [`${long}x`, `emma ${long}x`, `"${long} x"`]) {
        const response = await search(term)
        assert.deepEqual(
          [response.status, response.json()],
          [400, { search: ['Ensure this field has no more than 1000 characters.'] }],
        )
      }
    })

    for (const [query, expected] of [
      ['', ['Emma', 'Odes', '100%_sure', 'EMMA again', 'Ünder']],
      ['search=emma', ['Emma', 'EMMA again']],
      ['search=EMMA+again', ['EMMA again']],
      ['search=odes', ['Odes', 'EMMA again']],
      ['search=odes%20emma', ['EMMA again']],
      ['search=%25', ['100%_sure']],
      ['search=_', ['100%_sure']],
      ['search=back%5Cs', ['100%_sure']],
      ["search='", []],
      ['search="emma+again"', ['EMMA again']],
      ['search="again+emma"', []],
      ['search="of+odes"+emma', ['EMMA again']],
      ['search="of+manners"emma', ['Emma']],
      ['search=""+odes+"+"', ['Odes', 'EMMA again']],
      ['search="of+odes', []],
      ['search=em"ma', []],
      ['search=1+2+3+4+5+6+7+8', []],
      ['search=e+e+e+e+e+e+e+e+nothing', ['Emma', 'Odes', '100%_sure', 'EMMA again', 'Ünder']],
      ['search=Ünd', ['Ünder']],
      ['search=ünd', []],
      ['search=', ['Emma', 'Odes', '100%_sure', 'EMMA again', 'Ünder']],
      ['in_print=true', ['Emma', '100%_sure', 'Ünder']],
      ['in_print=0&genre=novel', ['EMMA again']],
      ['genre=__proto__', ['100%_sure']],
      ['pages=90', ['Odes', 'Ünder']],
      ['author=1', ['Emma']],
      ['author=', ['Emma', 'Odes', '100%_sure', 'EMMA again', 'Ünder']],
      ['ordering=pages,-title', ['Ünder', 'Odes', '100%_sure', 'EMMA again', 'Emma']],
      ['ordering=-pages', ['Emma', 'EMMA again', '100%_sure', 'Ünder', 'Odes']],
      ['ordering=id,constructor,--pages,genre', ['Emma', 'Odes', '100%_sure', 'EMMA again', 'Ünder']],
      ['search=e&ordering=-title&in_print=1', ['Ünder', 'Emma', '100%_sure']],
    ] as const) {
      test(`a list narrowed by "${query}"`, async () => {
        assert.deepEqual(await titles(`/books/?${query}`), expected)
        assert.deepEqual(await titles(`/streamed/?${query}`), expected)
        const { count } = (await library.client.get(`/books/?${query}`)).json()
        assert.equal(count, expected.length)
      })
    }

    test('LIM-PAG-r2: links keep what narrows the list, and pages are cut from what is left', async () => {
      const first = (await library.client.get('/books/?in_print=true&ordering=pages&limit=2')).json()
      assert.deepEqual([first.count, first.previous], [3, null])
      const { pathname, search } = new URL(first.next)
      assert.equal(search, '?in_print=true&ordering=pages&limit=2&offset=2')
      assert.deepEqual(await titles(pathname + search), ['Emma'])
    })

    test('LIM-PAG-r3: a cursor goes through what is left, in its own order', async () => {
      const first = (await library.client.get('/walked/?genre=poetry&ordering=-pages')).json()
      assert.deepEqual([first.results.length, first.next], [2, null])
      const page = (await library.client.get('/walked/?in_print=true')).json()
      const { pathname, search } = new URL(page.next)
      assert.deepEqual([page.results[0].title, await titles(pathname + search)], ['Ünder', ['Emma']])
    })

    test('ERR-BODY-2: a value that its field does not take is 400, by field', async () => {
      for (const [query, errors] of [
        ['pages=many', { pages: ['A valid integer is required.'] }],
        ['genre=x', { genre: ['"x" is not a valid choice.'] }],
        ['in_print=maybe', { in_print: ['Must be a valid boolean.'] }],
        ['author=x', { author: ['Incorrect type. Expected pk value, received str.'] }],
        ['pages=99999999999', { pages: ['Ensure this value is less than or equal to 2147483647.'] }],
      ] as const) {
        const response = await library.client.get(`/books/?${query}`)
        assert.deepEqual([response.status, response.json()], [400, errors], query)
      }
    })

    test('ERR-BODY-2: a filter that is given more than one value is 400, by parameter', async () => {
      const once = ['Give this parameter once: the filter takes one value.']
      for (const [query, errors] of [
        ['pages=90&pages=120', { pages: once }],
        ['pages=90&search=o&pages=90', { pages: once }],
        ['genre=novel&genre=novel&in_print=x', { genre: once, in_print: ['Must be a valid boolean.'] }],
      ] as const) {
        for (const path of ['books', 'streamed', 'walked']) {
          const response = await library.client.get(`/${path}/?${query}`)
          assert.deepEqual([response.status, response.json()], [400, errors], `${path} ${query}`)
        }
      }
      assert.deepEqual(await titles('/books/?pages=90&pages='), ['Odes', 'Ünder'])
      assert.equal((await titles('/plain/?pages=90&pages=120')).length, rows.length)
    })

    test('rows that do not exist for the caller stay away, and a resource that names no such fields ignores it', async () => {
      assert.deepEqual(await titles('/short/?search=e'), ['Odes', '100%_sure', 'Ünder'])
      assert.equal((await titles('/plain/?search=emma&pages=many&ordering=-pages')).length, rows.length)
    })

    test('no query is a fault of the service', async () => {
      const names = fc.constantFrom('search', 'ordering', 'pages', 'genre', 'in_print', 'author', 'limit', '__proto__')
      const pairs = fc.array(fc.tuple(names, fc.string({ unit: anyCharacter })), { maxLength: 6 })
      await fc.assert(
        fc.asyncProperty(pairs, async query => {
          const response = await library.client.get(
            `/books/?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value.toWellFormed()]))}`,
          )
          assert.ok(response.status === 200 || response.status === 400, response.text)
        }),
        { numRuns: randomCases(200) },
      )
    })

    test('the key can be filtered and ordered by, and fields that are no text can be searched', async () => {
      const found = async (query: string) => {
        const response = await library.client.get(`/by-key/?${query}`)
        assert.equal(response.status, 200, response.text)
        return response.json().results.map(({ number }: { number: number }) => number)
      }
      const all: number[] = await found('ordering=number')
      assert.deepEqual(
        all,
        all.toSorted((one, other) => one - other),
      )
      assert.deepEqual(await found('ordering=-number'), all.toReversed())
      assert.deepEqual(await found(`number=${all[1]}`), [all[1]])
      for (const none of [0, -1, 99_999, 2 ** 53 - 1]) assert.deepEqual(await found(`number=${none}`), [])
      assert.equal((await found('search=90')).length, 2)
      for (const wrong of ['x', '1e3', '9007199254740993', '1.5']) {
        const response = await library.client.get(`/by-key/?number=${wrong}`)
        assert.equal(response.status, 400, wrong)
        assert.deepEqual(Object.keys(response.json()), ['number'])
      }
    })
  },
)
