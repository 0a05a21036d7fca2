// Relations, hyperlinks and nested routes between the APIs of one Fastify application, each below its own prefix.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  type ApiOptions,
  browsable,
  createApi,
  type Database,
  hyperlinkedIdentity,
  integerKey,
  jsonRenderer,
  key,
  listView,
  type Migrations,
  migrate,
  nested,
  openDatabase,
  type Permission,
  pageNumber,
  type Resource,
  readOnly,
  related,
  resource,
  text,
  via,
} from 'resource-api'
import { injectClient } from '../support/client.ts'
import { toReadableText } from '../support/html.ts'
import { asUser, userScheme } from '../support/own-api.ts'
import { createDatabase, createFile, type Storage } from '../support/service.ts'

const migrations: Migrations = {
  async '0001_shop'({ schema }, { key, reference, text }) {
    for (const table of ['regions', 'customers'])
      await schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
        .addColumn('region_id', reference)
        .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('origin', text)
      .addColumn('customer_id', reference, column => column.references('customers.id'))
      .execute()
    await schema
      .createTable('watchers')
      .addColumn('order_id', reference, column => column.notNull())
      .addColumn('customer_id', reference, column => column.notNull())
      .execute()
  },
}

/** The default permissions of the CRM: only staff can see rows whose name begins with `secret`. */
const hideSecrets: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('name')} not like 'secret%' or cast(${value('isStaff')} as boolean)`,
    values: ({ user }) => ({ isStaff: user.isStaff }),
  },
}

const regions = resource('regions', { table: 'regions', fields: { url: hyperlinkedIdentity(), name: text() } })

const customers = resource('customers', {
  table: 'customers',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    name: text(),
    region: related(regions, { nullable: true, form: 'url' }),
    // The two resources refer to each other, so one names the other by its properties.
    orders: related(
      { name: 'orders', table: 'orders', key: integerKey(), fields: {} },
      { many: { reverse: 'customer_id' }, form: 'url' },
    ),
  },
})

const customer = { column: 'customer_id', nullable: true } as const
const customerFields = ['url', 'name', 'region']

const orders = resource('orders', {
  table: 'orders',
  fields: {
    url: hyperlinkedIdentity(),
    title: text(),
    origin: text({ nullable: true }),
    customer: related(customers, { ...customer, form: 'url' }),
    customer_key: readOnly(related(customers, { ...customer })),
    customer_name: text({ source: via('customer_id', customers, 'name') }),
    customer_label: text({ source: via('customer_id', 'customers', 'name') }),
    customer_in_full: nested({ of: customers, column: 'customer_id', fields: customerFields }),
    watchers: related(customers, {
      many: { table: 'watchers', own: 'order_id', other: 'customer_id' },
      default: [],
      form: 'url',
    }),
  },
  nestedUnder: [{ parent: customers, column: 'customer_id' }],
  searchFields: ['customer'],
  filters: { customer: true },
  sparseFields: true,
  orderingFields: ['customer', 'title'],
  expandableFields: ['customer.region', 'customer_in_full.region', 'watchers'],
  listViews: {
    assign: listView({
      body: { to: related(customers, { column: 'to' }) },
      handlers: { POST: ({ body }) => ({ status: 200, body }) },
    }),
  },
})

const authentication = [userScheme]
const crm: ApiOptions = { authentication, permissions: [hideSecrets], resources: [customers, regions] }
const shop: ApiOptions = { authentication, resources: [orders], pagination: pageNumber({ pageSize: 10 }) }

type Mount = readonly [prefix: string, options: ApiOptions]

async function start(database: Database, mounts: readonly Mount[]) {
  const app = Fastify({ exposeHeadRoutes: false })
  for (const [prefix, options] of mounts) await app.register(createApi({ database, ...options }), { prefix })
  return { client: injectClient(app), ready: async () => void (await app.ready()), stop: () => app.close() }
}

const host = 'http://localhost'
const noMatch = ['Invalid hyperlink - No URL match.']
const incorrectMatch = ['Invalid hyperlink - Incorrect URL match.']
const doesNotExist = ['Invalid hyperlink - Object does not exist.']

for (const [dialect, createStorage] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const)
  suite(dialect, () => {
    let storage: Storage
    let database: Database
    const statements: string[] = []
    const ids = { north: 0, ada: 0, secret: 0, first: 0, second: 0 }

    before(async () => {
      storage = await createStorage()
      database = openDatabase(storage.url, { observe: statement => statements.push(statement) })
      await migrate(database, [{ owner: 'tests', steps: migrations }])
      await database.transaction(async ({ kysely }) => {
        const insert = async (table: string, values: object) => {
          const row = await kysely.insertInto(table).values(values).returning('id').executeTakeFirstOrThrow()
          return (row as { id: number }).id
        }
        ids.north = await insert('regions', { name: 'North' })
        ids.ada = await insert('customers', { name: 'Ada', region_id: ids.north })
        ids.secret = await insert('customers', { name: 'secret Sam' })
        ids.first = await insert('orders', { title: 'First', customer_id: ids.ada })
        ids.second = await insert('orders', { title: 'Second', customer_id: ids.secret })
        await kysely
          .insertInto('watchers')
          .values([ids.ada, ids.secret].map(id => ({ order_id: ids.first, customer_id: id })))
          .execute()
      })
    })
    after(async () => {
      await database?.close()
      await storage?.remove()
    })

    const mounts = [
      ['/shop', shop],
      ['/crm', crm],
    ] as const

    for (const [order, ordered] of [
      ['before', mounts],
      ['after', mounts.toReversed()],
    ] as const)
      suite(`an API registered ${order} the API to which its relations lead`, () => {
        let api: Awaited<ReturnType<typeof start>>
        before(async () => {
          api = await start(database, ordered)
        })
        after(() => api?.stop())

        const ada = () => `${host}/crm/customers/${ids.ada}/`
        const secret = () => `${host}/crm/customers/${ids.secret}/`
        const get = async (path: string, options?: object) => (await api.client.get(path, options)).json()
        const setCustomer = (value: unknown, options?: object) =>
          api.client.patch(`/shop/orders/${ids.first}/`, { json: { customer: value }, ...options })

        test('relations show the URL, key, text and object of a resource of the other API', async () => {
          const region = `${host}/crm/regions/${ids.north}/`
          assert.deepEqual(await get(`/shop/orders/${ids.first}/`), {
            url: `${host}/shop/orders/${ids.first}/`,
            title: 'First',
            origin: null,
            customer: ada(),
            customer_key: ids.ada,
            customer_name: 'Ada',
            customer_label: 'Ada',
            customer_in_full: { url: ada(), name: 'Ada', region },
            watchers: [ada()],
          })
          assert.deepEqual((await get(`/crm/customers/${ids.ada}/`)).orders, [`${host}/shop/orders/${ids.first}/`])
        })

        test('links have the host of the request', async () => {
          const headers = { host: 'api.localhost:8080' }
          for (const path of ['/shop/orders/', '/shop/orders/', `/shop/customers/${ids.ada}/orders/`]) {
            const { results } = await get(path, { headers })
            assert.equal(results[0].customer, `http://api.localhost:8080/crm/customers/${ids.ada}/`)
            assert.equal((await get(path)).results[0].customer, ada())
          }
        })

        test('the row filter of the other API hides rows, although only its default permissions have it', async () => {
          const path = `/shop/orders/${ids.second}/`
          const hidden = await get(path)
          assert.deepEqual(
            [
              hidden.customer,
              hidden.customer_key,
              hidden.customer_name,
              hidden.customer_label,
              hidden.customer_in_full,
            ],
            [null, null, null, null, null],
          )
          const shown = await get(path, asUser('sue'))
          assert.deepEqual(
            [shown.customer, shown.customer_key, shown.customer_name, shown.customer_label],
            [secret(), ids.secret, 'secret Sam', 'secret Sam'],
          )
          assert.equal(shown.customer_in_full.url, secret())
          assert.deepEqual((await get(`/shop/orders/${ids.first}/`, asUser('sue'))).watchers, [ada(), secret()])
        })

        test('hidden rows are neither filtered, searched nor ordered by', async () => {
          for (const [caller, count] of [
            ['ann', 0],
            ['sue', 1],
          ] as const) {
            const list = (query: string) => get(`/shop/orders/?${query}`, asUser(caller))
            assert.equal((await list(`customer=${secret()}`)).count, count)
            assert.equal((await list(`search=${ids.secret}`)).count, count)
          }
          const readTitles = async (caller: 'ann' | 'sue') => {
            const { results } = await get('/shop/orders/?ordering=-customer', asUser(caller))
            return results.map(({ title }: { title: string }) => title)
          }
          assert.deepEqual(await readTitles('ann'), ['Second', 'First'])
          assert.deepEqual((await get(`/shop/orders/?customer=/crm/customers/${ids.ada}/`)).count, 1)
          assert.deepEqual((await get(`/shop/orders/?customer=/shop/orders/${ids.ada}/`)).customer, noMatch)
        })

        test('expanded relations show the objects of the other API, as its own URLs do', async () => {
          for (const caller of ['ann', 'sue'] as const) {
            const find = async (path: string) => {
              const { status, text } = await api.client.get(path.replace(host, ''), asUser(caller))
              return status === 200 ? JSON.parse(text) : null
            }
            const expand = 'customer.region,customer_in_full.region,watchers'
            const { results } = await find(
              `/shop/orders/?expand=${expand}&fields=customer,customer_in_full.region,watchers`,
            )
            const region = await find(`/crm/regions/${ids.north}/`)
            const customer = await find(ada())
            const hidden = await find(secret())
            assert.equal(hidden === null, caller === 'ann')
            assert.deepEqual(results, [
              {
                customer: { ...customer, region },
                customer_in_full: { region },
                watchers: [customer, ...(hidden === null ? [] : [hidden])],
              },
              { customer: hidden, customer_in_full: hidden && { region: null }, watchers: [] },
            ])
          }
        })

        test('a list is one statement', async () => {
          await get('/shop/orders/?page=1&x=warm')
          statements.length = 0
          await get('/shop/orders/?page=1&x=cold', asUser('sue'))
          assert.deepEqual(statements.filter(statement => statement.includes('orders')).length, 1)
          assert.equal(statements.length, 1)
        })

        test('a body may contain the absolute URL or the path', async () => {
          for (const value of [ada(), `/crm/customers/${ids.ada}/`]) {
            const response = await setCustomer(value)
            assert.deepEqual([response.status, response.json().customer], [200, ada()])
          }
          const created = await api.client.post('/shop/orders/', {
            json: { title: 'New', origin: 'web', customer: ada(), watchers: [ada()] },
          })
          assert.equal(created.status, 201)
          const { origin, customer, watchers, url } = created.json()
          assert.deepEqual([origin, customer, watchers], ['web', ada(), [ada()]])
          assert.equal(created.headers.location, url)
          assert.equal((await api.client.delete(new URL(url).pathname)).status, 204)
        })

        test('a body may not contain a URL of another resource, prefix or host, or of a hidden object', async () => {
          for (const [value, errors] of [
            [`${host}/customers/${ids.ada}/`, noMatch],
            [`/shop/customers/${ids.ada}/`, noMatch],
            [`/shop/orders/${ids.first}/`, noMatch],
            [`/crm/customers/${ids.ada}/orders/`, noMatch],
            [`/crm/customers/${ids.ada}`, noMatch],
            [`/crmx/customers/${ids.ada}/`, noMatch],
            [`http://evil.example/crm/customers/${ids.ada}/`, noMatch],
            [`https://localhost/crm/customers/${ids.ada}/`, noMatch],
            [`//localhost/crm/customers/${ids.ada}/`, noMatch],
            ['customers/1/', noMatch],
            ['', noMatch],
            [`/crm/regions/${ids.north}/`, incorrectMatch],
            ['/crm/customers/', incorrectMatch],
            ['/crm/customers/999999/', doesNotExist],
            [secret(), doesNotExist],
            [ids.ada, ['Incorrect type. Expected URL string, received int.']],
          ] as const) {
            const response = await setCustomer(value)
            assert.deepEqual([response.status, response.json()], [400, { customer: errors }], String(value))
          }
          assert.equal((await setCustomer(secret(), asUser('sue'))).status, 200)
          assert.equal((await setCustomer(ada(), asUser('sue'))).status, 200)
        })

        test('the body of an extra view refers to the other API', async () => {
          const assign = (to: unknown, options?: object) =>
            api.client.post('/shop/orders/assign/', { json: { to }, ...options })
          assert.deepEqual((await assign(ids.ada)).json(), { to: ids.ada })
          assert.equal((await assign(ids.secret)).status, 400)
          assert.equal((await assign(ids.secret, asUser('sue'))).status, 200)
        })

        test('a relation to many keeps hidden objects', async () => {
          const path = `/shop/orders/${ids.first}/`
          assert.equal((await api.client.patch(path, { json: { watchers: [] } })).status, 200)
          assert.deepEqual((await get(path, asUser('sue'))).watchers, [secret()])
          await api.client.patch(path, { json: { watchers: [ada()] } })
          assert.deepEqual((await get(path, asUser('sue'))).watchers, [ada(), secret()])
        })

        test('a list nested under a parent of the other API is below the own prefix', async () => {
          const path = `/shop/customers/${ids.ada}/orders/`
          const { results } = await get(path)
          assert.deepEqual(
            results.map(({ title }: { title: string }) => title),
            ['First'],
          )
          const created = await api.client.post(path, { json: { title: 'Nested' } })
          assert.deepEqual([created.status, created.json().customer], [201, ada()])
          assert.match(created.headers.location!, /^http:\/\/localhost\/shop\/orders\/\d+\/$/)
          await api.client.delete(new URL(created.headers.location!).pathname)
          assert.equal((await api.client.get(`/shop/customers/${ids.secret}/orders/`)).status, 404)
          assert.equal((await api.client.get(`/shop/customers/${ids.secret}/orders/`, asUser('sue'))).status, 200)
          assert.equal((await api.client.get('/shop/customers/999999/orders/')).status, 404)
          assert.equal((await api.client.get(`/crm/customers/${ids.ada}/orders/`)).status, 404)
        })

        test('OPTIONS describes relations to the other API', async () => {
          const { actions } = (await api.client.request('OPTIONS', '/shop/orders/')).json()
          assert.deepEqual([actions.POST.customer.type, actions.POST.customer.required], ['url', false])
        })
      })

    const withPages: ApiOptions = { renderers: [jsonRenderer, browsable()] }

    test('the forms of pages offer the objects of the other API', async () => {
      for (const publicUrl of [undefined, 'https://api.example.org/base/']) {
        const options = { ...withPages, ...(publicUrl && { publicUrl }), allowedHosts: ['localhost'] }
        const { client, stop } = await start(
          database,
          mounts.map(([prefix, api]) => [prefix, { ...api, ...options }]),
        )
        const base = publicUrl?.slice(0, -1) ?? host
        for (const [name, found] of [
          ['ann', [[ids.ada, 'Ada']]],
          [
            'sue',
            [
              [ids.ada, 'Ada'],
              [ids.secret, 'secret Sam'],
            ],
          ],
        ] as const) {
          const headers = { ...asUser(name).headers, accept: 'text/html' }
          const expected = found.map(([id, shown]) => `<option value="${base}/crm/customers/${id}/" >${shown}</option>`)
          for (const [id, path] of [
            ['list-customer', '/shop/orders/'],
            ['post-customer', '/shop/orders/?new'],
          ] as const) {
            const page = toReadableText((await client.get(path, { headers })).text)
            assert.ok(page.includes(`${expected.join('')}</select>`) && page.includes(`id="${id}"`), page)
          }
        }
        await stop()
      }
    })

    test('links begin with the public URL of their API', async () => {
      const path = `/crm/customers/${ids.ada}/`
      for (const [shopUrl, crmUrl, expected] of [
        ['https://api.example.org/base/', 'https://api.example.org/base', 'https://api.example.org/base'],
        ['https://api.example.org/base', undefined, 'https://api.example.org/base'],
        [undefined, 'https://crm.example.org', 'https://crm.example.org'],
        ['https://shop.example.org', 'https://crm.example.org/', 'https://crm.example.org'],
      ] as const) {
        const { client, stop } = await start(database, [
          ['/shop/', { ...shop, ...(shopUrl && { publicUrl: shopUrl }) }],
          ['/crm/', { ...crm, ...(crmUrl && { publicUrl: crmUrl }) }],
        ])
        const order = `/shop/orders/${ids.first}/`
        assert.equal((await client.get(order)).json().customer, expected + path)
        const response = await client.patch(order, { json: { customer: expected + path } })
        assert.deepEqual([response.status, response.json().customer], [200, expected + path])
        assert.equal((await client.patch(order, { json: { customer: `http://localhost${path}` } })).status, 400)
        await stop()
      }
    })

    test('the prefix of one API may begin with the prefix of the other', async () => {
      for (const [shopPrefix, crmPrefix] of [
        ['/', '/crm/'],
        ['/shop', ''],
        ['/crm/shop', '/crm'],
      ] as const) {
        const { client, stop } = await start(database, [
          [shopPrefix, shop],
          [crmPrefix, crm],
        ])
        const url = `${host}${crmPrefix.replace(/\/$/, '')}/customers/${ids.ada}/`
        const order = `${shopPrefix.replace(/\/$/, '')}/orders/${ids.first}/`
        assert.equal((await client.get(order)).json().customer, url)
        assert.equal((await client.patch(order, { json: { customer: url } })).status, 200)
        const ownUrl = { customer: host + order }
        assert.deepEqual((await client.patch(order, { json: ownUrl })).json(), { customer: noMatch })
        await stop()
      }
    })

    test('APIs in nested plugins of the application find each other', async () => {
      const app = Fastify()
      app.register(
        async scope => {
          scope.register(createApi({ database, ...shop }), { prefix: '/shop' })
        },
        { prefix: '/v1' },
      )
      app.register(async scope => void scope.register(createApi({ database, ...crm }), { prefix: '/crm' }))
      const client = injectClient(app)
      const order = (await client.get(`/v1/shop/orders/${ids.first}/`)).json()
      assert.equal(order.customer, `${host}/crm/customers/${ids.ada}/`)
      await app.close()
    })

    test('a resource of several APIs belongs to the own API, or to the API that the relation names', async () => {
      const readCustomer = async (mounted: readonly Mount[], path: string) => {
        const { client, stop } = await start(database, mounted)
        const order = (await client.get(`${path}/orders/${ids.second}/`, asUser('ann'))).json()
        await stop()
        return order.customer
      }
      const open: ApiOptions = { authentication, resources: [customers, regions] }
      const whole: ApiOptions = { ...shop, resources: [orders, customers, regions] }
      const own = await readCustomer(
        [
          ['/shop', whole],
          ['/crm', crm],
        ],
        '/shop',
      )
      assert.equal(own, `${host}/shop/customers/${ids.secret}/`)

      const declareOrders = (api: string) =>
        resource('orders', {
          table: 'orders',
          actions: ['retrieve'],
          fields: { customer: related({ ...customers, api }, { ...customer, form: 'url' }) },
        })
      const name = (api: string) => ({ ...shop, resources: [declareOrders(api)] })
      const others: readonly Mount[] = [
        ['/crm', { ...crm, name: 'crm' }],
        ['/open', open],
      ]
      assert.equal(await readCustomer([['/shop', name('crm')], ...others], '/shop'), null)
      assert.equal(
        await readCustomer([['/shop', name('/open/')], ...others], '/shop'),
        `${host}/open/customers/${ids.secret}/`,
      )
    })

    test('a resource without URLs in a third API changes nothing', async () => {
      const unlisted = resource('customers', { table: 'customers', actions: [], fields: {} })
      const { client, stop } = await start(database, [['/stock', { resources: [unlisted] }], ...mounts])
      const order = (await client.get(`/shop/orders/${ids.first}/`)).json()
      assert.equal(order.customer, `${host}/crm/customers/${ids.ada}/`)
      await stop()
    })

    test('a resource without URLs in the own API decides which rows are visible there', async () => {
      const unlisted = resource('customers', { table: 'customers', actions: [], permissions: [], fields: {} })
      const keyed = resource('orders', {
        table: 'orders',
        actions: ['retrieve'],
        fields: { customer: related(customers, { ...customer }) },
      })
      const { client, stop } = await start(database, [['/shop', { ...shop, resources: [keyed, unlisted] }]])
      assert.equal((await client.get(`/shop/orders/${ids.second}/`)).json().customer, ids.secret)
      await stop()
    })

    test('a text from a resource of no API has the row filter of the permissions that the resource declares', async () => {
      const unmounted = resource('people', { table: 'customers', permissions: [hideSecrets], fields: { id: key() } })
      const named = resource('orders', {
        table: 'orders',
        actions: ['retrieve'],
        fields: { name: text({ source: via('customer_id', unmounted, 'name') }) },
      })
      const { client, stop } = await start(database, [['/shop', { ...shop, resources: [named] }]])
      const read = async (caller: 'ann' | 'sue') =>
        (await client.get(`/shop/orders/${ids.second}/`, asUser(caller))).json().name
      assert.deepEqual([await read('ann'), await read('sue')], [null, 'secret Sam'])
      await stop()
    })

    suite('mistakes', () => {
      const declare = (fields: Parameters<typeof resource>[1]['fields'], options: object = {}): ApiOptions => ({
        resources: [resource('orders', { table: 'orders', fields, ...options })],
      })
      const refuse = async (mounted: readonly Mount[], message: string) => {
        for (const inOrder of [mounted, mounted.toReversed()]) {
          const { ready, stop } = await start(database, inOrder)
          await assert.rejects(ready(), { message: `createApi(): ${message}` })
          await stop().catch(() => undefined)
        }
      }
      const relate = (to: Resource | (Resource & { api: string })) => ({
        customer: related(to, { ...customer, form: 'url' }),
      })
      const theField = 'field "customer" of "orders" refers to "customers"'
      const unrelated: Mount = ['/crm', { resources: [regions] }]
      const customersOnly = resource('customers', { table: 'customers', fields: { id: key(), name: text() } })
      const only: ApiOptions = { resources: [customersOnly] }

      test('a resource of no API', () =>
        refuse(
          [['/shop', declare(relate(customers))], unrelated],
          `${theField}: add it to "resources"; with "actions: []" it has no URL`,
        ))

      test('a resource of several other APIs', async () => {
        const viaCustomers = { customer: text({ source: via('customer_id', customersOnly, 'name') }) }
        for (const fields of [relate(customersOnly), viaCustomers])
          await refuse(
            [
              ['/shop', declare(fields)],
              ['/crm', only],
              ['/archive', { ...only, name: 'old' }],
            ],
            `${theField}, which several APIs have: name one of "/crm/", "old", as in { ...resource, api: "crm" }`,
          )
      })

      test('an API that does not exist, or does not have the resource', async () => {
        const to = { ...customersOnly, api: 'crm' }
        await refuse(
          [
            ['/shop', declare(relate(to))],
            ['/crm', only],
          ],
          `${theField} of the API "crm", which does not exist: write one of "/crm/", "/shop/"`,
        )
        await refuse(
          [
            ['/shop', declare(relate(to))],
            ['/other', only],
            ['/crm', { resources: [regions], name: 'crm' }],
          ],
          `${theField} of the API "crm", which has no such resource: add it to the "resources" of that API`,
        )
        await refuse(
          [
            ['/shop', declare(relate({ ...to, table: 'clients' }))],
            ['/crm', { ...only, name: 'crm' }],
          ],
          `${theField} of the API "crm", and the resource of this name in "resources" has the table "customers" and the key "id": use the same resource in both places`,
        )
      })

      test('an empty name', () =>
        assert.throws(() => createApi({ name: '' }), {
          message: 'createApi(): the name must not be empty: remove it, or give one such as "crm"',
        }))

      test('two APIs of one name', async () => {
        const named = (options: ApiOptions): ApiOptions => ({ ...options, name: 'crm' })
        await assert.rejects(
          start(database, [
            ['/a', named(only)],
            ['/b', named(unrelated[1])],
          ]),
          {
            message:
              'createApi(): there are two APIs named "crm": mount them at different prefixes, or set the option "name" of one',
          },
        )
      })

      test('a resource of the same name, but of another table', () =>
        refuse(
          [
            [
              '/shop',
              {
                resources: [
                  ...declare(relate(customersOnly)).resources!,
                  resource('customers', { table: 'regions', fields: {} }),
                ],
              },
            ],
            unrelated,
          ],
          `${theField}, and the resource of this name in "resources" has the table "regions" and the key "id": use the same resource in both places`,
        ))

      test('APIs with different databases, in every kind of relation', async () => {
        const other = openDatabase(storage.url)
        const fix =
          'of the API "/crm/", which has another database: give both APIs the same "database", or store the key in a field that is not a relation'
        const elsewhere: Mount = ['/crm', { ...only, database: other }]
        const many = { table: 'watchers', own: 'order_id', other: 'customer_id' }
        for (const field of [
          related(customersOnly, { ...customer, form: 'url' }),
          related(customersOnly, { ...customer }),
          related(customersOnly, { many, default: [] }),
          nested({ of: customersOnly, column: 'customer_id' }),
          text({ source: via('customer_id', customersOnly, 'name') }),
        ])
          await refuse([['/shop', declare({ customer: field })], elsewhere], `${theField} ${fix}`)
        const nesting = {
          nestedUnder: [{ parent: customersOnly, column: 'customer_id' }],
          hookColumns: ['customer_id'],
        }
        await refuse(
          [['/shop', declare({ id: key() }, nesting)], elsewhere],
          `"nestedUnder" of "orders" refers to "customers" ${fix}`,
        )
        const fields = { to: related(customersOnly, { column: 'to' }) }
        const listViews = { assign: listView({ body: fields, handlers: { POST: () => ({ status: 200 }) } }) }
        await refuse(
          [['/shop', declare({ id: key() }, { listViews })], elsewhere],
          `field "to" of view "assign" of "orders" refers to "customers" ${fix}`,
        )
        await other.close()
      })

      test('a parent of another API with the name of an own resource', () => {
        const own = resource('customers', { table: 'regions', fields: { id: key() } })
        const nesting = {
          nestedUnder: [{ parent: customersOnly, column: 'customer_id' }],
          hookColumns: ['customer_id'],
        }
        const { resources = [] } = declare({ id: key() }, nesting)
        return refuse(
          [
            ['/shop', { resources: [...resources, own] }],
            ['/crm', only],
          ],
          '"nestedUnder" of "orders" refers to "customers" of the API "/crm/", but this API has a resource of that name too, so the path "/customers/:key/" would mean both: rename one',
        )
      })
    })

    test('applications do not share their APIs', async () => {
      const first = await start(database, mounts)
      const second = await start(database, [['/shop', shop]])
      await first.ready()
      await assert.rejects(second.ready(), /refers to "customers": add it to "resources"/)
      await Promise.all([first.stop(), second.stop()])
    })
  })
