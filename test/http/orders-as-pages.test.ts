// The page of an order: its lines are a table in their order, with what they add up to, amounts have their currency, and a colour is
// chosen. The pages of what an order refers to lead to the order.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  browsable,
  decimal,
  integer,
  jsonRenderer,
  key,
  nested,
  readOnly,
  related,
  resource,
  text,
  via,
} from 'resource-api'
import { product, reference, sum, table, tables } from 'resource-api/tables'
import { listControls } from '../support/form-controls.ts'
import { toReadableText } from '../support/html.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const price = decimal({ maxDigits: 10, decimalPlaces: 2, min: 0, default: '1.50', currency: 'EUR' })
const customers = table('customers', {
  columns: {
    id: key(),
    name: text({ unique: 'There is such a customer.' }),
    shade: text({ format: 'color', nullable: true }),
    tone: text({ format: 'color' }),
  },
})
const orders = table('orders', { columns: { id: key(), number: text(), customer: reference('customers') } })
const lines = table('lines', {
  columns: {
    id: key(),
    order: reference('orders', { onDelete: 'cascade', relatedName: 'lines' }),
    what: text(),
    quantity: integer({ min: 1 }),
    price,
    place: integer({ nullable: true }),
  },
})
const schema = tables({ owner: 'orders', tables: [customers, orders, lines] })

const customerResource = resource('customers', {
  table: customers,
  objectName: 'name',
  fields: customers.pick('id', 'name', 'shade', 'tone'),
})
const lineResource = resource('lines', {
  table: lines,
  fields: { ...lines.pick('id', 'what', 'quantity'), price: readOnly(lines.columns.price), order: related('orders') },
})
const orderResource = resource('orders', {
  table: orders,
  objectName: 'number',
  fields: {
    ...orders.pick('id', 'number'),
    customer: related(customerResource, { fixed: true }),
    customer_name: text({ source: via('customer_id', 'customers', 'name') }),
    lines: nested({
      of: lineResource,
      many: { reverse: 'order_id' },
      fields: ['id', 'what', 'quantity', 'price'],
      writable: true,
      position: 'place',
    }),
    total: sum(price, 'lines', product('quantity', 'price')),
  },
  filters: { customer: true, customer_name: true },
})
const receipts = resource('receipts', {
  table: orders,
  actions: ['list', 'retrieve'],
  fields: {
    ...orders.pick('id', 'number'),
    customer: text({ source: via('customer_id', 'customers', 'name') }),
    lines: nested({ of: lineResource, many: { reverse: 'order_id' }, fields: ['what', 'quantity'] }),
  },
  filters: { customer: true },
})

onEachDatabase(
  database => ({
    database,
    resources: [customerResource, orderResource, lineResource, receipts],
    renderers: [jsonRenderer, browsable()],
    authentication: [userScheme],
    allowedHosts: ['*'],
  }),
  api => {
    let path = ''
    const headers = { accept: 'text/html', 'accept-language': 'en', ...asUser('ann').headers }
    const open = async (at: string) => (await api().client.get(at, { headers })).text
    const submit = (form: URLSearchParams, query: string, at = path) =>
      api().client.post(`${at}?${query}`, { form: [...form], headers: { ...headers, 'sec-fetch-site': 'same-origin' } })
    const readLines = async () =>
      (await api().client.get(path, asUser('ann'))).json().lines.map(({ what }: { readonly what: string }) => what)

    before(async () => {
      const create = async (at: string, json: object) =>
        (await api().client.post(at, { ...asUser('ann'), json })).json().id as number
      const customer = await create('/customers/', { name: 'Grace', shade: '#FF8800', tone: '#0000ff' })
      const made = [
        { what: 'tea', quantity: 2 },
        { what: 'jam', quantity: 3 },
        { what: 'milk', quantity: 1 },
      ]
      path = `/orders/${await create('/orders/', { number: 'A1', customer, lines: made })}/`
    })

    test('the table of lines shows what bodies do not contain, and what the lines add up to', async () => {
      const page = await open(path)
      const [table = ''] = /<div class="table children">.*?<\/table>/s.exec(page) ?? []
      assert.match(table, /<th scope="col" class="number">Price<\/th>/)
      assert.match(table, /<span class="label">Price<\/span><bdi>€1\.50<\/bdi>/)
      assert.match(table, /<tfoot><tr><th scope="row" colspan="3">Total<\/th><td class="number">€9\.00<\/td>/)
    })

    test('the headings of numbers stand above them, also where nobody can change them', async () => {
      const [heads] = /<thead>.*?<\/thead>/s.exec(await open(path.replace('orders', 'receipts')))!
      assert.match(heads!, /<th scope="col">What<\/th><th scope="col" class="number">Quantity<\/th>/)
    })

    test('a row that is moved to the place of another stands there', async () => {
      const form = listControls(await open(path), 'PATCH')
      assert.deepEqual(
        [0, 1, 2, 3].map(index => form.get(`lines[${index}]_place`)),
        ['1', '2', '3', '4'],
      )
      form.set('lines[2]_place', '1')
      assert.equal((await submit(form, '_method=PATCH')).status, 303)
      assert.deepEqual(await readLines(), ['milk', 'tea', 'jam'])
      const down = listControls(await open(path), 'PATCH')
      down.set('lines[0]_place', '3')
      down.set('lines[1]quantity', '0')
      const refused = await submit(down, '_method=PATCH')
      assert.equal(refused.status, 400)
      assert.deepEqual(await readLines(), ['milk', 'tea', 'jam'])
      const again = listControls(refused.text, 'PATCH')
      assert.deepEqual(
        [0, 1, 2].map(index => [again.get(`lines[${index}]what`), again.get(`lines[${index}]_place`)]),
        [
          ['tea', '1'],
          ['jam', '2'],
          ['milk', '3'],
        ],
      )
      assert.match(refused.text, /id="patch-lines\[0\]quantity-errors" ><li>Ensure this value/)
      again.set('lines[0]quantity', '5')
      again.set('lines[1]_place', 'x')
      assert.equal((await submit(again, '_method=PATCH')).status, 303)
      assert.deepEqual(await readLines(), ['tea', 'jam', 'milk'])
    })

    test('a colour is chosen, unless it may be missing; another text is refused', async () => {
      const page = await open('/customers/1/')
      assert.match(page, /<input type="color" value="#0000ff" [^>]*name="tone"/)
      assert.match(page, /<input type="text" value="#ff8800" [^>]*name="shade"/)
      assert.match(await open('/customers/'), /<rect width="1" height="1" fill="#0000ff"\/>/)
      for (const tone of ['red', '#12345', '#1234567', '"/><script>', '', 7, null]) {
        const refused = await api().client.patch('/customers/1/', { ...asUser('ann'), json: { tone } })
        assert.equal(refused.status, 400, String(tone))
      }
    })

    test('the page of a customer shows the lists that refer to it, also by its unique name', async () => {
      const page = toReadableText(await open('/customers/1/'))
      assert.match(page, /<h2 id="related-orders-list-customer">Orders <a href="\/orders\/\?customer=1">/)
      assert.match(page, /Receipts <a href="\/receipts\/\?customer=Grace">all 1<\/a>/)
      assert.doesNotMatch(page, /customer_name=/)
    })
  },
  { owners: [schema] },
)

test('a currency is a code of ISO 4217', () => {
  assert.throws(
    () => decimal({ maxDigits: 5, decimalPlaces: 2, currency: 'Euro' }),
    /decimal\(\): currency is Euro: give a code of ISO 4217, such as EUR/,
  )
})

test('a colour whose pattern or conversion is given too is an error', () => {
  const pattern = { test: /^#/, message: 'A color.' }
  assert.throws(() => text({ format: 'color', pattern }), {
    message: 'text(): a color has its own "pattern": remove it',
  })
  assert.throws(() => text({ format: 'color', normalize: 'NFC' }), /its own "normalize"/)
})
