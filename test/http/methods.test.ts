// Which methods the URLs of lists and objects have: `methods`, `objectMethods`, and the status of a create.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  Conflict,
  integer,
  jsonRenderer,
  key,
  objectView,
  type Permission,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import { onEachDatabase } from '../support/own-api.ts'
import { type Same, same } from '../support/same-types.ts'

const fields = { id: key(), name: text({ max: 20, unique: 'This name is taken.' }) }
const unlocked: Permission = { columns: ['name'], allowsObject: (_, { name }) => name !== 'locked' }

const patched = resource('patched', { table: 'tags', fields, methods: ['GET', 'POST', 'PATCH', 'DELETE'] })
const replaced = resource('replaced', { table: 'tags', fields, methods: ['GET', 'PUT'], bulk: 'atomic' })

const own = resource('own', {
  table: 'tags',
  fields,
  permissions: [unlocked, rowFilter(({ row }) => sql`${row.name} <> 'hidden'`)],
  objectMethods: ({ objectView }) =>
    objectView({
      columns: ['name'],
      body: { suffix: text({ max: 5 }), times: integer({ default: 1 }) },
      handlers: {
        PUT: {
          response: 'representation',
          handle: ({ object, body, update }) =>
            update({ name: `${object.name}${body.suffix.repeat(body.times ?? 1)}` }),
        },
        POST: { response: { key: integer() }, status: 202, handle: ({ key }) => ({ key }) },
        DELETE({ object }) {
          if (object.name === 'lent') throw new Conflict('It is lent.')
          return { status: 200, body: { removed: object.name } }
        },
      },
    }),
})

const shown = resource('shown', {
  table: 'tags',
  fields,
  actions: ['list', 'create'],
  objectMethods: { columns: ['name'], handlers: { GET: ({ object }) => ({ status: 200, body: { ...object } }) } },
})

const accepted = resource('accepted', {
  table: 'tags',
  fields,
  actions: ['create', 'retrieve'],
  bulk: 'atomic',
  perAction: { create: { status: 202 } },
})

const resources = [patched, replaced, own, shown, accepted] as const

onEachDatabase(
  () => ({ resources, renderers: [jsonRenderer, browsable()] }),
  api => {
    let id: number
    beforeEach(async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('tags').execute())
      ;[id] = (await api().insert('tags', [{ name: 'red' }])) as [number]
    })
    const names = async () => (await api().rows('tags')).map(({ name }) => name)
    const send = async (method: string, url: string, json?: unknown) => {
      const { status, headers, text } = await api().client.request(method, url, json === undefined ? {} : { json })
      return { status, headers, body: text === '' ? undefined : JSON.parse(text) }
    }
    const outcome = async (...request: Parameters<typeof send>) => {
      const { status, body } = await send(...request)
      return [status, body]
    }

    test('a resource has PATCH without PUT, and Allow and OPTIONS say so', async () => {
      const put = await send('PUT', `/patched/${id}/`, { name: 'blue' })
      assert.deepEqual([put.status, put.headers.allow], [405, 'GET, PATCH, DELETE, HEAD, OPTIONS'])
      assert.deepEqual(await outcome('PATCH', `/patched/${id}/`, { name: 'blue' }), [200, { id, name: 'blue' }])
      const { body } = await send('OPTIONS', `/patched/${id}/`)
      assert.deepEqual(Object.keys(body.actions), ['PATCH'])
      assert.equal((await send('POST', '/patched/', { name: 'green' })).status, 201)
    })

    test('a resource has PUT without PATCH, also for many objects, and neither POST nor DELETE', async () => {
      const patch = await send('PATCH', `/replaced/${id}/`, { name: 'blue' })
      assert.deepEqual([patch.status, patch.headers.allow], [405, 'GET, PUT, HEAD, OPTIONS'])
      const list = await send('PATCH', '/replaced/', [{ id, name: 'blue' }])
      assert.deepEqual([list.status, list.headers.allow], [405, 'GET, PUT, HEAD, OPTIONS'])
      assert.deepEqual(await outcome('PUT', '/replaced/', [{ id, name: 'blue' }]), [200, [{ id, name: 'blue' }]])
      assert.equal((await send('PUT', `/replaced/${id}/`, { name: 'black' })).status, 200)
      assert.deepEqual((await send('OPTIONS', '/replaced/')).body.bulk.actions, ['update'])
    })

    test('the document names the methods that exist', async () => {
      const { paths } = (await send('GET', '/openapi.json')).body
      const methodsOf = (path: string) =>
        Object.keys(paths[path])
          .filter(name => name !== 'parameters')
          .sort()
      assert.deepEqual(methodsOf('/patched/{key}/'), ['delete', 'get', 'patch'])
      assert.deepEqual(methodsOf('/replaced/'), ['get', 'put'])
      assert.deepEqual(methodsOf('/own/{key}/'), ['delete', 'get', 'patch', 'post', 'put'])
      const { put, post } = paths['/own/{key}/']
      assert.deepEqual(Object.keys(post.responses).slice(0, 1), ['202'])
      assert.match(JSON.stringify(put.requestBody), /suffix/)
      assert.deepEqual(Object.keys(paths['/accepted/'].post.responses).slice(0, 1), ['202'])
    })

    test('the pages send the method that exists', async () => {
      const read = async (url: string) => (await api().client.get(url, { headers: { accept: 'text/html' } })).text
      const [patch, put, object] = [
        await read(`/patched/${id}/`),
        await read(`/replaced/${id}/`),
        await read(`/own/${id}/`),
      ]
      assert.match(patch, /data-console="PATCH"/)
      assert.doesNotMatch(patch, /data-console="PUT"/)
      assert.match(put, /data-console="PUT"/)
      assert.doesNotMatch(put, /data-console="PATCH"/)
      for (const method of ['PATCH', 'PUT', 'POST', 'DELETE']) assert.ok(object.includes(`data-console="${method}"`))
      const form = { name: 'blue' }
      const changed = await api().client.post(`/replaced/${id}/?_method=PUT`, {
        form,
        headers: { accept: 'text/html', 'sec-fetch-site': 'same-origin' },
      })
      assert.deepEqual([changed.status, await names()], [303, ['blue']])
    })

    test('a handler replaces a method at the URL of an object, with its body and its response', async () => {
      const url = `/own/${id}/`
      assert.deepEqual(await outcome('PUT', url, { suffix: '!', times: 2 }), [200, { id, name: 'red!!' }])
      assert.deepEqual(await outcome('PUT', url, {}), [400, { suffix: ['This field is required.'] }])
      assert.deepEqual(await outcome('POST', url, { suffix: 'x' }), [202, { key: id }])
      assert.deepEqual(await outcome('PATCH', url, { name: 'blue' }), [200, { id, name: 'blue' }])
      assert.deepEqual(await outcome('DELETE', url), [200, { removed: 'blue' }])
      assert.deepEqual(await outcome('GET', url), [200, { id, name: 'blue' }])
      await send('PATCH', url, { name: 'lent' })
      assert.deepEqual(await outcome('DELETE', url), [409, { detail: 'It is lent.' }])
      assert.deepEqual(await names(), ['lent'])
      const { body } = await send('OPTIONS', url)
      assert.deepEqual(Object.keys(body.actions).sort(), ['POST', 'PUT'])
    })

    test('it finds its object with the permissions and row filters of the resource, before it reads the body', async () => {
      const [hidden, locked] = await api().insert('tags', [{ name: 'hidden' }, { name: 'locked' }])
      for (const method of ['PUT', 'POST', 'DELETE']) {
        assert.deepEqual((await outcome(method, `/own/${hidden}/`, { wrong: 1 }))[0], 404)
        assert.deepEqual((await outcome(method, `/own/${locked}/`, { wrong: 1 }))[0], 403)
        assert.deepEqual((await outcome(method, '/own/x/', { wrong: 1 }))[0], 404)
      }
      const wrongType = await api().client.put(`/own/${id}/`, { body: 'x', headers: { 'content-type': 'text/plain' } })
      assert.equal(wrongType.status, 415)
      assert.deepEqual(await names(), ['red', 'hidden', 'locked'])
    })

    test('an own GET shows what its handler returns, and the object has a URL', async () => {
      const created = await send('POST', '/shown/', { name: 'blue' })
      const url = new URL(created.headers.location!).pathname
      assert.deepEqual(await outcome('GET', url), [200, { name: 'blue' }])
      const { status, headers } = await send('DELETE', url)
      assert.deepEqual([status, headers.allow], [405, 'GET, HEAD, OPTIONS'])
    })

    test('a create has the declared status, also for many objects', async () => {
      const created = await send('POST', '/accepted/', { name: 'blue' })
      assert.equal(created.status, 202)
      assert.match(created.headers.location!, /\/accepted\/\d+\/$/)
      assert.equal((await send('POST', '/accepted/', [{ name: 'a' }, { name: 'b' }])).status, 202)
      assert.equal((await send('POST', '/accepted/', {})).status, 400)
      const minimal = await api().client.post('/accepted/', {
        json: { name: 'c' },
        headers: { prefer: 'return=minimal' },
      })
      assert.deepEqual([minimal.status, minimal.text], [202, ''])
    })
  },
)

test('the types of a client have these methods', () => {
  const client = createClient<typeof resources>({ baseUrl: 'http://localhost/', fetch: (() => undefined) as never })
  const types = () => {
    const object = client.own(3)
    same<Same<Awaited<ReturnType<typeof object.put>>, { readonly id: number; readonly name: string }>>()
    void object.put({ suffix: 'x' })
    // @ts-expect-error the body has a suffix
    void object.put({ name: 'x' })
    // @ts-expect-error objectMethods replaces the action
    void object.replace({ name: 'x' })
    void object.update({ name: 'x' })
    void object.delete()
    void client.patched(3).update({ name: 'x' })
    // @ts-expect-error there is no PUT
    void client.patched(3).replace({ name: 'x' })
    // @ts-expect-error there is no PATCH
    void client.replaced(3).update({ name: 'x' })
    // @ts-expect-error there is no POST
    void client.replaced.create({ name: 'x' })
    void client.shown(3).get()
  }
  assert.equal(typeof types, 'function')
})

test('contradictory methods are declaration errors', () => {
  const declare = (options: object) => () => resource('tags', { table: 'tags', fields: { id: key() }, ...options })
  const handlers = { PUT: () => ({ status: 204 }), DELETE: () => ({ status: 204 }) }
  for (const [options, message] of [
    [
      { methods: ['get'] },
      'methods: there is no method "get" of an action: the methods are GET, POST, PUT, PATCH, DELETE',
    ],
    [{ methods: 'GET' }, 'methods must be a list: write ["GET"]'],
    [
      { methods: ['GET'], actions: ['list', 'update'] },
      'methods: the action "update" has no method: add PUT or PATCH, or remove the action',
    ],
    [
      { methods: ['GET', 'DELETE'], actions: ['list'] },
      'methods: no action has the method DELETE: add one to "actions", or remove the method',
    ],
    [{ methods: ['PUT'], lists: { some: { rows: () => sql`true` } } }, 'methods: "lists" needs GET: add it'],
    [
      { actions: ['destroy'], objectMethods: { handlers } },
      'objectMethods: DELETE is the action "destroy": remove one of them',
    ],
    [
      { perAction: { destroy: { permissions: [] } }, objectMethods: { handlers } },
      'perAction.destroy has no effect, because "objectMethods" replaces the action: remove it',
    ],
    [
      { objectMethods: objectView({ permissions: [], handlers }) },
      'objectMethods: "permissions" has no effect here: write it for each method, or for the resource',
    ],
    [
      { listMethods: { throttles: [], handlers: { DELETE: handlers.DELETE } } },
      'listMethods: "throttles" has no effect here: write it for each method, or for the resource',
    ],
    [{ objectMethods: { handlers: {} } }, 'objectMethods has no handler: write handlers: { GET: … }'],
    [{ perAction: { update: { status: 200 } } }, 'perAction.update: "status" is an option of create: remove it'],
    [
      { perAction: { create: { status: 204 } } },
      'perAction.create: "status" must be 200, 201, 202 or 203, which have a body',
    ],
    [
      { perAction: { create: { status: 200 } }, actions: ['update', 'create'], singleton: () => 1 },
      'perAction.create: a PUT that creates is 201: remove "status"',
    ],
    [
      { methods: ['GET', 'PUT'], pages: { actions: { hide: { values: {} } } } },
      'pages.actions: each of them is a PATCH: add it to "methods"',
    ],
  ] as const)
    assert.throws(declare(options), { message: `resource "tags": ${message}` })
})
