// A resource nested under another: `/authors/3/books/` lists and creates the books of one author.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import {
  authenticatedOrReadOnly,
  cursor,
  type Database,
  integer,
  key,
  limitOffset,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import type { Paginator } from 'resource-api/extend'
import type { RequestOptions } from '../support/client.ts'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const origin = 'http://localhost'

/** Only staff can see authors whose name ends with `(staff)`. */
const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  permissions: [
    {
      filter: {
        where: ({ column, value }) =>
          sql`${column('name')} not like '%(staff)' or cast(${value('isStaff')} as boolean)`,
        values: ({ user }) => ({ isStaff: user.isStaff }),
      },
    },
  ],
})

const hookValues = { subtitle: '', contact: '', genre: '', in_print: true }

/** Runs before a book is written. */
let beforeWrite: ((database: Database) => Promise<unknown>) | undefined

const books = (database: Database) =>
  resource('books', {
    table: 'books',
    permissions: [authenticatedOrReadOnly],
    fields: {
      id: key(),
      title: text(),
      pages: integer({ default: 1 }),
      author: related(authors),
    },
    hookColumns: ['subtitle', 'contact', 'genre', 'in_print'],
    nestedUnder: [{ parent: authors, column: 'author_id' }],
    async prepare() {
      await beforeWrite?.(database)
      return hookValues
    },
  })

const paged = (name: string, pagination: Paginator) =>
  resource(name, {
    table: 'books',
    fields: { id: key() },
    hookColumns: ['author_id'],
    actions: ['list'],
    nestedUnder: [{ parent: authors, column: 'author_id' }],
    pagination,
  })

/** No field shows the parent column, and a hook tries to set it. */
const drafts = resource('drafts', {
  table: 'books',
  fields: { id: key(), title: text() },
  hookColumns: ['subtitle', 'contact', 'genre', 'in_print', 'pages', 'author_id'],
  nestedUnder: [{ parent: authors, column: 'author_id' }],
  prepare: () => ({ ...hookValues, pages: 1, author_id: null }),
})

onEachDatabase(
  database => ({
    authentication: [userScheme],
    resources: [
      authors,
      books(database),
      paged('numbered', pageNumber({ pageSize: 2 })),
      paged('offset', limitOffset({ defaultLimit: 2 })),
      paged('by-cursor', cursor({ pageSize: 2, ordering: 'id', secret: 's'.repeat(32) })),
      drafts,
    ],
  }),
  api => {
    let [jane, mary, secret]: number[] = []
    let janesBooks: number[]
    const send = (method: string, url: string, options?: RequestOptions) => api().client.request(method, url, options)
    const ids = async (url: string, options?: RequestOptions) =>
      (await send('GET', url, options)).json().map(({ id }: { id: number }) => id)

    before(async () => {
      const names = ['Jane', 'Mary', 'X (staff)'].map(name => ({ name }))
      ;[jane, mary, secret] = (await api().insert('authors', names)) as number[]
      const rows = [jane, mary, jane, secret, jane, null].map(author_id => ({ ...bookRow, author_id }))
      const inserted = await api().insert('books', rows)
      janesBooks = [0, 2, 4].map(index => inserted[index]!)
    })

    test('lists the rows of one parent', async () => {
      assert.deepEqual(await ids(`/authors/${jane}/books/`), janesBooks)
      assert.equal((await ids(`/authors/${mary}/books/`)).length, 1)
      assert.equal((await ids('/books/')).length, 6)
    })

    test('a parent that does not exist, or that the caller cannot see, is 404 for every method', async () => {
      const json = { title: '' }
      for (const [method, parent, caller, status] of [
        ['GET', '999999', 'ann', 404],
        ['GET', '0', 'ann', 404],
        ['GET', 'x', 'ann', 404],
        ['GET', '9'.repeat(30), 'ann', 404],
        ['HEAD', '999999', 'ann', 404],
        ['POST', '999999', 'ann', 404],
        ['GET', secret, 'ann', 404],
        ['POST', secret, 'ann', 404],
        ['GET', secret, 'sue', 200],
        ['POST', secret, 'sue', 400],
        ['DELETE', '999999', 'ann', 405],
      ] as const) {
        const response = await send(method, `/authors/${parent}/books/`, { ...asUser(caller), json })
        assert.equal(response.status, status, `${method} ${parent}`)
      }
      assert.equal((await send('POST', '/authors/999999/books/')).status, 401)
      assert.equal(
        (await send('PUT', `/authors/${jane}/books/`, asUser('ann'))).headers.allow,
        'GET, POST, HEAD, OPTIONS',
      )
    })

    test('a create takes the parent from the URL instead of the body, and returns the URL in its own resource', async () => {
      for (const author of [undefined, mary, null, 'x', 999_999]) {
        const created = await send('POST', `/authors/${jane}/books/`, {
          ...asUser('ann'),
          json: { title: 'New', author },
        })
        assert.equal(created.status, 201, created.text)
        const { id, ...shown } = created.json()
        assert.deepEqual(shown, { title: 'New', pages: 1, author: jane })
        assert.equal(created.headers.location, `${origin}/books/${id}/`)
        assert.equal((await send('GET', created.headers.location!)).json().author, jane)
        assert.equal((await send('DELETE', `/books/${id}/`, asUser('ann'))).status, 204)
      }
      const invalid = await send('POST', `/authors/${jane}/books/`, {
        ...asUser('ann'),
        json: { title: '', author: 'x' },
      })
      assert.deepEqual([invalid.status, invalid.json()], [400, { title: ['This field may not be blank.'] }])
    })

    test('at the URL of the resource itself, the parent is an ordinary field', async () => {
      const post = (author: unknown) => send('POST', '/books/', { ...asUser('ann'), json: { title: 'New', author } })
      assert.deepEqual((await post(undefined)).json(), { author: ['This field is required.'] })
      assert.deepEqual((await post(secret)).json(), { author: [`Invalid pk "${secret}" - object does not exist.`] })
      assert.equal((await post(mary)).status, 201)
    })

    test('the URL also sets a parent column that no field shows, and overrides a hook', async () => {
      const { id } = (await send('POST', `/authors/${mary}/drafts/`, { json: { title: 'A' } })).json()
      const row = (await api().rows('books')).find(found => Number(found.id) === id)!
      assert.equal(Number(row.author_id), mary)
      assert.ok((await ids(`/authors/${mary}/drafts/`)).includes(id))
    })

    test('a parent that is deleted while its child is created is 404', async () => {
      const [author] = await api().insert('authors', [{ name: 'Gone' }])
      beforeWrite = ({ transaction }) => {
        beforeWrite = undefined
        return transaction(({ kysely }) => kysely.deleteFrom('authors').where('id', '=', author!).execute())
      }
      const response = await send('POST', `/authors/${author}/books/`, { ...asUser('ann'), json: { title: 'A' } })
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }])
    })

    test('END-LIST-r1, END-LIST-r2, END-LIST-r3: pages of a nested list have its own count and its own URL in links', async () => {
      for (const name of ['numbered', 'offset', 'by-cursor']) {
        const list = `${origin}/authors/${jane}/${name}/`
        const first = (await send('GET', `/authors/${jane}/${name}/?x=1`)).json()
        assert.equal(first.count, name === 'by-cursor' ? undefined : 3)
        assert.ok(first.next.startsWith(`${list}?x=1&`), first.next)
        const second = (await send('GET', first.next)).json()
        assert.ok(second.previous.startsWith(`${list}?x=1`), second.previous)
        const ids = [...first.results, ...second.results].map(({ id }) => id)
        assert.deepEqual([ids, second.next], [janesBooks, null])
        assert.deepEqual((await send('GET', second.previous)).json().results, first.results)
      }
      assert.equal((await send('GET', `/authors/${mary}/numbered/?page=9`)).status, 404)
    })

    test('OPTIONS describes the fields of the body if the parent exists', async () => {
      const readActions = async (parent: unknown) =>
        (await send('OPTIONS', `/authors/${parent}/books/`, asUser('ann'))).json().actions
      const { title, author } = (await readActions(jane)).POST
      assert.deepEqual([title.read_only, author.read_only, author.required], [false, true, false])
      for (const parent of [999_999, secret, 'x']) assert.equal(await readActions(parent), undefined)
      const unnestedAuthor = (await send('OPTIONS', '/books/', asUser('ann'))).json().actions.POST.author
      assert.deepEqual([unnestedAuthor.read_only, unnestedAuthor.required], [false, true])
      assert.equal(people.ann.isStaff, false)
    })

    test('a URL without its trailing slash redirects to the URL with it', async () => {
      const redirect = await send('GET', `/authors/${jane}/books?x=1`)
      assert.deepEqual([redirect.status, redirect.headers.location], [301, `/authors/${jane}/books/?x=1`])
    })
  },
)
