// All actions and views of a resource below parent objects, several levels deep: `/customers/1/orders/A%2F1/lines/7/`.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  type createApi,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  key,
  listView,
  type Migrations,
  nested,
  objectView,
  pageNumber,
  related,
  resource,
  rowFilter,
  text,
} from 'resource-api'
import type { RequestOptions } from '../support/client.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_orders'({ schema }, { key, reference, text }) {
    await schema
      .createTable('customers')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull().unique())
      .addColumn('customer_id', reference, column => column.references('customers.id'))
      .execute()
    for (const table of ['lines', 'remarks'])
      await schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
        .addColumn('quantity', sql`integer`)
        .addColumn('order_id', reference, column => column.notNull().references('orders.id'))
        .execute()
  },
}

/** Only staff see customers whose name ends with `(staff)`. */
const customers = resource('customers', {
  table: 'customers',
  fields: { id: key(), name: text() },
  permissions: [
    rowFilter(({ row, caller }) => sql`${row.name} not like '%(staff)' or cast(${caller.isStaff} as boolean)`),
  ],
})

const orders = resource('orders', {
  table: 'orders',
  lookup: 'number',
  fields: {
    url: hyperlinkedIdentity(),
    number: text({ unique: 'There is an order with this number.' }),
    customer: related(customers),
    remarks: nested({ of: 'remarks', many: { reverse: 'order_id' } }),
  },
  nestedUnder: [{ parent: customers, field: 'customer' }],
  expandableFields: ['customer'],
})

const ownLines = listView({
  body: { name: text({ default: 'none' }) },
  handlers: {
    GET: ({ parent }) => ({ status: 200, body: { parent: parent ?? null } }),
    POST: ({ parent, body }) => ({ status: 200, body: { parent: parent ?? null, ...body } }),
  },
})

const lines = resource('lines', {
  table: 'lines',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text(), order: related(orders, { by: 'number' }) },
  nestedUnder: [{ parent: orders, field: 'order' }],
  hookColumns: ['quantity'],
  pagination: pageNumber({ pageSize: 1 }),
  listMethods: { handlers: { DELETE: ({ parent }) => ({ status: 200, body: { parent: parent ?? null } }) } },
  listViews: { latest: ownLines },
  objectViews: {
    ship: objectView({
      body: { count: integer() },
      handlers: {
        async POST({ database, key, parent, body, represent }) {
          await database.transaction(({ kysely }) =>
            kysely.updateTable('lines').set({ quantity: body.count }).where('id', '=', key).execute(),
          )
          return { status: 200, body: { parent: parent ?? null, line: JSON.parse((await represent(key)).text) } }
        },
      },
    }),
  },
})

const remarks = resource('remarks', {
  table: 'remarks',
  fields: { url: hyperlinkedIdentity(), id: key(), name: text() },
  hookColumns: ['order_id', 'quantity'],
  nestedUnder: [{ parent: 'orders', column: 'order_id', only: true }],
})

const origin = 'http://localhost'

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [customers, orders, lines, remarks],
    renderers: [jsonRenderer, browsable()],
  }),
  api => {
    let [ada, bea, hidden]: number[] = []
    let [first, second, other, secret]: number[] = []
    let line: number
    const send = (method: string, url: string, json?: unknown, options: RequestOptions = asUser('ann')) =>
      api().client.request(method, url, { ...options, ...(json !== undefined && { json }) })
    const read = async (url: string, options?: RequestOptions) => (await send('GET', url, undefined, options)).json()
    const linesOf = (customer: unknown, order: string) => `/customers/${customer}/orders/${order}/lines/`

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['lines', 'remarks', 'orders', 'customers']) await kysely.deleteFrom(table).execute()
      })
      const names = ['Ada', 'Bea', 'Cid (staff)'].map(name => ({ name }))
      ;[ada, bea, hidden] = (await api().insert('customers', names)) as number[]
      const numbers = [
        { number: 'A/1', customer_id: ada },
        { number: 'A 2', customer_id: ada },
        { number: 'B1', customer_id: bea },
        { number: 'C1', customer_id: hidden },
      ]
      ;[first, second, other, secret] = (await api().insert('orders', numbers)) as number[]
      const ids = await api().insert(
        'lines',
        [first, first, other, secret].map(order_id => ({ name: 'x', order_id })),
      )
      line = ids[0]!
    })

    test('the tag of an object is the same at each of its URLs, and holds only where the object is', async () => {
      const paths = [`/lines/${line}/`, `/orders/A%2F1/lines/${line}/`, `${linesOf(ada, 'A%2F1')}${line}/`]
      const tags = await Promise.all(paths.map(async path => (await send('GET', path)).headers.etag))
      assert.equal(new Set(tags).size, 1)
      const ann = asUser('ann').headers
      const readIf = async (path: string) =>
        (await api().client.get(path, { headers: { ...ann, 'if-none-match': tags[0]! } })).status
      for (const path of [...paths, ...paths]) assert.equal(await readIf(path), 304, path)
      await api().database.transaction(({ kysely }) =>
        kysely.updateTable('lines').set({ order_id: second }).where('id', '=', line).execute(),
      )
      for (const path of paths.slice(1)) assert.equal(await readIf(path), 404, path)
      const changeIf = async (path: string, tag: string) =>
        (await api().client.patch(path, { json: { name: 'y' }, headers: { ...ann, 'if-match': tag } })).status
      assert.equal(await changeIf(paths[2]!, tags[0]!), 404)
      const moved = `/orders/A%202/lines/${line}/`
      assert.equal(await changeIf(moved, tags[0]!), 412)
      assert.equal(await changeIf(moved, (await send('GET', `/lines/${line}/`)).headers.etag!), 200)
    })

    test('every action of an object works below its parents, one or several levels deep', async () => {
      for (const below of ['/orders/A%2F1/lines/', linesOf(ada, 'A%2F1')]) {
        const path = `${below}${line}/`
        assert.deepEqual(await read(path), { url: `${origin}/lines/${line}/`, id: line, name: 'x', order: 'A/1' })
        assert.equal((await send('HEAD', path)).status, 200)
        assert.equal((await send('PATCH', path, { name: 'y' })).json().name, 'y')
        assert.equal((await send('PUT', path, { name: 'x' })).json().name, 'x')
        const created = await send('POST', below, { name: 'new' })
        assert.equal(created.status, 201, created.text)
        const { id, order } = created.json()
        assert.deepEqual([order, created.headers.location], ['A/1', `${origin}/lines/${id}/`])
        assert.equal((await send('DELETE', `${below}${id}/`)).status, 204)
        assert.equal((await send('GET', `/lines/${id}/`)).status, 404)
      }
    })

    test('a list below several parents has its own rows and its own links', async () => {
      const page = await read(linesOf(ada, 'A%2F1'))
      assert.deepEqual([page.count, page.results.length], [2, 1])
      assert.equal(page.next, `${origin}${linesOf(ada, 'A%2F1')}?page=2`)
      assert.equal((await read(linesOf(ada, 'A%202'))).count, 0)
    })

    test('a parent that is missing, hidden or of another parent is 404 for every method of every view', async () => {
      const requests = (list: string, id: unknown): readonly [method: string, path: string, json?: object][] => [
        ['GET', list],
        ['HEAD', list],
        ['POST', list, { name: 'n' }],
        ['DELETE', list],
        ['GET', `${list}latest/`],
        ['POST', `${list}latest/`, {}],
        ['GET', `${list}${id}/`],
        ['PUT', `${list}${id}/`, { name: 'n' }],
        ['PATCH', `${list}${id}/`, { name: 'n' }],
        ['DELETE', `${list}${id}/`],
        ['POST', `${list}${id}/ship/`, { count: 1 }],
      ]
      const before = await api().rows('lines')
      const secretLine = before.find(({ order_id }) => Number(order_id) === secret)!.id
      for (const list of [
        linesOf(bea, 'A%2F1'),
        linesOf(999_999, 'A%2F1'),
        linesOf('x', 'A%2F1'),
        linesOf(ada, 'missing'),
        linesOf('9'.repeat(30), 'A%2F1'),
        linesOf(ada, 'A'.repeat(300)),
        '/orders/missing/lines/',
      ])
        for (const [method, path, json] of requests(list, line))
          assert.equal((await send(method, path, json)).status, 404, `${method} ${path}`)
      for (const [method, path, json] of requests(linesOf(hidden, 'C1'), secretLine)) {
        assert.equal((await send(method, path, json)).status, 404, `${method} ${path}`)
      }
      assert.deepEqual(await api().rows('lines'), before)
      assert.equal((await send('GET', `${linesOf(hidden, 'C1')}${secretLine}/`, undefined, asUser('sue'))).status, 200)
    })

    test('an object of another parent is 404', async () => {
      for (const list of ['/orders/B1/lines/', linesOf(ada, 'A%202')])
        for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'])
          assert.equal((await send(method, `${list}${line}/`, { name: 'n' })).status, 404, `${method} ${list}`)
      assert.equal((await send('POST', `/orders/B1/lines/${line}/ship/`, { count: 1 })).status, 404)
      assert.equal((await send('GET', `/customers/${bea}/orders/A%2F1/`)).status, 404)
      assert.equal((await send('GET', `/customers/${ada}/orders/A%2F1/`)).status, 200)
    })

    test('the path sets the relation, so a body below the parent cannot move the object', async () => {
      const path = `/orders/A%2F1/lines/${line}/`
      for (const order of ['B1', 'missing', null, 7])
        assert.equal((await send('PATCH', path, { name: 'y', order })).json().order, 'A/1', String(order))
      assert.equal((await send('PATCH', `/lines/${line}/`, { order: 'A 2' })).json().order, 'A 2')
      assert.equal((await send('GET', path)).status, 404)
    })

    test('OPTIONS shows the relation as read-only below the parent, and no actions if the parent is missing', async () => {
      const readActions = async (path: string) => (await send('OPTIONS', path)).json().actions
      const list = linesOf(ada, 'A%2F1')
      assert.deepEqual(
        [(await readActions(list)).POST.order.read_only, (await readActions(`${list}${line}/`)).PUT.order.read_only],
        [true, true],
      )
      assert.equal((await readActions(`/lines/${line}/`)).PUT.order.read_only, false)
      for (const missing of [linesOf(bea, 'A%2F1'), `${linesOf(bea, 'A%2F1')}${line}/`, linesOf(hidden, 'C1')])
        assert.equal(await readActions(missing), undefined, missing)
    })

    test('views and methods of the list get the key of the nearest parent', async () => {
      assert.deepEqual(await read('/lines/latest/'), { parent: null })
      assert.deepEqual(await read('/orders/A%2F1/lines/latest/'), { parent: first })
      assert.deepEqual((await send('POST', `${linesOf(ada, 'A%202')}latest/`, { name: 'n' })).json(), {
        parent: second,
        name: 'n',
      })
      assert.deepEqual((await send('DELETE', linesOf(ada, 'A%202'))).json(), { parent: second })
      assert.deepEqual((await send('DELETE', '/lines/')).json(), { parent: null })
    })

    test('views of an object work below its parents', async () => {
      const shipped = await send('POST', `${linesOf(ada, 'A%2F1')}${line}/ship/`, { count: 3 })
      assert.deepEqual([shipped.status, shipped.json().parent, shipped.json().line.id], [200, first, line])
      const row = (await api().rows('lines')).find(({ id }) => Number(id) === line)!
      assert.equal(row.quantity, 3)
      assert.equal((await send('POST', `/lines/${line}/ship/`, { count: 1 })).json().parent, null)
    })

    test('with "only", a resource has URLs below its parents alone, and its links contain the parents', async () => {
      for (const list of ['/orders/A%2F1/remarks/', `/customers/${ada}/orders/A%2F1/remarks/`]) {
        const created = await send('POST', list, { name: 'Fragile' })
        const { id, url } = created.json()
        assert.equal(created.status, 201, created.text)
        assert.equal(created.headers.location, `${origin}${list}${id}/`)
        assert.equal(url, `${origin}/orders/A%2F1/remarks/${id}/`)
        assert.deepEqual(await read(new URL(url).pathname), { url, id, name: 'Fragile' })
        assert.deepEqual((await read('/orders/A%2F1/')).remarks, [{ url, id, name: 'Fragile' }])
        assert.equal((await send('GET', `/remarks/${id}/`)).status, 404)
        assert.equal((await send('GET', `/orders/B1/remarks/${id}/`)).status, 404)
        assert.equal((await send('DELETE', `${list}${id}/`)).status, 204)
      }
      assert.equal((await send('GET', '/remarks/')).status, 404)
      assert.deepEqual(Object.keys(await read('/')), ['customers', 'orders', 'lines'])
    })

    test('the page of a list links to the pages of its objects', async () => {
      const remark = (await send('POST', '/orders/A%2F1/remarks/', { name: 'Fragile' })).json().id
      for (const [list, object] of [
        ['/orders/A%2F1/remarks/', `/orders/A%2F1/remarks/${remark}/`],
        ['/orders/A%2F1/lines/', `/lines/${line}/`],
      ]) {
        const page = await send('GET', list!, undefined, { headers: { accept: 'text/html', 'x-user': 'ann' } })
        assert.ok(page.text.includes(`href="${object}"`), page.text)
      }
    })

    test('a URL below parents chooses fields and expands relations like any other', async () => {
      const { customer } = await read(`/customers/${ada}/orders/A%2F1/?expand=customer`)
      assert.deepEqual(customer, { id: ada, name: 'Ada' })
    })

    test('paths with empty, encoded or dotted segments are never read as another object', async () => {
      for (const path of [
        `/orders//lines/${line}/`,
        `/orders/A%2F1/lines//`,
        `/orders/A/1/lines/${line}/`,
        `/orders/A%252F1/lines/${line}/`,
        `/orders/%00/lines/${line}/`,
        `/orders/B1/lines/..%2F..%2FA%2F1/lines/${line}/`,
        `/orders/B1%2Flines%2F${line}/`,
      ])
        assert.equal((await send('GET', path)).status, 404, path)
    })
  },
  { migrations },
)

/** The message of the error at start. */
async function startError(options: Parameters<typeof createApi>[0]): Promise<string> {
  try {
    const { app, stop } = await startApi(options)
    await app.ready()
    await stop()
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

onEachDatabase(
  () => ({}),
  api => {
    const handlers = { GET: () => ({ status: 200 }) }

    test('two routes that match one URL are refused at start, and both are named', async () => {
      const { database } = api()
      const withLines = resource('orders', { ...orders, objectViews: { lines: { handlers } } })
      const resources = [
        customers,
        withLines,
        resource('lines', { ...lines, nestedUnder: [{ parent: 'orders', field: 'order' }] }),
        remarks,
      ]
      assert.equal(
        await startError({ database, resources }),
        'createApi(): the views "orders-lines" (/orders/:key/lines/) and "lines-list" (/orders/:orders_key/lines/) match the same URLs: rename a part of one of these paths',
      )
      const late = { name: 'Late', handlers: { GET: () => ({ status: 200, body: 'late' }) } }
      const open = { name: 'Open', handlers: { GET: () => ({ status: 200, body: 'open' }) } }
      assert.equal(
        await startError({ views: { '/:year/late/': late, '/:month/late/': open } }),
        'createApi(): the views "Late" (/:year/late/) and "Open" (/:month/late/) match the same URLs: rename a part of one of these paths',
      )
    })

    test('where two paths differ first, the fixed segment has priority, whatever the order and the method', async () => {
      const answer = (body: string) => ({ name: body, handlers: { GET: () => ({ status: 200, body }) } })
      const views = { '/:year/late/': answer('late'), '/open/:month/': answer('open'), '/:year/': answer('year') }
      for (const declared of [Object.entries(views), Object.entries(views).reverse()]) {
        const { client, stop } = await startApi({ root: null, views: Object.fromEntries(declared) })
        for (const [path, body] of [
          ['/open/late/', 'open'],
          ['/open/', 'year'],
          ['/2026/late/', 'late'],
        ] as const)
          assert.equal((await client.get(path)).json(), body, path)
        assert.equal((await client.request('DELETE', '/open/late/')).headers.allow, 'GET, HEAD, OPTIONS')
        await stop()
      }
    })

    test('a wrong "only" is refused', async () => {
      const { database } = api()
      assert.throws(
        () =>
          resource('remarks', {
            ...remarks,
            nestedUnder: [
              { parent: orders, column: 'order_id', only: true },
              { parent: customers, column: 'order_id' },
            ],
          }),
        {
          message:
            'resource "remarks": nestedUnder: "only" removes the URLs at the top level: set it for every parent, or for none',
        },
      )
      const self = resource('lines', {
        table: 'lines',
        fields: { id: key() },
        hookColumns: ['order_id'],
        nestedUnder: [{ parent: 'lines', column: 'order_id', only: true }],
      })
      assert.equal(
        await startError({ database, resources: [self] }),
        'resource "lines": nestedUnder: it has URLs only below itself: remove "only", or add another parent',
      )
      const linked = resource('notes', {
        table: 'lines',
        fields: { remark: related(remarks, { column: 'order_id', form: 'url' }) },
        actions: ['list'],
      })
      assert.equal(
        await startError({ database, resources: [customers, orders, remarks, linked] }),
        'createApi(): field "remark" of "notes" refers to "remarks" by URL, but its objects have URLs only below a parent: remove "only" from its "nestedUnder", or remove "form", "takes" and "shows"',
      )
    })
  },
  { migrations },
)
