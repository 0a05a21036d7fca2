// Lists and creates of a resource below another one's objects: `/authors/3/books/`.

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
  type Paginator,
  pageNumber,
  primaryKeyRelated,
  resource,
  text,
} from '../../src/framework/index.ts'
import type { RequestOptions } from '../support/client.ts'
import { bookRow } from '../support/library.ts'
import { as, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const origin = 'http://localhost'

/** An author whose name ends with `(staff)` exists for the staff alone. */
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

const rest = { subtitle: '', contact: '', genre: '', in_print: true }

/** Something that happens before a book is written. */
let meanwhile: ((database: Database) => Promise<unknown>) | undefined

const books = (database: Database) =>
  resource('books', {
    table: 'books',
    permissions: [authenticatedOrReadOnly],
    fields: {
      id: key(),
      title: text(),
      pages: integer({ default: 1 }),
      author: primaryKeyRelated({ to: authors, column: 'author_id' }),
    },
    hookColumns: ['subtitle', 'contact', 'genre', 'in_print'],
    nestedUnder: [{ parent: authors, column: 'author_id' }],
    async prepare() {
      await meanwhile?.(database)
      return rest
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

/** No field shows the column, and a hook tries to set it. */
const drafts = resource('drafts', {
  table: 'books',
  fields: { id: key(), title: text() },
  hookColumns: ['subtitle', 'contact', 'genre', 'in_print', 'pages', 'author_id'],
  nestedUnder: [{ parent: authors, column: 'author_id' }],
  prepare: () => ({ ...rest, pages: 1, author_id: null }),
})

onEachDatabase(
  database => ({
    authentication: [userScheme],
    resources: [
      authors,
      books(database),
      paged('numbered', pageNumber({ pageSize: 2 })),
      paged('offset', limitOffset({ defaultLimit: 2 })),
      paged('walked', cursor({ pageSize: 2, ordering: 'id', secret: 's'.repeat(32) })),
      drafts,
    ],
  }),
  api => {
    let [jane, mary, secret]: number[] = []
    let ofJane: number[]
    const ask = (method: string, url: string, options?: RequestOptions) => api().client.request(method, url, options)
    const ids = async (url: string, options?: RequestOptions) =>
      (await ask('GET', url, options)).json().map(({ id }: { id: number }) => id)

    before(async () => {
      const names = ['Jane', 'Mary', 'X (staff)'].map(name => ({ name }))
      ;[jane, mary, secret] = (await api().insert('authors', names)) as number[]
      const rows = [jane, mary, jane, secret, jane, null].map(author_id => ({ ...bookRow, author_id }))
      const inserted = await api().insert('books', rows)
      ofJane = [0, 2, 4].map(index => inserted[index]!)
    })

    test('lists the rows of one parent', async () => {
      assert.deepEqual(await ids(`/authors/${jane}/books/`), ofJane)
      assert.equal((await ids(`/authors/${mary}/books/`)).length, 1)
      assert.equal((await ids('/books/')).length, 6)
    })

    test('a parent that does not exist, or not for this caller, is 404 for every method', async () => {
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
        const response = await ask(method, `/authors/${parent}/books/`, { ...as(caller), json })
        assert.equal(response.status, status, `${method} ${parent}`)
      }
      assert.equal((await ask('POST', '/authors/999999/books/')).status, 401)
      assert.equal((await ask('PUT', `/authors/${jane}/books/`, as('ann'))).headers.allow, 'GET, POST, HEAD, OPTIONS')
    })

    test('a create has the parent of its URL, whatever the body says, and the URL of its own resource', async () => {
      for (const author of [undefined, mary, null, 'x', 999_999]) {
        const created = await ask('POST', `/authors/${jane}/books/`, { ...as('ann'), json: { title: 'New', author } })
        assert.equal(created.status, 201, created.text)
        const { id, ...shown } = created.json()
        assert.deepEqual(shown, { title: 'New', pages: 1, author: jane })
        assert.equal(created.headers.location, `${origin}/books/${id}/`)
        assert.equal((await ask('GET', created.headers.location!)).json().author, jane)
        assert.equal((await ask('DELETE', `/books/${id}/`, as('ann'))).status, 204)
      }
      const invalid = await ask('POST', `/authors/${jane}/books/`, { ...as('ann'), json: { title: '', author: 'x' } })
      assert.deepEqual([invalid.status, invalid.json()], [400, { title: ['This field may not be blank.'] }])
    })

    test('outside, the parent is a field like any other', async () => {
      const post = (author: unknown) => ask('POST', '/books/', { ...as('ann'), json: { title: 'New', author } })
      assert.deepEqual((await post(undefined)).json(), { author: ['This field is required.'] })
      assert.deepEqual((await post(secret)).json(), { author: [`Invalid pk "${secret}" - object does not exist.`] })
      assert.equal((await post(mary)).status, 201)
    })

    test('a column that no field shows is set by the URL too, over what a hook says', async () => {
      const { id } = (await ask('POST', `/authors/${mary}/drafts/`, { json: { title: 'A' } })).json()
      const row = (await api().rows('books')).find(found => Number(found.id) === id)!
      assert.equal(Number(row.author_id), mary)
      assert.ok((await ids(`/authors/${mary}/drafts/`)).includes(id))
    })

    test('a parent that goes while its child is made is 404', async () => {
      const [gone] = await api().insert('authors', [{ name: 'Gone' }])
      meanwhile = ({ transaction }) => {
        meanwhile = undefined
        return transaction(({ kysely }) => kysely.deleteFrom('authors').where('id', '=', gone!).execute())
      }
      const response = await ask('POST', `/authors/${gone}/books/`, { ...as('ann'), json: { title: 'A' } })
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }])
    })

    test('END-LIST-r1, END-LIST-r2, END-LIST-r3: pages of a nested list count and link its own URL', async () => {
      for (const name of ['numbered', 'offset', 'walked']) {
        const list = `${origin}/authors/${jane}/${name}/`
        const first = (await ask('GET', `/authors/${jane}/${name}/?x=1`)).json()
        assert.equal(first.count, name === 'walked' ? undefined : 3)
        assert.ok(first.next.startsWith(`${list}?x=1&`), first.next)
        const second = (await ask('GET', first.next)).json()
        assert.ok(second.previous.startsWith(`${list}?x=1`), second.previous)
        const shown = [...first.results, ...second.results].map(({ id }) => id)
        assert.deepEqual([shown, second.next], [ofJane, null])
        assert.deepEqual((await ask('GET', second.previous)).json().results, first.results)
      }
      assert.equal((await ask('GET', `/authors/${mary}/numbered/?page=9`)).status, 404)
    })

    test('OPTIONS describes what the body may say, where the parent exists', async () => {
      const describe = async (parent: unknown) =>
        (await ask('OPTIONS', `/authors/${parent}/books/`, as('ann'))).json().actions
      const { title, author } = (await describe(jane)).POST
      assert.deepEqual([title.read_only, author.read_only, author.required], [false, true, false])
      for (const parent of [999_999, secret, 'x']) assert.equal(await describe(parent), undefined)
      const whole = (await ask('OPTIONS', '/books/', as('ann'))).json().actions.POST.author
      assert.deepEqual([whole.read_only, whole.required], [false, true])
      assert.equal(people.ann.isStaff, false)
    })

    test('a URL without its trailing slash leads to the one with it', async () => {
      const redirect = await ask('GET', `/authors/${jane}/books?x=1`)
      assert.deepEqual([redirect.status, redirect.headers.location], [301, `/authors/${jane}/books/?x=1`])
    })
  },
)
