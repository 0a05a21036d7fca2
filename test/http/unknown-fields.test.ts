// Bodies with fields that do not exist: `unknownFields: 'refuse'` of an API, a resource and a view.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  browsable,
  createApi,
  file,
  folder,
  integer,
  jsonRenderer,
  key,
  list,
  listView,
  nested,
  object,
  objectView,
  readOnly,
  related,
  resource,
  text,
  view,
} from 'resource-api'
import { reference, table, tables } from 'resource-api/tables'
import { z } from 'zod'
import { onEachDatabase } from '../support/own-api.ts'

const store = folder('/tmp/resource-api-unknown-fields')
const orderTable = table('orders', {
  columns: {
    id: key(),
    note: text({ max: 50, nullable: true }),
    address: object({ fields: { city: text(), zip: text({ nullable: true }) }, nullable: true }),
    marks: list({ of: object({ fields: { x: integer() } }), default: [] }),
    scan: file({ store, nullable: true }),
    secret: text({ nullable: true }),
    made: text({ nullable: true }),
  },
})
const lineTable = table('lines', { columns: { id: key(), order: reference('orders'), product: text() } })
const schema = tables({ owner: 'shop', tables: [orderTable, lineTable] })

const lines = resource('lines', {
  table: lineTable,
  fields: { ...lineTable.pick('id', 'product'), order: related('orders') },
  unknownFields: 'ignore',
})
const orders = resource('orders', {
  table: orderTable,
  fields: {
    ...orderTable.pick('id', 'note', 'address', 'marks', 'scan'),
    made: readOnly(text({ nullable: true })),
    secret: text({ nullable: true, visible: ({ user }) => user.isStaff }),
    lines: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['id', 'product'], writable: true }),
  },
  bulk: 'atomic',
  objectViews: {
    rename: objectView({ body: { note: text() }, handlers: { POST: ({ body }) => ({ status: 200, body }) } }),
    loose: objectView({
      unknownFields: 'ignore',
      body: { note: text() },
      handlers: { POST: ({ body }) => ({ status: 200, body }) },
    }),
  },
  listViews: {
    route: listView({
      body: list({ of: object({ fields: { id: integer() } }) }),
      handlers: { POST: ({ body }) => ({ status: 200, body }) },
    }),
    schema: listView({
      body: z.object({ a: z.string() }),
      handlers: { POST: ({ body }) => ({ status: 200, body }) },
    }),
  },
})
const boxed = resource('boxed', {
  table: orderTable,
  fields: orderTable.pick('id', 'note'),
  envelope: { one: 'order' },
})
const me = resource('me', {
  table: orderTable,
  fields: orderTable.pick('id', 'note'),
  actions: ['retrieve', 'update'],
  singleton: async () => 1,
})

onEachDatabase(
  () => ({
    resources: [orders, lines, boxed, me],
    renderers: [jsonRenderer, browsable()],
    unknownFields: 'refuse',
    views: {
      '/plain/': view({
        name: 'Plain',
        body: { a: integer() },
        handlers: { POST: ({ body }) => ({ status: 200, body }), PATCH: ({ body }) => ({ status: 200, body }) },
      }),
    },
  }),
  api => {
    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        await kysely.deleteFrom('lines').execute()
        await kysely.deleteFrom('orders').execute()
      })
      await api().database.transaction(({ kysely }) =>
        kysely
          .insertInto('orders')
          .values({ id: 1, note: 'a', marks: '[]' } as never)
          .execute(),
      )
    })
    const send = async (method: string, url: string, options: object) => {
      const { status, text } = await api().client.request(method, url, options)
      return [status, text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text] as const
    }
    const no = (name: string, nearest?: string) => [
      `There is no field "${name}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`,
    ]

    test('a create, a PUT and a PATCH refuse unknown fields, beside the errors of the others', async () => {
      assert.deepEqual(await send('POST', '/orders/', { json: { noet: 'x', note: [] } }), [
        400,
        { noet: no('noet', 'note'), note: ['Not a valid string.'] },
      ])
      for (const method of ['PUT', 'PATCH'])
        assert.deepEqual(await send(method, '/orders/1/', { json: { noet: 'x' } }), [400, { noet: no('noet', 'note') }])
      assert.deepEqual(await send('PATCH', '/me/', { json: { xxxxxxxxx: 1 } }), [400, { xxxxxxxxx: no('xxxxxxxxx') }])
      assert.equal((await api().rows('orders'))[0]!.note, 'a')
    })

    test('a client may send back what a response shows', async () => {
      const shown = (await send('GET', '/orders/1/', {}))[1]
      assert.deepEqual((await send('PUT', '/orders/1/', { json: { ...shown, note: 'b' } }))[0], 200)
      assert.equal((await api().rows('orders'))[0]!.note, 'b')
    })

    test('objects, lists and children have the errors at their paths', async () => {
      const json = {
        address: { city: 'Wien', zpi: 1 },
        marks: [{ x: 1 }, { x: 2, y: 3 }],
        lines: [{ product: 'a' }, { product: 'b', prodct: 'c' }],
      }
      assert.deepEqual(await send('POST', '/orders/', { json }), [
        400,
        {
          address: { zpi: no('zpi', 'zip') },
          marks: { 1: { y: no('y', 'x') } },
          lines: [{}, { prodct: no('prodct', 'product') }],
        },
      ])
    })

    test('many objects have them at their items', async () => {
      assert.deepEqual(await send('POST', '/orders/', { json: [{}, { nope: 1 }] }), [
        400,
        [{}, { nope: no('nope', 'note') }],
      ])
      assert.deepEqual(await send('PATCH', '/orders/', { json: [{ id: 1, nope: 1 }] }), [
        400,
        [{ nope: no('nope', 'note') }],
      ])
      assert.equal((await send('PATCH', '/orders/', { json: [{ id: 1, note: 'x' }] }))[0], 200)
    })

    test('forms refuse them too, with files', async () => {
      const form = {
        note: 'x',
        'lines[0]product': 'a',
        'lines[0]prodct': 'b',
        'address.city': 'c',
        'address.x': 'd',
        foo: '1',
      }
      assert.deepEqual(await send('POST', '/orders/', { form }), [
        400,
        {
          foo: no('foo'),
          'lines[0]prodct': no('lines[0]prodct'),
          'address.x': no('address.x', 'address'),
        },
      ])
      const body = '--b\r\nContent-Disposition: form-data; name="sacn"; filename="a.txt"\r\n\r\nhello\r\n--b--\r\n'
      const headers = { 'content-type': 'multipart/form-data; boundary=b' }
      assert.deepEqual(await send('PATCH', '/orders/1/', { body, headers }), [400, { sacn: no('sacn', 'scan') }])
    })

    test('the forms of pages still work', async () => {
      const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
      const form = { note: 'paged', 'lines[0]product': 'a' }
      const [status] = await send('POST', '/orders/1/?_method=PATCH', { form, headers })
      assert.deepEqual([status, (await api().rows('orders'))[0]!.note], [303, 'paged'])
    })

    test('an envelope has one member, and views have their own fields', async () => {
      assert.deepEqual(await send('POST', '/boxed/', { json: { order: { note: 'x' }, extra: 1 } }), [
        400,
        { extra: no('extra') },
      ])
      assert.equal((await send('POST', '/boxed/', { json: { order: { note: 'x' } } }))[0], 201)
      assert.deepEqual(await send('POST', '/orders/1/rename/', { json: { note: 'x', b: 1 } }), [400, { b: no('b') }])
      assert.deepEqual(await send('POST', '/orders/1/loose/', { json: { note: 'x', b: 1 } }), [200, { note: 'x' }])
      assert.deepEqual(await send('POST', '/orders/route/', { json: [{ id: 1, b: 1 }] }), [400, { 0: { b: no('b') } }])
      assert.equal((await send('POST', '/orders/schema/', { json: { a: 'x', b: 1 } }))[0], 200)
      assert.deepEqual(await send('PATCH', '/plain/', { json: { b: 1 } }), [400, { b: no('b', 'a') }])
    })

    test('a resource may ignore them although its API refuses them', async () => {
      assert.equal((await send('POST', '/lines/', { json: { order: 1, product: 'x', foo: 1 } }))[0], 201)
    })

    test('hostile names are bounded', async () => {
      const names = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, 1]))
      const [status, errors] = await send('POST', '/orders/', { json: names })
      assert.deepEqual([status, Object.keys(errors).length], [400, 20])
      const body = `{"__proto__": {"note": "x"}, "constructor": 1, "${'n'.repeat(5000)}": 1}`
      const answer = await api().client.post('/orders/', { body, headers: { 'content-type': 'application/json' } })
      assert.equal(answer.status, 400)
      assert.ok(answer.text.length < 1000)
      assert.match(answer.text, /"__proto__":\["There is no field/)
    })

    test('the document says that there are no other fields', async () => {
      const { components } = (await send('GET', '/openapi.json', {}))[1]
      assert.equal(components.schemas.OrderCreate.additionalProperties, false)
      assert.equal(components.schemas.LineCreate.additionalProperties, undefined)
    })
  },
  { migrations: {}, owners: [schema] },
)

test('another value is a declaration error', () => {
  assert.throws(() => resource('x', { table: 'x', fields: { id: key() }, unknownFields: 'no' as never }), {
    message: `resource "x": unknownFields must be 'ignore' or 'refuse'`,
  })
  assert.throws(() => createApi({ unknownFields: true as never }), {
    message: `createApi(): unknownFields must be 'ignore' or 'refuse'`,
  })
})
