// Filters whose value is a small language that the application parses.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  choice,
  filter,
  findDocument,
  integer,
  jsonRenderer,
  key,
  type Query,
  related,
  resource,
  rowFilter,
  text,
  ValidationError,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import type { Condition } from 'resource-api/tables'
import { injectFetch } from '../support/client.ts'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

/** `genre=novel AND NOT (pages__lt=100 OR title="A, b")` */
function parse(given: string): Condition {
  const tokens = given.match(/[()=]|"[^"]*"|[^\s()="]+/g) ?? []
  const refuse = (): never => {
    throw new ValidationError('Syntax error in expression.')
  }
  const readJoined = (joint: 'and' | 'or', word: string, read: () => Condition): Condition => {
    const parts = [read()]
    while (tokens[0] === word) {
      tokens.shift()
      parts.push(read())
    }
    return parts.length === 1 ? parts[0]! : { [joint]: parts }
  }
  const readOne = (): Condition => {
    const token = tokens.shift() ?? refuse()
    if (token === 'NOT') return { not: readOne() }
    if (token === '(') {
      const inner = readEither()
      return tokens.shift() === ')' ? inner : refuse()
    }
    const [equals, value] = tokens.splice(0, 2)
    return equals === '=' && value !== undefined ? { [token]: value.replaceAll('"', '') } : refuse()
  }
  const readEither = () => readJoined('or', 'OR', () => readJoined('and', 'AND', readOne))
  const condition = readEither()
  return tokens.length === 0 ? condition : refuse()
}

const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  permissions: [rowFilter(({ row }) => sql`${row.name} <> 'Hidden'`)],
})
const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer(),
    genre: choice(['novel', 'poetry', 'essay']),
    author: related(authors, { nullable: true }),
    shelf: text({ visible: ({ user }) => user.isStaff }),
  },
  actions: ['list'],
  strict: true,
  pagination: null,
  ordering: ['id'],
  filters: {
    q: { parse, help: 'Comparisons with AND, OR and NOT' },
    tags: {
      parse: (words: string) => ({ title__contains: words, genre__in: ['novel', 'essay'], pages__isnull: false }),
    },
    title: ['exact', 'contains'],
    pages: ['exact', 'gte', 'lt', 'isnull', 'range'],
    genre: { in: 'genre__in', exact: 'kind' },
    'author.name': ['exact', 'isnull'],
    shelf: true,
    mine: filter(boolean(), ({ row, value, caller }) => sql`(${row.owner_id} = ${caller.id}) = ${value}`),
  },
  filterLimits: { filters: 6, values: 3, groups: 1 },
})
const resources = [authors, books] as const

const query: Query<typeof books> = { q: 'kind=novel', tags: 'a' }
// @ts-expect-error the language is a text
const other: Query<typeof books> = { q: 3 }

onEachDatabase(
  () => ({
    resources,
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    secret: 'x'.repeat(32),
  }),
  api => {
    const get = async (q: string, name = 'q', caller: 'ann' | 'bob' | 'sue' = 'ann') => {
      const response = await api().client.get(`/books/?${new URLSearchParams({ [name]: q })}`, asUser(caller))
      return [response.status, response.json()] as const
    }
    const titles = async (...args: Parameters<typeof get>) => {
      const [status, body] = await get(...args)
      assert.equal(status, 200, JSON.stringify(body))
      return body.map(({ title }: { title: string }) => title).join(' ')
    }

    before(async () => {
      const [jane, hidden] = await api().insert('authors', [{ name: 'Jane' }, { name: 'Hidden' }])
      const rows = [
        { title: 'Emma', pages: 474, genre: 'novel', author_id: jane, owner_id: 1, shelf: 'A1' },
        { title: 'Odes', pages: 90, genre: 'poetry', author_id: hidden, owner_id: 2, shelf: 'B2' },
        { title: 'Seas, "red"', pages: 90, genre: 'essay', author_id: null, owner_id: null, shelf: 'B2' },
      ]
      await api().insert(
        'books',
        rows.map(row => ({ ...bookRow, ...row })),
      )
    })

    test('a text is a condition on the other filters', async () => {
      for (const [q, expected] of [
        ['title=Emma', 'Emma'],
        ['NOT title=Emma', 'Odes Seas, "red"'],
        ['pages=90 AND NOT kind=poetry', 'Seas, "red"'],
        ['pages=90 AND (kind=poetry OR kind=novel)', 'Odes'],
        ['kind=poetry OR kind=essay AND pages__gte=100', 'Odes'],
        ['NOT (kind=poetry OR NOT pages__lt=100)', 'Seas, "red"'],
        ['pages=90 AND pages=474', ''],
        ['genre__in="novel,essay"', 'Emma Seas, "red"'],
        ['pages__range="80,100" OR kind=novel', 'Emma Odes Seas, "red"'],
        ['pages__isnull=true OR title="Odes"', 'Odes'],
        ['author__name=Jane', 'Emma'],
        ['NOT author__name=Jane', 'Odes Seas, "red"'],
        ['author__name=Hidden OR author__name=Jane', 'Emma'],
        ['author__name__isnull=true AND pages=90', 'Odes Seas, "red"'],
      ] as const)
        assert.equal(await titles(q), expected, q)
      assert.equal(await titles('mma', 'tags'), 'Emma')
      assert.equal(await titles('d', 'tags'), 'Seas, "red"')
      assert.equal(await titles(''), 'Emma Odes Seas, "red"')
    })

    test('the conditions depend on the caller, and so does a cached page', async () => {
      for (const [caller, expected] of [
        ['ann', 'Emma'],
        ['bob', 'Odes'],
        ['ann', 'Emma'],
      ] as const)
        assert.equal(await titles('mine=true AND pages__gte=1', 'q', caller), expected, caller)
    })

    test('other filters and groups apply too', async () => {
      const { client } = api()
      const found = async (search: string) => (await client.get(`/books/?${search}`, asUser('ann'))).json()
      assert.equal((await found('q=pages%3D90&kind=poetry')).length, 1)
      assert.equal((await found('or.q=kind%3Dnovel&or.kind=poetry')).length, 2)
      assert.equal((await found('or.q=kind%3Dnovel&or.tags=Seas')).length, 2)
    })

    test('errors name the filter of the text', async () => {
      for (const [q, ...errors] of [
        ['title', 'Syntax error in expression.'],
        ['(title=a', 'Syntax error in expression.'],
        ['AND', 'Syntax error in expression.'],
        ['titel=a', 'titel: There is no such parameter. Did you mean "title"?'],
        ['__proto__=a', '__proto__: There is no such parameter.'],
        ['q=a', 'q: There is no such parameter.'],
        ['tags=a', 'tags: There is no such parameter.'],
        ['pages=x', 'pages: A valid integer is required.'],
        ['kind=novel AND (kind=prose OR pages=x)', 'kind: "prose" is not a valid choice.'],
        ['genre__in="a,b,c,d"', 'genre__in: Ensure this field has no more than 3 elements.'],
        ['pages__range=1', 'pages__range: Give two values, separated by a comma.'],
        [`${'x'.repeat(200)}=1`, `${'x'.repeat(100)}…: There is no such parameter.`],
        ['shelf=B2', 'shelf: There is no such parameter.'],
        ['a\0=1', 'Null characters are not allowed.'],
        [`${'NOT '.repeat(6)}pages=1`, 'Too many filters: at most 6.'],
        [`pages=1${' OR pages=1'.repeat(6)}`, 'Too many filters: at most 6.'],
      ] as const)
        assert.deepEqual(await get(q), [400, { q: errors }], q)
      const twice = await api().client.get('/books/?q=pages=1&q=pages=2', asUser('ann'))
      assert.deepEqual(twice.json(), { q: ['Give this parameter once: the filter takes one value.'] })
      const many = 'pages=1 AND pages=1 AND pages=1 AND pages=1'
      const both = await api().client.get(`/books/?${new URLSearchParams({ q: many, tags: 'a' })}`, asUser('ann'))
      assert.deepEqual(both.json(), { non_field_errors: ['Too many filters: at most 6.'] })
    })

    test('a caller uses the filters that the caller has', async () => {
      assert.equal(await titles('shelf=B2', 'q', 'sue'), 'Odes Seas, "red"')
    })

    test('the document, OPTIONS, a page and a client have it', async () => {
      const { client, app } = api()
      const { parameters } = findDocument(app)!.paths['/books/']!.get!
      const { schema } = parameters!.find(({ name }) => name === 'q')!
      const description = 'Comparisons with AND, OR and NOT'
      assert.deepEqual(schema, { type: 'string', minLength: 1, description })
      const { filters } = (await client.request('OPTIONS', '/books/', asUser('ann'))).json()
      assert.equal(filters.q.type, 'string')
      const page = await client.get('/books/?q=kind%3Dnovel', {
        headers: { ...asUser('ann').headers, accept: 'text/html' },
      })
      assert.match(page.text, /value="kind&#61;novel" id="list-q"/)
      const api1 = createClient<typeof resources>({ baseUrl: 'http://localhost/', fetch: injectFetch(client) })
      assert.equal((await api1.books.list({ q: 'kind=novel' })).length, 1)
      assert.ok(query && other)
    })
  },
)

suite('wrong declarations are errors', () => {
  for (const [declaration, message] of [
    [{ parse: 'a' }, 'filters: "q": "parse" must be a function that returns a condition on the other filters'],
  ] as const)
    test(message, () => {
      const filters = { q: declaration } as never
      assert.throws(
        () => resource('books', { table: 'books', fields: { id: key() }, filters }),
        new Error(`resource "books": ${message}`),
      )
    })
})
