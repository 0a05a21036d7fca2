// Resources whose keys are UUIDs and texts, wherever a key is read or shown.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  cursor,
  hyperlinkedIdentity,
  key,
  type Migrations,
  nested,
  objectView,
  pageNumber,
  readOnly,
  related,
  resource,
  text,
  textKey,
  uuidKey,
} from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_shop'(kysely, { text, uuid, key }) {
    await kysely.schema
      .createTable('countries')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .execute()
    await kysely.schema
      .createTable('customers')
      .addColumn('id', uuid, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .addColumn('country_code', text, column => column.references('countries.code').onUpdate('cascade'))
      .execute()
    await kysely.schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull())
      .addColumn('customer_id', uuid, column => column.notNull().references('customers.id'))
      .execute()
    for (const [table, type, target] of [['customer_countries', text, 'countries.code']] as const)
      await kysely.schema
        .createTable(table)
        .addColumn('customer_id', uuid, column => column.notNull().references('customers.id').onDelete('cascade'))
        .addColumn('other', type, column => column.notNull().references(target))
        .execute()
  },
}

const written: unknown[] = []

const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code' }),
  fields: { url: hyperlinkedIdentity(), code: key(), name: text({ max: 80 }) },
  filters: { code: true },
  orderingFields: ['code', 'name'],
})

const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    name: text({ max: 80 }),
    country: related(countries, { column: 'country_code', nullable: true }),
    countryUrl: readOnly(related(countries, { column: 'country_code', form: 'url', nullable: true })),
    visited: related(countries, {
      many: { table: 'customer_countries', own: 'customer_id', other: 'other' },
      default: [],
    }),
    orders: related('orders', { many: { reverse: 'customer_id' } }),
  },
  filters: { id: true, country: true },
  orderingFields: ['name', 'id'],
  objectViews: {
    greet: objectView({
      columns: ['name'],
      handlers: {
        GET: ({ key, object }) => ({ status: 200, body: { key, name: object.name } }),
        POST: async ({ key, represent }) => ({ status: 200, body: await represent(key) }),
      },
    }),
  },
  afterSave: ({ action, before, key }) => void written.push([action, before?.name, key]),
  beforeDestroy: ({ key }) => void written.push(['destroy', key]),
})

const orders = resource('orders', {
  table: 'orders',
  ordering: ['customer'],
  fields: {
    id: key(),
    number: text({ fixed: true }),
    customer: related(customers, { form: 'url' }),
    customer_object: nested({ of: customers, column: 'customer_id', fields: ['id', 'name', 'country'] }),
  },
  nestedUnder: [{ parent: customers, column: 'customer_id' }],
})

const unknown = '01900000-0000-7000-8000-000000000000'
const malformed = [
  '1',
  'a',
  '0',
  unknown.toUpperCase(),
  `{${unknown}}`,
  `${unknown}x`,
  '%00',
  '%FF',
  '..%2F',
  'é',
  'x'.repeat(10_000),
]

/** Text keys that a URL contains encoded. */
const texts = [
  'AT',
  'a/b',
  'a%2Fb',
  'a b',
  '…',
  'Österreich',
  '日本',
  '🏔',
  "it's",
  '?#&=+',
  '...',
  '%',
  '\\',
  '"',
  '{}',
  'a\nb',
]

onEachDatabase(
  () => ({ resources: [countries, customers, orders], pageSize: 2, pagination: pageNumber() }),
  api => {
    const send = async (method: string, url: string, json?: unknown) => {
      const { status, text, headers } = await api().client.request(method, url, json === undefined ? {} : { json })
      return { status, location: headers.location, body: text === '' ? undefined : JSON.parse(text) }
    }
    const list = async (url: string) => (await send('GET', url)).body.results
    const createCountry = (code: string) => send('POST', '/countries/', { code, name: 'A country' })
    const createCustomer = async (values: object = {}) => {
      const { status, body } = await send('POST', '/customers/', { name: 'Ada', ...values })
      assert.equal(status, 201, JSON.stringify(body))
      return body
    }

    beforeEach(async () => {
      written.length = 0
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['orders', 'customer_countries', 'customers', 'countries'])
          await kysely.deleteFrom(table).execute()
      })
    })

    test('the service makes a UUID of version 7 for each new object, in the order of creation', async () => {
      const created = [await createCustomer(), await createCustomer({ name: 'Bob' })]
      const [first, second] = created.map(({ id }) => id)
      assert.match(first, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
      assert.notEqual(first, second)
      assert.deepEqual(written, [
        ['create', undefined, first],
        ['create', undefined, second],
      ])
      const { body } = await send('GET', `/customers/${first}/`)
      assert.deepEqual(body, created[0])
      assert.equal(body.url, `http://localhost/customers/${first}/`)
    })

    test('an object with a UUID is changed, viewed and deleted by its URL', async () => {
      const { id, url } = await createCustomer()
      assert.equal((await send('PATCH', `/customers/${id}/`, { name: 'Eva' })).body.name, 'Eva')
      assert.equal((await send('PUT', `/customers/${id}/`, { name: 'Zoe' })).body.id, id)
      assert.deepEqual((await send('GET', `/customers/${id}/greet/`)).body, { key: id, name: 'Zoe' })
      assert.equal((await send('POST', `/customers/${id}/greet/`, {})).body.url, url)
      assert.equal((await send('DELETE', `/customers/${id}/`)).status, 204)
      assert.equal((await send('GET', `/customers/${id}/`)).status, 404)
      assert.deepEqual(written.slice(1), [
        ['update', 'Ada', id],
        ['update', 'Eva', id],
        ['destroy', id],
      ])
    })

    test('a malformed UUID in a path is 404 for every method and view', async () => {
      for (const text of [unknown, ...malformed])
        for (const [method, path] of [
          ['GET', ''],
          ['PUT', ''],
          ['PATCH', ''],
          ['DELETE', ''],
          ['GET', 'greet/'],
          ['POST', 'greet/'],
          ['GET', 'orders/'],
          ['POST', 'orders/'],
        ] as const) {
          const { status } = await api().client.request(method, `/customers/${text}/${path}`, {
            json: { name: 'x', number: '1' },
          })
          assert.ok(status === 404 || (text === '%FF' && status === 400), `${method} ${text}/${path}: ${status}`)
        }
    })

    test('a malformed UUID in a body or a filter is 400, and any spelling of a UUID is accepted', async () => {
      const { id } = await createCustomer()
      for (const text of malformed.filter(value => !value.includes(unknown.toUpperCase()) && !value.startsWith('{'))) {
        const { status } = await send('GET', `/customers/?id=${text}`)
        assert.equal(status, 400, text)
      }
      assert.equal((await list(`/customers/?id=${id.toUpperCase()}`)).length, 1)
      assert.equal((await list(`/customers/?id=${id.replaceAll('-', '')}`)).length, 1)
      assert.equal((await list(`/customers/?id=${unknown}`)).length, 0)
      for (const customer of [
        1,
        true,
        null,
        [],
        {},
        'x',
        `http://localhost/customers/${id.toUpperCase()}/`,
        `/customers/${unknown}/`,
      ]) {
        const { status, body } = await send('POST', '/orders/', { number: '1', customer })
        assert.equal(status, 400)
        assert.deepEqual(Object.keys(body), ['customer'])
      }
    })

    test('objects refer to objects with UUIDs and texts: by key, by URL, nested, through join tables and in reverse', async () => {
      for (const code of ['AT', 'a/b']) assert.equal((await createCountry(code)).status, 201)
      const customer = await createCustomer({ country: 'a/b', visited: ['a/b', 'AT'] })
      assert.equal(customer.countryUrl, 'http://localhost/countries/a%2Fb/')
      assert.deepEqual(customer.visited, ['AT', 'a/b'])
      const order = (await send('POST', '/orders/', { number: '1', customer: customer.url })).body
      assert.deepEqual(order.customer_object, { id: customer.id, name: 'Ada', country: 'a/b' })
      assert.equal(order.customer, customer.url)
      const nestedOrder = await send('POST', `/customers/${customer.id}/orders/`, { number: '2' })
      assert.equal(nestedOrder.body.customer, customer.url)
      assert.equal((await list(`/customers/${customer.id}/orders/`)).length, 2)
      assert.deepEqual((await send('GET', `/customers/${customer.id}/`)).body.orders, [order.id, nestedOrder.body.id])
      const changed = await send('PATCH', `/customers/${customer.id}/`, { visited: ['AT'], country: null })
      assert.deepEqual([changed.body.visited, changed.body.country, changed.body.countryUrl], [['AT'], null, null])
      assert.equal((await list('/customers/?country=AT')).length, 0)
    })

    test('a list of related keys with a missing key names the key', async () => {
      await createCountry('AT')
      for (const [visited, echo] of [
        [['AT', 'XX'], 'XX'],
        [['at'], 'at'],
        [['x'.repeat(10_000)], `${'x'.repeat(100)}…`],
      ] as const) {
        const { status, body } = await send('POST', '/customers/', { name: 'Ada', visited })
        assert.equal(status, 400)
        assert.deepEqual(body, {
          visited: [`Invalid pk "${echo}" - object does not exist.`],
        })
      }
    })

    test('a body gives a text key; its URL contains the key encoded, and finds the object', async () => {
      for (const code of texts) {
        const created = await createCountry(code)
        assert.equal(created.status, 201, code)
        const path = `/countries/${encodeURIComponent(code)}/`
        assert.equal(created.location, `http://localhost${path}`)
        assert.equal(created.body.url, created.location)
        const found = await send('GET', path)
        assert.deepEqual([found.status, found.body], [200, created.body], code)
        assert.equal((await send('PATCH', path, { name: 'New' })).status, 200)
        assert.equal((await list(`/countries/?code=${encodeURIComponent(code)}`)).length, 1)
        const { country, countryUrl } = await createCustomer({ country: code })
        assert.deepEqual([country, countryUrl], [code, created.location])
      }
    })

    test('a text key that no URL can contain is rejected', async () => {
      for (const code of [
        '.',
        '..',
        '',
        '  ',
        '\0',
        '\ud800',
        'x'.repeat(256),
        'x'.repeat(10_000),
        null,
        true,
        [],
        {},
      ]) {
        const { status, body } = await send('POST', '/countries/', { code, name: 'x' })
        assert.equal(status, 400, JSON.stringify(code))
        assert.deepEqual(Object.keys(body), ['code'])
      }
      for (const segment of ['%00', '%20', '%ED%A0%80', 'x'.repeat(256), 'x'.repeat(10_000)]) {
        const { status } = await api().client.get(`/countries/${segment}/`)
        assert.ok(status === 404 || (segment === '%ED%A0%80' && status === 400), `${segment}: ${status}`)
      }
    })

    test('a text key of the maximum length is found', async () => {
      for (const code of ['x'.repeat(255), '日'.repeat(255), `${'x'.repeat(120)}/y`]) {
        const { location } = await createCountry(code)
        assert.equal((await api().client.get(location!.slice('http://localhost'.length))).status, 200)
      }
    })

    test('a key that exists already is an error of its field, also for two writers', async () => {
      const expected = { code: ['This field must be unique.'] }
      const results = await Promise.all([1, 2, 3, 4].map(() => createCountry('AT')))
      assert.deepEqual(results.map(({ status }) => status).toSorted(), [201, 400, 400, 400])
      for (const { status, body } of results) if (status === 400) assert.deepEqual(body, expected)
      assert.deepEqual((await createCountry('AT')).body, expected)
    })

    test('what is fixed cannot be changed; repeating it, or leaving it out, is allowed', async () => {
      await createCountry('AT')
      const expected = ['This field cannot be changed after creation.']
      for (const method of ['PUT', 'PATCH']) {
        assert.deepEqual((await send(method, '/countries/AT/', { code: 'DE', name: 'x' })).body, { code: expected })
        assert.equal((await send(method, '/countries/AT/', { code: 'AT', name: 'y' })).body.name, 'y')
        assert.equal((await send(method, '/countries/AT/', { name: 'z' })).body.code, 'AT')
      }
      const { body: order } = await send('POST', '/orders/', { number: '1', customer: (await createCustomer()).url })
      const { status, body } = await send('PATCH', `/orders/${order.id}/`, { number: '2' })
      assert.deepEqual([status, body], [400, { number: expected }])
      assert.equal((await send('PATCH', `/orders/${order.id}/`, { number: '1' })).status, 200)
    })

    test('OPTIONS describes a key that a body gives, and a fixed field as read-only where it cannot be changed', async () => {
      await createCountry('AT')
      const { POST } = (await send('OPTIONS', '/countries/')).body.actions
      assert.deepEqual(
        [POST.code.type, POST.code.required, POST.code.read_only, POST.code.max_length],
        ['string', true, false, 255],
      )
      const { PUT } = (await send('OPTIONS', '/countries/AT/')).body.actions
      assert.equal(PUT.code.read_only, true)
      assert.equal((await send('OPTIONS', '/customers/')).body.actions.POST.id.type, 'uuid')
    })

    test('lists are ordered and paged by keys of any kind', async () => {
      for (const code of ['b', 'ü', 'a', 'c/d']) await createCountry(code)
      assert.deepEqual(
        (await list('/countries/')).map(({ code }: { code: string }) => code),
        ['a', 'b'],
      )
      assert.deepEqual(
        (await list('/countries/?page=2')).map(({ code }: { code: string }) => code),
        ['c/d', 'ü'],
      )
      assert.deepEqual(
        (await list('/countries/?ordering=-code')).map(({ code }: { code: string }) => code),
        ['ü', 'c/d'],
      )
    })
  },
  { migrations },
)

onEachDatabase(
  () => ({
    resources: [countries],
    pagination: cursor({ ordering: 'name', pageSize: 2 }),
    secret: 's'.repeat(32),
  }),
  api => {
    test('cursors hold keys of any kind', async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const code of ['c', 'a"', 'b\\', 'é', "d'"])
          await kysely.insertInto('countries').values({ code, name: 'same' }).execute()
      })
      const codes: string[] = []
      let next: string | undefined = '/countries/'
      while (next !== undefined) {
        const page: { next: string | null; results: { code: string }[] } = (await api().client.get(next)).json()
        codes.push(...page.results.map(({ code }) => code))
        next = page.next?.slice('http://localhost'.length)
      }
      assert.deepEqual(codes, ['a"', 'b\\', 'c', "d'", 'é'])
    })
  },
  { migrations },
)
