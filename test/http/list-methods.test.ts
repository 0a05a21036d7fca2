// Further methods on a list URL (`listMethods`), and write-only fields without a column.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { integer, key, listView, objectView, openDatabase, resource, text, writeOnly } from 'resource-api'
import { defaultValues } from '../../src/core/fields/read-fields.ts'
import { onEachDatabase, startApi } from '../support/own-api.ts'

const preparedValues: unknown[] = []

const tags = resource('tags', {
  table: 'tags',
  fields: {
    id: key(),
    name: text({ max: 20 }),
    reason: writeOnly(text({ required: false }), { stored: false }),
  },
  prepare: ({ values }) => {
    preparedValues.push(values)
    return {}
  },
  listMethods: {
    handlers: {
      DELETE: async ({ database }) => {
        await database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
        return { status: 204 }
      },
    },
  },
})

const labels = resource('labels', {
  table: 'tags',
  actions: ['retrieve'],
  fields: { id: key(), name: text() },
  listMethods: listView({
    body: { text: text({ max: 5 }) },
    handlers: { POST: ({ body }) => ({ status: 200, body: { received: body.text } }) },
  }),
})

const bookFields = {
  summary: text({ nullable: true }),
  subtitle: text({ default: 'none' }),
  pages: integer({ default: 3 }),
}

/** Writes the columns that the body names. */
const shelves = resource('shelves', {
  table: 'books',
  title: 'Shelf of Books',
  actions: ['list', 'retrieve'],
  fields: { id: key(), title: text(), ...bookFields },
  listMethods: listView({
    body: bookFields,
    handlers: {
      async PUT({ database, body }) {
        if (Object.keys(body).length > 0)
          await database.transaction(({ kysely }) => kysely.updateTable('books').set(body).execute())
        return { status: 200, body }
      },
      POST: ({ body }) => ({ status: 200, body }),
    },
  }),
  objectViews: {
    reset: objectView({
      body: bookFields,
      handlers: { PUT: ({ body }) => ({ status: 200, body: { ...defaultValues(bookFields), ...body } }) },
    }),
  },
})

onEachDatabase(
  () => ({ resources: [tags, labels, shelves] }),
  api => {
    beforeEach(() => {
      preparedValues.length = 0
    })

    test('ERR-EXC-r7: listMethods adds methods to a list, and Allow lists them', async () => {
      const { client, rows } = api()
      await client.post('/tags/', { json: { name: 'a' } })
      const refused = await client.put('/tags/', { json: {} })
      assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, POST, DELETE, HEAD, OPTIONS'])
      const cleared = await client.delete('/tags/')
      assert.deepEqual([cleared.status, cleared.text], [204, ''])
      assert.deepEqual(await rows('tags'), [])
      assert.deepEqual((await client.get('/tags/')).json(), [])
    })

    test('a list method has its own fields, which OPTIONS describes and the request body is checked against', async () => {
      const { client } = api()
      const { actions } = (await client.request('OPTIONS', '/labels/')).json()
      assert.deepEqual(Object.keys(actions.POST), ['text'])
      assert.deepEqual((await client.post('/labels/', { json: { text: 'x' } })).json(), { received: 'x' })
      const refused = await client.post('/labels/', { json: {} })
      assert.deepEqual([refused.status, refused.json()], [400, { text: ['This field is required.'] }])
      assert.equal((await client.get('/labels/')).status, 405)
    })

    test('END-GAP-b1: a PUT handler receives only the fields in the body, so that omitted fields keep their values', async () => {
      const { client, insert, rows } = api()
      const before = { title: 'A', summary: 'novel', subtitle: 'B', pages: 9 }
      const [id] = await insert('books', [{ ...before, genre: '', isbn: '', contact: '', shelf: 'A1', in_print: true }])
      for (const [body, received] of [
        [{ json: { pages: 10 } }, { pages: 10 }],
        [{ form: { pages: '10' } }, { pages: 10 }],
        [{ json: {} }, {}],
        [{ json: { summary: null } }, { summary: null }],
      ] as const) {
        const response = await client.put('/shelves/', body)
        assert.deepEqual([response.status, response.json()], [200, received])
        const [row] = await rows('books')
        const { title, summary, subtitle, pages } = row!
        const isCleared = 'summary' in received
        assert.deepEqual(
          { title, summary, subtitle, pages },
          { ...before, pages: 10, summary: isCleared ? null : 'novel' },
        )
      }
      const reset = await client.put(`/shelves/${id}/reset/`, { json: { pages: 1 } })
      assert.deepEqual(reset.json(), { summary: null, subtitle: 'none', pages: 1 })
      const created = await client.post('/shelves/', { json: {} })
      assert.deepEqual(created.json(), { summary: null, subtitle: 'none', pages: 3 })
    })

    test('SVC-7: the views of a resource are named after its title', async () => {
      const [book] = await api().rows('books')
      for (const [path, name] of [
        ['/shelves/', 'Shelf of Books List'],
        [`/shelves/${book!.id}/`, 'Shelf of Books Instance'],
        [`/shelves/${book!.id}/reset/`, 'Shelf of Books Reset'],
        ['/tags/', 'Tag List'],
      ] as const)
        assert.equal((await api().client.request('OPTIONS', path)).json().name, name)
    })

    test('a write-only field without a column reaches the hooks', async () => {
      const { client } = api()
      const created = await client.post('/tags/', { json: { name: 'b', reason: 'why not' } })
      const { id } = created.json()
      assert.deepEqual(created.json(), { id, name: 'b' })
      const changed = await client.patch(`/tags/${id}/`, { json: { name: 'c' } })
      assert.deepEqual(changed.json(), { id, name: 'c' })
      assert.deepEqual(preparedValues, [{ name: 'b', reason: 'why not' }, { name: 'c' }])
    })
  },
)

test('SVC-7: the ids of views do not depend on the title', async () => {
  const ids: string[] = []
  const addresses = (title?: string) =>
    resource('addresses', {
      table: 'addresses',
      fields: { id: key(), city: text() },
      ...(title !== undefined && { title }),
      permissions: [{ allows: ({ view }) => ids.push(`${view.id} ${view.name}`) < 0 }],
      listViews: { 'by-city': { handlers: { GET: () => ({ status: 200 }) } } },
    })
  for (const title of [undefined, 'Place']) {
    const database = openDatabase('sqlite::memory:')
    await database.transaction(async ({ kysely }) => {
      const table = kysely.schema.createTable('addresses').addColumn('id', 'integer', column => column.primaryKey())
      await table.addColumn('city', 'text').execute()
    })
    const { client, stop } = await startApi({ database, resources: [addresses(title)] })
    for (const url of ['/addresses/', '/addresses/1/', '/addresses/by-city/'])
      assert.equal((await client.get(url)).status, 403)
    await stop()
    await database.close()
  }
  assert.deepEqual(
    ids,
    ['Address', 'Place'].flatMap(title => [
      `addresses-list ${title} List`,
      `addresses-detail ${title} Instance`,
      `addresses-by-city ${title} By City`,
    ]),
  )
  assert.throws(() => addresses(' '), { message: /the title must not be empty/ })
})

test('a list method that an action uses, or that is not an HTTP method, is a declaration error', () => {
  const declare = (method: string) => () =>
    resource('tags', {
      table: 'tags',
      fields: { id: key() },
      listMethods: { handlers: { [method]: () => ({ status: 204 }) } },
    })
  assert.throws(declare('POST'), {
    message: 'resource "tags": listMethods: POST is the action "create": remove one of them',
  })
  assert.throws(declare('delete'), {
    message: 'resource "tags": listMethods: "delete" is not an HTTP method; write it in upper case, such as GET',
  })
})
