// The declared body of a DELETE: in views, in `listMethods` and `objectMethods`, and for many objects.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  integer,
  jsonParser,
  jsonRenderer,
  key,
  list,
  listView,
  objectView,
  resource,
  rowFilter,
  text,
  view,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { onEachDatabase } from '../support/own-api.ts'

const fields = { id: key(), name: text({ max: 20 }) }
const reason = { reason: text({ max: 10 }), notify: integer({ default: 1 }) }

const own = resource('own', {
  table: 'tags',
  fields,
  permissions: [rowFilter(({ row }) => sql`${row.name} <> 'hidden'`)],
  objectMethods: ({ objectView }) =>
    objectView({
      handlers: {
        DELETE: { body: reason, handle: ({ body, given }) => ({ status: 200, body: { ...body, given } }) },
      },
    }),
  objectViews: {
    mark: objectView({
      body: { ignored: text() },
      handlers: {
        POST: () => ({ status: 204 }),
        DELETE: ({ body }) => ({ status: 200, body: { hasBody: body !== undefined } }),
      },
    }),
  },
  listMethods: listView({
    handlers: {
      DELETE: {
        body: { ids: list({ of: integer(), max: 3 }) },
        async handle({ body, database }) {
          await database.transaction(({ kysely }) => kysely.deleteFrom('tags').where('id', 'in', body.ids).execute())
          return { status: 204 }
        },
      },
    },
  }),
})
const many = resource('many', { table: 'tags', fields, bulk: { mode: 'atomic', max: 2, keysIn: 'ids' } })
const resources = [own, many] as const

onEachDatabase(
  () => ({
    resources,
    unknownFields: 'refuse',
    parsers: [jsonParser({ limit: 200 })],
    renderers: [jsonRenderer, browsable()],
    views: {
      '/items/': view({
        name: 'Items',
        handlers: {
          DELETE: { body: list({ of: integer() }), handle: ({ body }) => ({ status: 200, body: { body } }) },
        },
      }),
    },
  }),
  api => {
    let ids: readonly number[]
    beforeEach(async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
      ids = await api().insert('tags', [{ name: 'a' }, { name: 'b' }, { name: 'hidden' }])
    })
    const remove = async (url: string, options: object = {}) => {
      const { status, text } = await api().client.delete(url, options)
      return [status, text === '' ? undefined : JSON.parse(text)]
    }
    const names = async () => (await api().rows('tags')).map(({ name }) => name)

    test('a DELETE of an object reads its body with defaults, and refuses a wrong one', async () => {
      const url = `/own/${ids[0]}/`
      assert.deepEqual(await remove(url, { json: { reason: 'old' } }), [
        200,
        { reason: 'old', notify: 1, given: { reason: 'old' } },
      ])
      assert.deepEqual(await remove(url), [400, { reason: ['This field is required.'] }])
      assert.deepEqual(await remove(url, { json: { reason: 'old', nofity: 2 } }), [
        400,
        { nofity: ['There is no field "nofity". Did you mean "notify"?'] },
      ])
      assert.deepEqual((await remove(url, { json: [] }))[0], 400)
      assert.deepEqual((await remove(url, { body: 'x', headers: { 'content-type': 'text/plain' } }))[0], 415)
      assert.deepEqual((await remove(url, { json: { reason: 'x'.repeat(300) } }))[0], 413)
      assert.deepEqual((await remove(`/own/${ids[2]}/`, { json: { reason: 'x' } }))[0], 404)
    })

    test('a DELETE without a body of its own ignores what clients send', async () => {
      const url = `/own/${ids[0]}/mark/`
      const body = { body: 'x', headers: { 'content-type': 'text/plain' } }
      assert.deepEqual(await remove(url, body), [200, { hasBody: false }])
    })

    test('a list and a plain view have bodies too', async () => {
      assert.deepEqual(await remove('/own/', { json: { ids: ids.slice(0, 1) } }), [204, undefined])
      assert.deepEqual(await names(), ['b', 'hidden'])
      assert.equal((await remove('/own/', { json: { ids: [1, 2, 3, 4] } }))[0], 400)
      assert.deepEqual(await remove('/items/', { json: [1, 2] }), [200, { body: [1, 2] }])
      assert.deepEqual(await remove('/items/', { json: [1, 'x'] }), [400, { 1: ['A valid integer is required.'] }])
    })

    test('keysIn names the member with the keys of many objects', async () => {
      assert.equal((await remove('/many/', { json: { keys: [ids[0]] } }))[0], 400)
      assert.equal((await remove('/many/', { json: { ids } }))[0], 400)
      assert.equal((await remove('/many/', { json: { ids: ids[0] } }))[0], 400)
      assert.deepEqual(await remove('/many/', { json: { ids: ids.slice(0, 1) } }), [204, undefined])
      assert.deepEqual(await remove('/many/', { json: ids.slice(1, 2) }), [204, undefined])
      assert.deepEqual(await names(), ['hidden'])
    })

    test('the document, OPTIONS and the pages know the body', async () => {
      const { paths } = (await api().client.get('/openapi.json')).json()
      assert.match(JSON.stringify(paths['/own/{key}/'].delete.requestBody), /reason/)
      assert.match(JSON.stringify(paths['/many/'].delete.requestBody), /"ids"/)
      const { actions } = (await api().client.request('OPTIONS', `/own/${ids[0]}/`)).json()
      assert.deepEqual(Object.keys(actions.DELETE), ['reason', 'notify'])
      const page = await api().client.get(`/own/${ids[0]}/`, { headers: { accept: 'text/html' } })
      assert.match(page.text, /data-console="DELETE"/)
    })
  },
)

test('the client sends the body as an option', async () => {
  const sent: unknown[] = []
  const client = createClient<typeof resources>({
    baseUrl: 'http://localhost/',
    fetch: (async (url: string, init: RequestInit) => {
      sent.push([init.method, new URL(url).pathname, init.body])
      return new Response(null, { status: 204 })
    }) as typeof fetch,
  })
  await client.own(3).delete({ body: { reason: 'old' } })
  await client.own.delete({ body: { ids: [1] } })
  assert.deepEqual(sent, [
    ['DELETE', '/own/3/', '{"reason":"old"}'],
    ['DELETE', '/own/', '{"ids":[1]}'],
  ])
  const types = () => {
    // @ts-expect-error the body is required
    void client.own(3).delete()
    // @ts-expect-error there is no such field
    void client.own(3).delete({ body: { why: 'old' } })
  }
  assert.equal(typeof types, 'function')
})

test('a wrong keysIn is a declaration error', () => {
  const declare = (bulk: object) => () => resource('x', { table: 'x', fields: { id: key() }, bulk: bulk as never })
  assert.throws(declare({ mode: 'each', keysIn: '' }), {
    message: 'resource "x": bulk: keysIn must be the name of a member of the body, such as "ids"',
  })
  assert.throws(declare({ mode: 'each', actions: ['create'], keysIn: 'ids' }), {
    message: 'resource "x": bulk: keysIn is about the action "destroy": add it, or remove "keysIn"',
  })
})
