// A row that a row filter hides from a caller is hidden in other resources as well: relations do not show, accept,
// count, compare or order by it.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticatedOrReadOnly,
  cursor,
  hyperlinkedIdentity,
  integer,
  integerKey,
  key,
  nested,
  type Permission,
  pageNumber,
  type Resource,
  related,
  resource,
  text,
  via,
} from 'resource-api'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

/** The number of times that the filter's values were computed. */
let filterReads = 0

/** Only staff can see rows whose name begins with "secret". */
const openRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('name')} not like 'secret%' or cast(${value('sees_all')} as boolean)`,
    values: async ({ user, method }) => {
      filterReads++
      assert.equal(
        method,
        'GET',
        'the method is GET for related objects, even if the request writes the object that refers to them',
      )
      return { sees_all: user.isStaff }
    },
  },
}

const permissions = [authenticatedOrReadOnly, openRows]
const throughTags = { table: 'book_tags', own: 'book_id', other: 'tag_id' }
const throughEditors = { table: 'book_editors', own: 'book_id', other: 'author_id' }

const plainBooks = { name: 'books', table: 'books', key: integerKey(), fields: { id: key(), title: text() } }

const authors = resource('authors', {
  table: 'authors',
  permissions,
  fields: {
    url: hyperlinkedIdentity(),
    name: text(),
    translations: related(plainBooks, { many: { reverse: 'translator_id' } }),
  },
})

const tags = resource('tags', {
  table: 'tags',
  permissions,
  fields: {
    id: key(),
    name: text(),
    books: nested({
      of: { ...plainBooks, fields: { ...plainBooks.fields, author: nested({ of: authors, column: 'author_id' }) } },
      many: { table: 'book_tags', own: 'tag_id', other: 'book_id' },
      fields: ['title', 'author'],
    }),
  },
})

const bookFields = {
  id: key(),
  title: text(),
  pages: integer({ default: 1 }),
  author: related(authors, { nullable: true, form: 'url' }),
  author_name: text({ source: via('author_id', 'authors', 'name') }),
  author_in_full: nested({ of: authors, column: 'author_id', fields: ['name'] }),
  translator: related(authors, { nullable: true }),
  translator_name: text({ source: via('translator_id', authors, 'name') }),
  tags: related(tags, { many: throughTags, default: [] }),
  tags_in_full: nested({ of: tags, many: throughTags, fields: ['name'] }),
  editors: related(authors, { many: throughEditors, default: [], form: 'url' }),
}

const hookColumns = ['subtitle', 'contact', 'genre', 'in_print'] as const
const prepare = () => ({ subtitle: '', contact: '', genre: 'novel', in_print: true })
const bookOptions = {
  table: 'books',
  permissions: [authenticatedOrReadOnly],
  filters: { author: true, translator: true },
  orderingFields: ['translator'],
  hookColumns,
  prepare,
} as const

const books = resource('books', { ...bookOptions, fields: bookFields, pagination: pageNumber({ pageSize: 10 }) })
const streamed = resource('streamed', {
  ...bookOptions,
  fields: bookFields,
  pagination: null,
  ordering: ['-translator'],
})
const byCursor = resource('by-cursor', {
  ...bookOptions,
  fields: bookFields,
  pagination: cursor({ pageSize: 1, ordering: 'translator_id' }),
})

/** Books whose relations ignore the row filters. */
const openBooks = resource('open-books', {
  ...bookOptions,
  hookColumns: [...hookColumns, 'pages'],
  prepare: () => ({ ...prepare(), pages: 1 }),
  fields: {
    id: key(),
    title: text(),
    author: related(authors, { nullable: true, ignoreRowFilter: true, form: 'url' }),
    author_name: text({ source: via('author_id', 'authors', 'name', { ignoreRowFilter: true }) }),
    author_in_full: nested({ of: authors, column: 'author_id', fields: ['name'], ignoreRowFilter: true }),
    translator: related(authors, { nullable: true, ignoreRowFilter: true }),
    tags: related(tags, { many: throughTags, default: [], ignoreRowFilter: true }),
    tags_in_full: nested({ of: tags, many: throughTags, fields: ['name'], ignoreRowFilter: true }),
  },
  pagination: pageNumber({ pageSize: 10 }),
})

const origin = 'http://localhost'
const statements: string[] = []

onEachDatabase(
  () => ({
    authentication: [userScheme],
    secret: 'x'.repeat(40),
    resources: [authors, tags, books, streamed, byCursor, openBooks],
  }),
  api => {
    let [open, secret, openTag, secretTag, first, second, third] = [0, 0, 0, 0, 0, 0, 0]

    beforeEach(async () => {
      const { database, insert } = api()
      await database.transaction(async ({ kysely }) => {
        for (const table of ['books', 'tags', 'authors']) await kysely.deleteFrom(table).execute()
      })
      const insertRows = async (table: string, ...rows: object[]) => (await insert(table, rows)) as number[]
      ;[secret, open] = (await insertRows('authors', { name: 'secret Sam' }, { name: 'Open Oda' })) as [number, number]
      ;[secretTag, openTag] = (await insertRows('tags', { name: 'secret' }, { name: 'open' })) as [number, number]
      ;[first, second, third] = (await insertRows(
        'books',
        { ...bookRow, title: 'First', author_id: open, translator_id: secret },
        { ...bookRow, title: 'Second', author_id: secret, translator_id: open },
        { ...bookRow, title: 'Third' },
      )) as [number, number, number]
      await database.transaction(async ({ kysely }) => {
        const pairs = [openTag, secretTag].map(tag_id => ({ book_id: first, tag_id }))
        await kysely.insertInto('book_tags').values(pairs).execute()
        const editors = [open, secret].map(author_id => ({ book_id: first, author_id }))
        await kysely.insertInto('book_editors').values(editors).execute()
      })
      statements.length = 0
      filterReads = 0
    })

    const get = async (path: string, caller?: 'sue' | 'ann') => {
      const response = await api().client.get(path, caller && asUser(caller))
      assert.equal(response.status, 200, response.text)
      return response.json()
    }
    const url = (author: number) => `${origin}/authors/${author}/`
    const titles = (list: readonly { title: string }[]) => list.map(({ title }) => title).join(' ')

    const representFirst = () => ({
      id: first,
      title: 'First',
      pages: 474,
      author: url(open),
      author_name: 'Open Oda',
      author_in_full: { name: 'Open Oda' },
      translator: null,
      translator_name: null,
      tags: [openTag],
      tags_in_full: [{ name: 'open' }],
      editors: [url(open)],
    })
    const representSecond = () => ({
      ...{ ...representFirst(), id: second, title: 'Second', author: null, author_name: null, author_in_full: null },
      ...{ translator: open, translator_name: 'Open Oda', tags: [], tags_in_full: [], editors: [] },
    })

    test('a hidden object is null in a relation to one, and left out of a relation to many', async () => {
      assert.deepEqual(await get(`/books/${first}/`, 'ann'), representFirst())
      assert.deepEqual(await get(`/books/${second}/`), representSecond())
    })

    test('a caller who can see the related objects gets them', async () => {
      const shown = await get(`/books/${first}/`, 'sue')
      assert.deepEqual([shown.translator, shown.translator_name], [secret, 'secret Sam'])
      assert.deepEqual(
        [shown.tags, shown.tags_in_full],
        [
          [secretTag, openTag],
          [{ name: 'secret' }, { name: 'open' }],
        ],
      )
      assert.deepEqual(shown.editors, [url(secret), url(open)])
      const { author, author_name, author_in_full } = await get(`/books/${second}/`, 'sue')
      assert.deepEqual([author, author_name, author_in_full], [url(secret), 'secret Sam', { name: 'secret Sam' }])
    })

    test('paginated and streamed lists show the same as retrieve, for each caller', async () => {
      for (const caller of ['ann', 'sue', 'ann'] as const) {
        const retrieved = await Promise.all([first, second, third].map(id => get(`/books/${id}/`, caller)))
        assert.deepEqual((await get('/books/', caller)).results, retrieved)
        const byTranslator = await get('/streamed/', caller)
        assert.deepEqual(
          byTranslator.toSorted((one: { id: number }, other: { id: number }) => one.id - other.id),
          retrieved,
        )
      }
    })

    test('the row filter of its resource applies at each level of nested objects', async () => {
      const taggedSecond = { book_id: second, tag_id: openTag }
      await api().database.transaction(({ kysely }) => kysely.insertInto('book_tags').values(taggedSecond).execute())
      const listAuthors = (tag: { books: { author: { name: string } | null }[] }) =>
        tag.books.map(({ author }) => author?.name ?? null)
      assert.deepEqual(listAuthors(await get(`/tags/${openTag}/`)), ['Open Oda', null])
      assert.deepEqual(listAuthors(await get(`/tags/${openTag}/`, 'sue')), ['Open Oda', 'secret Sam'])
    })

    test('an object or a list is one statement, and the values of each filter are computed once', async () => {
      for (const path of ['/books/', `/books/${first}/`, '/by-cursor/', '/streamed/']) {
        statements.length = 0
        filterReads = 0
        await get(path)
        // Authors and tags share one filter.
        assert.deepEqual([statements.length, filterReads], [1, 1], path)
      }
    })

    test('a body that refers to a hidden object gets the same error as for an object that does not exist', async () => {
      const missing = 999_999
      const bodies: readonly ((id: number) => object)[] = [
        id => ({ title: 'New', author: `/authors/${id}/` }),
        id => ({ title: 'New', translator: id }),
        id => ({ title: 'New', editors: [`/authors/${id}/`] }),
      ]
      const send = async (method: string, path: string, json: object, caller: 'ann' | 'sue') => {
        const response = await api().client.request(method, path, { ...asUser(caller), json })
        return { status: response.status, text: response.text }
      }
      for (const [method, path] of [
        ['POST', '/books/'],
        ['PUT', `/books/${third}/`],
        ['PATCH', `/books/${third}/`],
      ] as const) {
        for (const body of bodies) {
          const refused = await send(method, path, body(secret), 'ann')
          const unknown = await send(method, path, body(missing), 'ann')
          assert.equal(refused.status, 400)
          assert.equal(refused.text.replace(String(secret), String(missing)), unknown.text)
          assert.equal((await send(method, path, body(secret), 'sue')).status, method === 'POST' ? 201 : 200)
        }
        const response = await send(method, path, { title: 'New', tags: [secretTag] }, 'ann')
        assert.match(response.text, new RegExp(`Invalid pk \\\\"${secretTag}\\\\" - object does not exist`))
      }
    })

    test('a list filter by a hidden object finds and counts nothing', async () => {
      const findTitles = async (query: string, caller: 'ann' | 'sue') => {
        const { count, results } = await get(`/books/?${query}`, caller)
        return [count, titles(results)]
      }
      for (const caller of ['ann', 'sue', 'ann'] as const) {
        const isSue = caller === 'sue'
        assert.deepEqual(await findTitles(`translator=${secret}`, caller), isSue ? [1, 'First'] : [0, ''])
        const byUrl = `author=${encodeURIComponent(url(secret))}`
        assert.deepEqual(await findTitles(byUrl, caller), isSue ? [1, 'Second'] : [0, ''])
        assert.deepEqual(await findTitles(`translator=${open}`, caller), [1, 'Second'])
      }
    })

    test('an ordering by a relation treats hidden objects as null', async () => {
      const listTitles = async (path: string, caller: 'ann' | 'sue') => titles(await get(path, caller))
      // The hidden translator has the smaller primary key.
      assert.equal(await listTitles('/streamed/?ordering=translator', 'sue'), 'First Second Third')
      assert.equal(await listTitles('/streamed/?ordering=translator', 'ann'), 'Second First Third')
      assert.equal(await listTitles('/streamed/?ordering=-translator', 'sue'), 'Third Second First')
      assert.equal(await listTitles('/streamed/?ordering=-translator', 'ann'), 'Third First Second')
      // The default ordering.
      assert.equal(await listTitles('/streamed/', 'sue'), 'Third Second First')
      assert.equal(await listTitles('/streamed/', 'ann'), 'Third First Second')
    })

    test('a cursor visits all rows, and does not contain the primary key of a hidden object', async () => {
      for (const caller of ['ann', 'sue'] as const) {
        const visited: string[] = []
        for (let next: string | null = '/by-cursor/'; next !== null; ) {
          const page: { results: { title: string }[]; next: string | null } = await get(next, caller)
          visited.push(titles(page.results))
          next = page.next
          const [, payload = ''] = /cursor=([\w-]+)/.exec(next ?? '') ?? []
          const position: unknown = payload && JSON.parse(Buffer.from(payload, 'base64url').toString())[1][0]
          assert.notEqual(caller === 'ann' && Number(position), secret)
        }
        assert.deepEqual(visited, caller === 'sue' ? ['First', 'Second', 'Third'] : ['Second', 'First', 'Third'])
      }
    })

    const patch = async (caller: 'ann' | 'sue', path: string, json: object) => {
      const response = await api().client.patch(path, { ...asUser(caller), json })
      assert.equal(response.status, 200, response.text)
      return response.json()
    }

    test('a write to a relation to many keeps the members that the caller cannot see', async () => {
      const path = `/books/${first}/`
      const shown = await patch('ann', path, { tags: [], editors: [] })
      assert.deepEqual([shown.tags, shown.editors], [[], []])
      const full = await get(path, 'sue')
      assert.deepEqual([full.tags, full.editors], [[secretTag], [url(secret)]])
      assert.deepEqual((await patch('ann', path, { tags: [openTag] })).tags, [openTag])
      assert.deepEqual((await get(path, 'sue')).tags, [secretTag, openTag])
      // A caller who sees all members replaces all of them.
      assert.deepEqual((await patch('sue', path, { tags: [openTag], editors: [] })).tags, [openTag])
      assert.deepEqual((await api().client.get(path, asUser('sue'))).json().editors, [])
    })

    test('a PUT of the representation from GET changes nothing that is hidden', async () => {
      for (const path of [`/books/${first}/`, `/books/${second}/`]) {
        const representationBefore = await get(path, 'sue')
        const json = await get(path, 'ann')
        const { client } = api()
        assert.deepEqual((await client.put(path, { ...asUser('ann'), json })).json(), json)
        assert.deepEqual(await get(path, 'sue'), representationBefore)
      }
    })

    test('null keeps a hidden related object and removes a visible one; another object replaces both', async () => {
      const path = `/books/${first}/`
      assert.equal((await patch('ann', path, { translator: null })).translator, null)
      assert.equal((await get(path, 'sue')).translator, secret)
      assert.equal((await patch('ann', path, { translator: open })).translator, open)
      assert.equal((await patch('ann', path, { translator: null })).translator, null)
      assert.equal((await get(path, 'sue')).translator, null)
    })

    test('a field with ignoreRowFilter shows and accepts hidden objects', async () => {
      const shown = {
        id: second,
        title: 'Second',
        author: url(secret),
        author_name: 'secret Sam',
        author_in_full: { name: 'secret Sam' },
        translator: open,
        tags: [],
        tags_in_full: [],
      }
      assert.deepEqual(await get(`/open-books/${second}/`), shown)
      const json = { translator: secret, tags: [secretTag, openTag] }
      const changed = await patch('ann', `/open-books/${second}/`, json)
      assert.deepEqual([changed.translator, changed.tags], [secret, [secretTag, openTag]])
      assert.deepEqual((await patch('ann', `/open-books/${second}/`, { tags: [] })).tags, [])
      assert.equal((await get(`/open-books/?translator=${secret}`)).count, 2)
    })

    /** The authors of an API that shows nothing of them but their names. */
    const namedAuthors = resource('authors', {
      table: 'authors',
      actions: [],
      permissions,
      fields: { id: key(), name: text() },
    })
    /** The books of an API in which authors have no URL. */
    const shelf = resource('shelf', {
      table: 'books',
      actions: ['list', 'retrieve'],
      fields: {
        id: key(),
        translator: related(authors, { nullable: true }),
        translator_name: text({ source: via('translator_id', authors, 'name') }),
      },
    })

    test('a related resource without a URL is filtered by its own permissions', async () => {
      const { client, stop } = await startApi({
        database: api().database,
        authentication: [userScheme],
        resources: [shelf, namedAuthors],
      })
      const readFirst = async (options?: object) => (await client.get(`/shelf/${first}/`, options)).json()
      assert.deepEqual(await readFirst(), { id: first, translator: null, translator_name: null })
      assert.deepEqual(await readFirst(asUser('sue')), { id: first, translator: secret, translator_name: 'secret Sam' })
      await stop()
    })

    test('a text from a table is null if any resource of that table hides the row', async () => {
      const openAuthors = resource('writers', {
        table: 'authors',
        permissions: [],
        fields: { id: key(), name: text() },
      })
      const namedFields = { id: key(), name: text({ source: via('translator_id', 'authors', 'name') }) }
      const start = (resources: readonly Resource[]) =>
        startApi({ database: api().database, authentication: [userScheme], resources })
      const named = resource('named', { table: 'books', actions: ['list', 'retrieve'], fields: namedFields })
      for (const [resources, expected] of [
        [[named, openAuthors, namedAuthors], null],
        [[named, namedAuthors, openAuthors], null],
        [[named, openAuthors], 'secret Sam'],
      ] as const) {
        const { client, stop } = await start(resources)
        assert.equal((await client.get(`/named/${first}/`)).json().name, expected)
        await stop()
      }
    })
  },
  { observe: text => statements.push(text) },
)
