// Views below a resource's list and below its objects: what they are given, and what is refused before they run.

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  authenticated,
  boolean,
  choice,
  dateTime,
  integer,
  key,
  listView,
  objectView,
  type Permission,
  related,
  resource,
  staff,
  text,
  ValidationError,
} from 'resource-api'
import { multipartStream } from 'resource-api/extend'
import type { RowFilter } from '../../src/core/policy/permissions/row-filter.ts'
import type { RequestOptions } from '../support/client.ts'
import { authors, bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

class Lent extends APIException {
  static override status = 409
  static override message = 'The book is lent.'
  static override code = 'lent'
}

const calls: unknown[] = []

const ownRows: RowFilter = {
  where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
  values: ({ user }) => ({ caller: user.id }),
}
const novelsOnly: Permission = { columns: ['genre'], allowsObject: (_, { genre }) => genre === 'novel' }

const lend = objectView({
  description: 'Lends the book.',
  columns: ['title', 'in_print', 'published', 'owner_id'],
  permissions: [authenticated, novelsOnly],
  body: { days: integer({ min: 1, max: 30 }), note: text({ blank: true, default: '' }) },
  handlers: {
    async POST({ database, key: id, object, body, represent }) {
      const days: number = body.days
      calls.push({ id, object, body })
      if (object.title === 'Lent') throw new Lent()
      if (body.note === 'bad') throw new ValidationError({ note: 'Not this note.' })
      await database.transaction(({ kysely }) =>
        kysely.updateTable('books').set({ pages: days }).where('id', '=', id).execute(),
      )
      return { status: 200, body: await represent(id) }
    },
    GET: ({ object, body }) => ({ status: 200, body: { object, body } }),
    PATCH: ({ body }) => ({ status: 200, body }),
    DELETE: { permissions: [staff], handle: ({ body }) => ({ status: 200, body: { hasBody: body !== undefined } }) },
  },
})

const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text(),
    pages: integer(),
    in_print: boolean(),
    published: dateTime({ nullable: true }),
    genre: choice(['novel', 'poetry']),
    author: related(authors, { nullable: true }),
  },
  actions: ['list', 'retrieve', 'update', 'destroy'],
  listViews: {
    recent: listView({
      handlers: {
        async GET({ database, represent }) {
          const { rows } = await sql<{ id: number }>`select max(id) as id from books`.execute(database.kysely)
          return { status: 200, body: await represent(rows[0]!.id) }
        },
      },
    }),
    pick: listView({
      body: { author: related(authors), title: text({ max: 5 }) },
      handlers: {
        GET: ({ body }) => ({ status: 200, body: { hasBody: body !== undefined } }),
        POST: ({ body }) => ({ status: 200, body }),
      },
    }),
    upload: listView({
      parsers: [multipartStream()],
      handlers: {
        async POST({ requestBody, body }) {
          const names: string[] = []
          if (requestBody.kind === 'parts') for await (const part of requestBody.parts) names.push(part.name)
          return { status: 200, body: { names, body } }
        },
      },
    }),
    missing: listView({
      handlers: { GET: async ({ represent }) => ({ status: 200, body: await represent(999_999) }) },
    }),
  },
  objectViews: {
    lend,
    own: objectView({
      name: 'Own Book',
      permissions: [{ filter: ownRows }],
      handlers: {
        GET: ({ key: id }) => ({ status: 200, body: id }),
        POST: { permissions: [authenticated], handle: ({ key: id }) => ({ status: 200, body: id }) },
      },
    }),
    mine: objectView({
      handlers: {
        GET: ({ key: id }) => ({ status: 200, body: id }),
        POST: { permissions: [{ filter: ownRows }], handle: ({ key: id }) => ({ status: 200, body: id }) },
      },
    }),
  },
})

const published = '2024-02-29T12:00:00.250000Z'

onEachDatabase(
  () => ({ authentication: [userScheme], resources: [books, authors] }),
  api => {
    let [novel, lent, poetry, author]: number[] = []
    const ask = (method: string, url: string, options?: RequestOptions) => api().client.request(method, url, options)

    before(async () => {
      ;[novel, lent, poetry] = (await api().insert('books', [
        { ...bookRow, published, owner_id: people.ann.id },
        { ...bookRow, published, title: 'Lent', owner_id: people.bob.id },
        { ...bookRow, published, genre: 'poetry', owner_id: people.ann.id },
      ])) as [number, number, number]
      ;[author] = (await api().insert('authors', [{ name: 'Jane' }])) as [number]
    })
    beforeEach(() => {
      calls.length = 0
    })

    test('a view below an object is given the key, its columns and what the body says', async () => {
      const response = await ask('POST', `/books/${novel}/lend/`, { ...asUser('ann'), json: { days: '7' } })
      const shown = { id: novel, title: 'Emma', pages: 7, in_print: true, published, genre: 'novel', author: null }
      assert.deepEqual([response.status, response.json()], [200, shown])
      const object = { title: 'Emma', in_print: true, published, owner_id: people.ann.id }
      assert.deepEqual(calls, [{ id: novel, object, body: { days: 7, note: '' } }])
    })

    test('a method without a body has no values, whatever the view declares', async () => {
      const response = await ask('GET', `/books/${novel}/lend/`, asUser('ann'))
      assert.deepEqual([response.status, Object.keys(response.json())], [200, ['object']])
      assert.deepEqual((await ask('DELETE', `/books/${novel}/lend/`, asUser('sue'))).json(), { hasBody: false })
      assert.deepEqual((await ask('PATCH', `/books/${novel}/lend/`, { ...asUser('ann'), json: { days: 2 } })).json(), {
        days: 2,
      })
    })

    test('what is refused before the handler, in the order of the checks', async () => {
      const json = { days: 0 }
      for (const [method, path, options, status, body] of [
        ['POST', `${novel}`, {}, 401, { detail: 'Authentication credentials were not provided.' }],
        ['PUT', `${novel}`, {}, 401, { detail: 'Authentication credentials were not provided.' }],
        ['PUT', `${novel}`, asUser('ann'), 405, { detail: "Method 'PUT' not allowed." }],
        ['DELETE', `${novel}`, asUser('ann'), 403, { detail: 'You do not have permission to perform this action.' }],
        ['POST', '999999', { ...asUser('ann'), json }, 404, { detail: 'Not found.' }],
        ['POST', '0', { ...asUser('ann'), json }, 404, { detail: 'Not found.' }],
        ['POST', 'x', { ...asUser('ann'), json }, 404, { detail: 'Not found.' }],
        [
          'POST',
          `${poetry}`,
          { ...asUser('ann'), json },
          403,
          { detail: 'You do not have permission to perform this action.' },
        ],
        [
          'POST',
          `${novel}`,
          { ...asUser('ann'), json },
          400,
          { days: ['Ensure this value is greater than or equal to 1.'] },
        ],
        ['POST', `${novel}`, asUser('ann'), 400, { days: ['This field is required.'] }],
        [
          'POST',
          `${novel}`,
          { ...asUser('ann'), json: [] },
          400,
          { non_field_errors: ['Invalid data. Expected a dictionary, but got list.'] },
        ],
      ] as const) {
        const response = await ask(method, `/books/${path}/lend/`, options)
        assert.deepEqual([response.status, response.json()], [status, body], `${method} ${path}`)
      }
      assert.deepEqual(calls, [])
      const malformed = { headers: { 'x-user': 'ann', 'content-type': 'application/json' }, body: '{' }
      assert.equal((await ask('POST', '/books/999999/lend/', malformed)).status, 400)
    })

    test('ERR-EXC-p1: what a handler throws is answered as anywhere', async () => {
      const post = (id: number, json: object) => ask('POST', `/books/${id}/lend/`, { ...asUser('ann'), json })
      const refused = await post(lent!, { days: 1 })
      assert.deepEqual([refused.status, refused.json()], [409, { detail: 'The book is lent.' }])
      const invalid = await post(novel!, { days: 1, note: 'bad' })
      assert.deepEqual([invalid.status, invalid.json()], [400, { note: ['Not this note.'] }])
    })

    test('a view below a list shows objects of the resource', async () => {
      const recent = await ask('GET', '/books/recent/')
      assert.deepEqual(recent.json(), (await ask('GET', `/books/${poetry}/`)).json())
    })

    test('represent of an object that is gone is 404', async () => {
      const response = await ask('GET', '/books/missing/')
      assert.deepEqual([response.status, response.json()], [404, { detail: 'Not found.' }])
    })

    test('relations in the body of a view lead to objects that exist', async () => {
      const pick = (json: object) => ask('POST', '/books/pick/', { json })
      assert.deepEqual((await pick({ author, title: 'A' })).json(), { author, title: 'A' })
      assert.deepEqual((await pick({ author: 999_999, title: 'too long' })).json(), {
        author: ['Invalid pk "999999" - object does not exist.'],
        title: ['Ensure this field has no more than 5 characters.'],
      })
      assert.deepEqual((await ask('GET', '/books/pick/')).json(), { hasBody: false })
    })

    test('a view without fields leaves the body to its handler', async () => {
      const body = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
      const headers = { 'content-type': 'multipart/form-data; boundary=x' }
      assert.deepEqual((await ask('POST', '/books/upload/', { headers, body })).json(), { names: ['a'] })
    })

    test('a filter of the view, or of one of its methods, hides objects', async () => {
      for (const [method, path, ofAnn, ofBob] of [
        ['GET', 'own', 200, 404],
        ['POST', 'own', 200, 200],
        ['GET', 'mine', 200, 200],
        ['POST', 'mine', 200, 404],
      ] as const) {
        const statuses = [novel, lent].map(
          async id => (await ask(method, `/books/${id}/${path}/`, asUser('ann'))).status,
        )
        assert.deepEqual(await Promise.all(statuses), [ofAnn, ofBob], `${method} ${path}`)
      }
    })

    test('HEAD is as GET without a body; every answer says what is allowed', async () => {
      const head = await ask('HEAD', `/books/${novel}/lend/`, asUser('ann'))
      assert.deepEqual([head.status, head.text], [200, ''])
      assert.equal(head.headers.allow, 'POST, GET, PATCH, DELETE, HEAD, OPTIONS')
      assert.equal((await ask('HEAD', '/books/999999/lend/', asUser('ann'))).status, 404)
      assert.equal((await ask('HEAD', '/books/recent/')).status, 200)
      assert.equal((await ask('DELETE', '/books/recent/')).headers.allow, 'GET, HEAD, OPTIONS')
    })

    test('OPTIONS names a view after the resource and itself, and describes its body', async () => {
      const described = await ask('OPTIONS', `/books/${novel}/lend/`, asUser('ann'))
      const { name, description, actions } = described.json()
      assert.deepEqual([described.status, name, description], [200, 'Book Lend', 'Lends the book.'])
      const days = { type: 'integer', required: true, read_only: false, label: 'Days', min_value: 1, max_value: 30 }
      const note = { type: 'string', required: false, read_only: false, label: 'Note' }
      assert.deepEqual(actions, { POST: { days, note }, PATCH: { days: { ...days, required: false }, note } })
      assert.equal((await ask('OPTIONS', `/books/${novel}/own/`)).json().name, 'Own Book')
      for (const id of [poetry, 999_999, 0])
        assert.equal((await ask('OPTIONS', `/books/${id}/lend/`, asUser('ann'))).json().actions, undefined)
      assert.equal((await ask('OPTIONS', `/books/${novel}/lend/`)).status, 401)
    })

    test('a URL without its trailing slash leads to the one with it', async () => {
      const redirect = await ask('GET', `/books/${novel}/lend`)
      assert.deepEqual([redirect.status, redirect.headers.location], [301, `/books/${novel}/lend/`])
      assert.equal((await ask('GET', `/books/${novel}/nothing/`)).status, 404)
    })
  },
)
