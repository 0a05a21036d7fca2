// Rows that a row filter hides from a caller do not exist for that caller in other resources either: wherever a relation
// shows, takes, counts, compares or orders by them.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticatedOrReadOnly,
  cursor,
  hyperlinkedIdentity,
  hyperlinkedRelated,
  integer,
  key,
  nested,
  type Permission,
  pageNumber,
  primaryKeyRelated,
  type Resource,
  resource,
  text,
  via,
} from '../../src/framework/index.ts'
import { bookRow } from '../support/library.ts'
import { as, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

/** How often a filter's values were read. */
let reads = 0

/** Rows whose name begins with "secret" exist for the staff alone. */
const openRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('name')} not like 'secret%' or cast(${value('sees_all')} as boolean)`,
    values: async ({ user, method }) => {
      reads++
      assert.equal(method, 'GET', 'related objects are read, whatever is done with the object that names them')
      return { sees_all: user.isStaff }
    },
  },
}

const permissions = [authenticatedOrReadOnly, openRows]
const throughTags = { table: 'book_tags', own: 'book_id', other: 'tag_id' }
const throughEditors = { table: 'book_editors', own: 'book_id', other: 'author_id' }

const plainBooks = { name: 'books', table: 'books', key: 'id', fields: { id: key(), title: text() } }

const authors = resource('authors', {
  table: 'authors',
  permissions,
  fields: {
    url: hyperlinkedIdentity(),
    name: text(),
    translations: primaryKeyRelated({ to: plainBooks, many: { reverse: 'translator_id' } }),
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

const fields = {
  id: key(),
  title: text(),
  pages: integer({ default: 1 }),
  author: hyperlinkedRelated({ to: authors, column: 'author_id', nullable: true }),
  author_name: text({ from: via('author_id', 'authors', 'name') }),
  author_in_full: nested({ of: authors, column: 'author_id', fields: ['name'] }),
  translator: primaryKeyRelated({ to: authors, column: 'translator_id', nullable: true }),
  translator_name: text({ from: via('translator_id', authors, 'name') }),
  tags: primaryKeyRelated({ to: tags, many: throughTags, default: [] }),
  tags_in_full: nested({ of: tags, many: throughTags, fields: ['name'] }),
  editors: hyperlinkedRelated({ to: authors, many: throughEditors, default: [] }),
}

const hookColumns = ['subtitle', 'contact', 'genre', 'in_print'] as const
const prepare = () => ({ subtitle: '', contact: '', genre: 'novel', in_print: true })
const declared = {
  table: 'books',
  permissions: [authenticatedOrReadOnly],
  filters: ['author', 'translator'],
  orderingFields: ['translator'],
  hookColumns,
  prepare,
} as const

const books = resource('books', { ...declared, fields, pagination: pageNumber({ pageSize: 10 }) })
const streamed = resource('streamed', { ...declared, fields, pagination: null, ordering: ['-translator_id'] })
const walked = resource('walked', {
  ...declared,
  fields,
  pagination: cursor({ pageSize: 1, ordering: 'translator_id' }),
})

/** Books that show everything by name. */
const openBooks = resource('open-books', {
  ...declared,
  hookColumns: [...hookColumns, 'pages'],
  prepare: () => ({ ...prepare(), pages: 1 }),
  fields: {
    id: key(),
    title: text(),
    author: hyperlinkedRelated({ to: authors, column: 'author_id', nullable: true, ignoreRowFilter: true }),
    author_name: text({ from: via('author_id', 'authors', 'name', { ignoreRowFilter: true }) }),
    author_in_full: nested({ of: authors, column: 'author_id', fields: ['name'], ignoreRowFilter: true }),
    translator: primaryKeyRelated({ to: authors, column: 'translator_id', nullable: true, ignoreRowFilter: true }),
    tags: primaryKeyRelated({ to: tags, many: throughTags, default: [], ignoreRowFilter: true }),
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
    resources: [authors, tags, books, streamed, walked, openBooks],
  }),
  api => {
    let [open, secret, openTag, secretTag, first, second, third] = [0, 0, 0, 0, 0, 0, 0]

    beforeEach(async () => {
      const { database, insert } = api()
      await database.transaction(async ({ kysely }) => {
        for (const table of ['books', 'tags', 'authors']) await kysely.deleteFrom(table).execute()
      })
      const make = async (table: string, ...rows: object[]) => (await insert(table, rows)) as number[]
      ;[secret, open] = (await make('authors', { name: 'secret Sam' }, { name: 'Open Oda' })) as [number, number]
      ;[secretTag, openTag] = (await make('tags', { name: 'secret' }, { name: 'open' })) as [number, number]
      ;[first, second, third] = (await make(
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
      reads = 0
    })

    const get = async (path: string, caller?: 'sue' | 'ann') => {
      const response = await api().client.get(path, caller && as(caller))
      assert.equal(response.status, 200, response.text)
      return response.json()
    }
    const url = (author: number) => `${origin}/authors/${author}/`
    const titles = (list: readonly { title: string }[]) => list.map(({ title }) => title).join(' ')

    const shownFirst = () => ({
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
    const shownSecond = () => ({
      ...{ ...shownFirst(), id: second, title: 'Second', author: null, author_name: null, author_in_full: null },
      ...{ translator: open, translator_name: 'Open Oda', tags: [], tags_in_full: [], editors: [] },
    })

    test('a hidden object is null in a relation to one, and left out of a relation to many', async () => {
      assert.deepEqual(await get(`/books/${first}/`, 'ann'), shownFirst())
      assert.deepEqual(await get(`/books/${second}/`), shownSecond())
    })

    test('a caller for whom the objects exist is shown them', async () => {
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

    test('lists, of pages and of all rows, show what the object shows, for each caller in turn', async () => {
      for (const caller of ['ann', 'sue', 'ann'] as const) {
        const each = await Promise.all([first, second, third].map(id => get(`/books/${id}/`, caller)))
        assert.deepEqual((await get('/books/', caller)).results, each)
        const byTranslator = await get('/streamed/', caller)
        assert.deepEqual(
          byTranslator.toSorted((one: { id: number }, other: { id: number }) => one.id - other.id),
          each,
        )
      }
    })

    test('each level of nested objects has the row filter of its own resource', async () => {
      const taggedSecond = { book_id: second, tag_id: openTag }
      await api().database.transaction(({ kysely }) => kysely.insertInto('book_tags').values(taggedSecond).execute())
      const authorsOf = (tag: { books: { author: { name: string } | null }[] }) =>
        tag.books.map(({ author }) => author?.name ?? null)
      assert.deepEqual(authorsOf(await get(`/tags/${openTag}/`)), ['Open Oda', null])
      assert.deepEqual(authorsOf(await get(`/tags/${openTag}/`, 'sue')), ['Open Oda', 'secret Sam'])
    })

    test('an object or a list is one statement, and the values of each filter are read once', async () => {
      for (const path of ['/books/', `/books/${first}/`, '/walked/', '/streamed/']) {
        statements.length = 0
        reads = 0
        await get(path)
        // Authors and tags have the same filter.
        assert.deepEqual([statements.length, reads], [1, 1], path)
      }
    })

    test('a body cannot name a hidden object: the error is that of one that does not exist', async () => {
      const none = 999_999
      const bodies: readonly ((id: number) => object)[] = [
        id => ({ title: 'New', author: `/authors/${id}/` }),
        id => ({ title: 'New', translator: id }),
        id => ({ title: 'New', editors: [`/authors/${id}/`] }),
      ]
      const send = async (method: string, path: string, json: object, caller: 'ann' | 'sue') => {
        const response = await api().client.request(method, path, { ...as(caller), json })
        return { status: response.status, text: response.text }
      }
      for (const [method, path] of [
        ['POST', '/books/'],
        ['PUT', `/books/${third}/`],
        ['PATCH', `/books/${third}/`],
      ] as const) {
        for (const body of bodies) {
          const refused = await send(method, path, body(secret), 'ann')
          const unknown = await send(method, path, body(none), 'ann')
          assert.equal(refused.status, 400)
          assert.equal(refused.text.replace(String(secret), String(none)), unknown.text)
          assert.equal((await send(method, path, body(secret), 'sue')).status, method === 'POST' ? 201 : 200)
        }
        const response = await send(method, path, { title: 'New', tags: [secretTag] }, 'ann')
        assert.match(response.text, new RegExp(`Invalid pk \\\\"${secretTag}\\\\" - object does not exist`))
      }
    })

    test('a filter by a hidden object finds and counts what one by no object does', async () => {
      const found = async (query: string, caller: 'ann' | 'sue') => {
        const { count, results } = await get(`/books/?${query}`, caller)
        return [count, titles(results)]
      }
      for (const caller of ['ann', 'sue', 'ann'] as const) {
        const isSue = caller === 'sue'
        assert.deepEqual(await found(`translator=${secret}`, caller), isSue ? [1, 'First'] : [0, ''])
        const byUrl = `author=${encodeURIComponent(url(secret))}`
        assert.deepEqual(await found(byUrl, caller), isSue ? [1, 'Second'] : [0, ''])
        assert.deepEqual(await found(`translator=${open}`, caller), [1, 'Second'])
      }
    })

    test('an ordering by a relation puts hidden objects where null stands', async () => {
      const order = async (path: string, caller: 'ann' | 'sue') => titles(await get(path, caller))
      // The secret translator has the smaller key.
      assert.equal(await order('/streamed/?ordering=translator', 'sue'), 'First Second Third')
      assert.equal(await order('/streamed/?ordering=translator', 'ann'), 'Second First Third')
      assert.equal(await order('/streamed/?ordering=-translator', 'sue'), 'Third Second First')
      assert.equal(await order('/streamed/?ordering=-translator', 'ann'), 'Third First Second')
      // The order of the declaration.
      assert.equal(await order('/streamed/', 'sue'), 'Third Second First')
      assert.equal(await order('/streamed/', 'ann'), 'Third First Second')
    })

    test('a cursor goes through all rows, and holds the key of no hidden object', async () => {
      for (const caller of ['ann', 'sue'] as const) {
        const seen: string[] = []
        for (let next: string | null = '/walked/'; next !== null; ) {
          const page: { results: { title: string }[]; next: string | null } = await get(next, caller)
          seen.push(titles(page.results))
          next = page.next
          const [, payload = ''] = /cursor=([\w-]+)/.exec(next ?? '') ?? []
          const position: unknown = payload && JSON.parse(Buffer.from(payload, 'base64url').toString())[1][0]
          assert.notEqual(caller === 'ann' && Number(position), secret)
        }
        assert.deepEqual(seen, caller === 'sue' ? ['First', 'Second', 'Third'] : ['Second', 'First', 'Third'])
      }
    })

    const patch = async (caller: 'ann' | 'sue', path: string, json: object) => {
      const response = await api().client.patch(path, { ...as(caller), json })
      assert.equal(response.status, 200, response.text)
      return response.json()
    }

    test('a write that replaces a relation to many keeps the members that its caller cannot see', async () => {
      const path = `/books/${first}/`
      const shown = await patch('ann', path, { tags: [], editors: [] })
      assert.deepEqual([shown.tags, shown.editors], [[], []])
      const all = await get(path, 'sue')
      assert.deepEqual([all.tags, all.editors], [[secretTag], [url(secret)]])
      assert.deepEqual((await patch('ann', path, { tags: [openTag] })).tags, [openTag])
      assert.deepEqual((await get(path, 'sue')).tags, [secretTag, openTag])
      // A caller who sees all members replaces all of them.
      assert.deepEqual((await patch('sue', path, { tags: [openTag], editors: [] })).tags, [openTag])
      assert.deepEqual((await api().client.get(path, as('sue'))).json().editors, [])
    })

    test('a PUT of the object that a GET showed changes nothing that is hidden', async () => {
      for (const path of [`/books/${first}/`, `/books/${second}/`]) {
        const before = await get(path, 'sue')
        const json = await get(path, 'ann')
        const { client } = api()
        assert.deepEqual((await client.put(path, { ...as('ann'), json })).json(), json)
        assert.deepEqual(await get(path, 'sue'), before)
      }
    })

    test('null over a hidden object keeps it; another object replaces it; null over a visible one removes it', async () => {
      const path = `/books/${first}/`
      assert.equal((await patch('ann', path, { translator: null })).translator, null)
      assert.equal((await get(path, 'sue')).translator, secret)
      assert.equal((await patch('ann', path, { translator: open })).translator, open)
      assert.equal((await patch('ann', path, { translator: null })).translator, null)
      assert.equal((await get(path, 'sue')).translator, null)
    })

    test('ignoreRowFilter shows and takes the objects of this field whatever their row filter', async () => {
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
        translator: primaryKeyRelated({ to: authors, column: 'translator_id', nullable: true }),
        translator_name: text({ from: via('translator_id', authors, 'name') }),
      },
    })

    test('a related resource without a URL is filtered by its own permissions', async () => {
      const { client, stop } = await startApi({
        database: api().database,
        authentication: [userScheme],
        resources: [shelf, namedAuthors],
      })
      const shown = async (options?: object) => (await client.get(`/shelf/${first}/`, options)).json()
      assert.deepEqual(await shown(), { id: first, translator: null, translator_name: null })
      assert.deepEqual(await shown(as('sue')), { id: first, translator: secret, translator_name: 'secret Sam' })
      await stop()
    })

    test('a text from a table is null if any resource over this table hides the row', async () => {
      const writers = resource('writers', { table: 'authors', permissions: [], fields: { id: key(), name: text() } })
      const name = { id: key(), name: text({ from: via('translator_id', 'authors', 'name') }) }
      const start = (resources: readonly Resource[]) =>
        startApi({ database: api().database, authentication: [userScheme], resources })
      const named = resource('named', { table: 'books', actions: ['list', 'retrieve'], fields: name })
      for (const [resources, expected] of [
        [[named, writers, namedAuthors], null],
        [[named, namedAuthors, writers], null],
        [[named, writers], 'secret Sam'],
      ] as const) {
        const { client, stop } = await start(resources)
        assert.equal((await client.get(`/named/${first}/`)).json().name, expected)
        await stop()
      }
    })
  },
  { observe: text => statements.push(text) },
)
