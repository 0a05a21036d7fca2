// A profile whose resources have keys of every kind: its data files, administration, audit log and pages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hyperlinkedIdentity,
  key,
  nested,
  publicId,
  related,
  resource,
  slug,
  text,
  textKey,
  uuidKey,
} from 'resource-api'
import { loadData, profile } from 'resource-api/service'
import { DataError } from '../../src/service/data/data-error.ts'
import { onEveryDatabase } from '../support/service.ts'

const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code' }),
  objectName: 'name',
  fields: { code: key(), name: text() },
})

const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  fields: {
    id: key(),
    name: text({ unique: 'This name is taken.' }),
    country: related(countries, { column: 'country_code', shows: ['code', 'name'] }),
    orders: related('orders', { many: { reverse: 'customer_id' } }),
  },
  filters: { country: true },
})

const boxes = resource('boxes', {
  table: 'boxes',
  fields: { id: key(), label: text({ unique: 'This label is taken.' }) },
})

const orders = resource('orders', {
  table: 'orders',
  key: publicId('ord'),
  fields: {
    id: key(),
    note: text(),
    customer: related('customers'),
    category: related('categories', { nullable: true, by: 'slug' }),
    box: nested({ of: boxes, column: 'box_id', fields: ['label'], writable: true, nullable: true }),
  },
})

const categories = resource('categories', {
  table: 'categories',
  lookup: 'slug',
  fields: { url: hyperlinkedIdentity(), slug: slug({ unique: 'There is such a category.' }) },
})

const sales = profile('sales', {
  migrations: {
    async '0001_sales'({ schema }, { key, text, uuid, reference }) {
      await schema
        .createTable('countries')
        .addColumn('code', text, column => column.primaryKey().notNull())
        .addColumn('name', text, column => column.notNull())
        .execute()
      await schema
        .createTable('customers')
        .addColumn('id', uuid, column => column.primaryKey().notNull())
        .addColumn('name', text, column => column.notNull().unique())
        .addColumn('country_code', text, column => column.notNull().references('countries.code'))
        .execute()
      await schema
        .createTable('categories')
        .addColumn('id', key)
        .addColumn('slug', text, column => column.notNull().unique())
        .execute()
      await schema
        .createTable('boxes')
        .addColumn('id', key)
        .addColumn('label', text, column => column.notNull().unique())
        .execute()
      await schema
        .createTable('orders')
        .addColumn('id', key)
        .addColumn('public_id', text, column => column.notNull().unique())
        .addColumn('note', text, column => column.notNull())
        .addColumn('customer_id', uuid, column => column.notNull().references('customers.id'))
        .addColumn('category_id', reference, column => column.references('categories.id'))
        .addColumn('box_id', reference, column => column.unique().references('boxes.id'))
        .execute()
    },
  },
  resources: [countries, customers, orders, categories, boxes],
  fixtures: { countries, customers, categories, boxes, orders },
  admin: { countries: {}, customers: {}, orders: {} },
})

const ada = '01900000-0000-7000-8000-00000000000a'

onEveryDatabase({ profiles: [sales] }, service => {
  test('a data file gives keys, leaves them to the service, and refers to rows by key and by unique field', async () => {
    const { services, client } = service()
    const load = (data: object) => loadData(services, data)
    await load({
      countries: [
        { code: 'AT', name: 'Austria' },
        { code: 'a/b', name: 'Nowhere' },
      ],
      customers: [
        { id: ada, name: 'Ada', country: 'AT' },
        { name: 'Bob', country: 'a/b' },
      ],
      categories: [{ slug: 'tools' }],
      boxes: [{ label: 'fragile' }],
      orders: [
        { note: 'first', customer: ada, category: { slug: 'tools' }, box: { label: 'fragile' } },
        { note: 'second', customer: { name: 'Bob' } },
      ],
    })
    const [first, second] = (await client.get('/orders/')).json()
    assert.match(first.id, /^ord_[0-9A-Za-z]{16}$/)
    assert.deepEqual([first.customer, first.category, second.category], [ada, 'tools', null])
    assert.deepEqual([first.box, second.box], [{ label: 'fragile' }, null])
    const bob = (await client.get(`/customers/${second.customer}/`)).json()
    assert.match(bob.id, /^[\da-f]{8}-[\da-f]{4}-7/)
    assert.deepEqual([bob.country, bob.orders], [{ code: 'a/b', name: 'Nowhere' }, [second.id]])
    for (const [data, message] of [
      [{ countries: [{ name: 'x' }] }, 'countries[0].code: This field is required.'],
      [{ countries: [{ code: '..', name: 'x' }] }, 'countries[0].code: "." and ".." cannot stand in a URL.'],
      [{ countries: [{ code: 'AT', name: 'x' }] }, 'countries[0]: a country with this code already exists'],
      [{ customers: [{ id: 'x', name: 'x', country: 'AT' }] }, 'customers[0].id: Must be a valid UUID.'],
      [{ customers: [{ name: 'x', country: 'XX' }] }, 'customers[0].country: there is no country "XX"'],
      [{ orders: [{ note: 'x', customer: 3 }] }, 'orders[0].customer: Must be a valid UUID.'],
    ] as const)
      await assert.rejects(load(data), new DataError(message))
  })

  test('the administration shows, changes and audits objects with keys of every kind', async () => {
    const { client, createUser } = service()
    const { key: token } = await createUser('root', { staff: true, superuser: true })
    const send = async (method: string, path: string, json?: unknown) => {
      const response = await client.request(method, `/admin/${path}`, { token, ...(json !== undefined && { json }) })
      return { status: response.status, body: response.text === '' ? undefined : response.json() }
    }
    assert.equal((await send('POST', 'countries/', { code: 'c d', name: 'New' })).status, 201)
    assert.equal((await send('PATCH', 'countries/c%20d/', { name: 'Newer' })).body.name, 'Newer')
    const customer = await send('POST', 'customers/', { name: 'Eva', country: 'c d' })
    assert.equal(customer.status, 201, JSON.stringify(customer.body))
    const body = { note: 'x', customer: customer.body.id, category: 'tools', box: { label: 'ignored' } }
    const order = await send('POST', 'orders/', body)
    // The administration does not show boxes, so it does not write them.
    assert.deepEqual([order.status, order.body.category, order.body.box], [201, 'tools', null])
    assert.equal((await send('DELETE', `orders/${order.body.id}/`)).status, 204)
    assert.equal((await send('DELETE', `customers/${customer.body.id}/`)).status, 204)
    await service().services.accounts.auditLog?.flush()
    const events = (await send('GET', 'audit-log/')).body.results
    const targets = events.map(({ target }: { target: string }) => target)
    for (const path of ['countries/c%20d/', `customers/${customer.body.id}/`, `orders/${order.body.id}/`])
      assert.ok(
        targets.some((target: string) => target.endsWith(path)),
        `${path} in ${targets}`,
      )
  })

  test('pages link the objects, and their forms take keys of every kind', async () => {
    const { client } = service()
    const get = async (path: string) => (await client.get(path, { headers: { accept: 'text/html' } })).text
    assert.match(await get('/countries/'), /<a href="\/countries\/a%2Fb\/">Nowhere<\/a>/)
    assert.match(await get('/categories/'), /<a href="\/categories\/tools\/">/)
    const customersPage = await get('/customers/')
    assert.ok(customersPage.includes(`<a href="/customers/${ada}/">`))
    for (const [id, path] of [
      ['list-country', '/customers/'],
      ['post-country', '/customers/?new'],
    ] as const)
      assert.match(
        await get(path),
        new RegExp(`id="${id}"[^>]*>.*?<option value="AT" >Austria</option>.*<option value="a/b" >Nowhere</option>`),
      )
    assert.match(await get('/orders/'), /<a href="\/orders\/ord_\w+\/">/)
    assert.match(await get('/orders/?new'), /id="post-category"[^>]*>.*?<option value="tools" >tools<\/option>/)
    assert.match(await get('/orders/?new'), new RegExp(`id="post-customer"[^>]*>.*?<option value="${ada}" >Ada<`))
    const page = await get(`/customers/${ada}/`)
    assert.match(page, /<select id="patch-country".*?<option value="AT" selected>Austria<\/option>/)
    assert.doesNotMatch(await get('/countries/AT/'), /name="code"/)
  })
})
