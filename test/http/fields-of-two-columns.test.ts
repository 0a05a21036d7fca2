// Objects whose fields are stored in columns of their own, such as an amount and its currency.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  choice,
  computed,
  cursor,
  decimal,
  filter,
  jsonRenderer,
  key,
  type Migrations,
  nested,
  object,
  resource,
  text,
} from 'resource-api'
import { createClient } from 'resource-api/client'
import type { Field } from 'resource-api/extend'
import type { RecordedWrite } from '../../src/core/resource/declare/object-change.ts'
import { listControls } from '../support/form-controls.ts'
import { toReadableText } from '../support/html.ts'
import { asUser, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

/** An amount of money, in two columns. */
const money = (column: string) => ({
  fields: {
    amount: decimal({ maxDigits: 9, decimalPlaces: 2, min: 0, column: `${column}_amount` }),
    currency: choice({ EUR: 'Euro', USD: 'US dollar' }, { default: 'EUR', column: `${column}_currency` }),
  },
  columns: true as const,
})

const migrations: Migrations = {
  async '0001_offers'(kysely, { key, text, decimal, reference }) {
    await kysely.schema.createTable('catalogs').addColumn('id', key).addColumn('name', text).execute()
    await kysely.schema
      .createTable('offers')
      .addColumn('id', key)
      .addColumn('catalog_id', reference)
      .addColumn('name', text)
      .addColumn('price_amount', decimal(9, 2), column => column.notNull())
      .addColumn('price_currency', text, column => column.notNull())
      .addColumn('cost_amount', decimal(9, 2))
      .addColumn('cost_currency', text)
      .execute()
  },
}

const hookValues: unknown[] = []

const offers = resource('offers', {
  table: 'offers',
  fields: {
    id: key(),
    name: text(),
    price: object({ ...money('price'), default: { amount: '1.00', currency: 'EUR' } }),
    cost: object({ ...money('cost'), nullable: true }),
  },
  objectName: 'name',
  filters: {
    'price.amount': ['exact', 'gte', 'lte', 'in'],
    'price.currency': true,
    'cost.amount': ['isnull'],
  },
  searchFields: ['price.currency'],
  orderingFields: ['price.amount', 'cost.amount', 'name'],
  validate({ values }) {
    const amount: string = values.price.amount
    const currency: 'EUR' | 'USD' | undefined = values.cost?.currency
    hookValues.push([amount, currency])
  },
  bulk: 'each',
})

const catalogs = resource('catalogs', {
  table: 'catalogs',
  fields: {
    id: key(),
    name: text(),
    offers: nested({
      of: offers,
      many: { reverse: 'catalog_id' },
      fields: ['id', 'name', 'price', 'cost'],
      writable: true,
    }),
  },
})

/** The same table with other names on the wire, and an order by pages. */
const deals = resource('deals', {
  table: 'offers',
  fields: {
    id: key(),
    name: text(),
    list_price: object(money('price')),
    cheap: computed({ columns: ['price_amount'], value: ({ price_amount: amount }) => Number(amount) < 5 }),
  },
  wire: 'camelCase',
  filters: { 'list_price.amount': ['exact'] },
  pagination: cursor({ secret: 'x'.repeat(40), pageSize: 2, ordering: ['price_amount', 'id'] }),
})

/** The same table; Ann alone sees the price. */
const secrets = resource('secrets', {
  table: 'offers',
  fields: {
    id: key(),
    name: text(),
    price: object({
      ...money('price'),
      default: { amount: '1.00', currency: 'EUR' },
      visible: ({ user }) => user.isAuthenticated && user.username === 'ann',
    }),
  },
  filters: {
    'price.amount': true,
    cheap: filter(boolean(), ({ row, value }) => sql`(${row.price_amount} < 3) = ${value}`),
  },
  orderingFields: ['price.amount'],
})

const changes: unknown[] = []

const resources = [offers, catalogs, deals, secrets]
const options = {
  resources,
  renderers: [jsonRenderer, browsable()],
  authentication: [userScheme],
  allowedHosts: ['*'],
  async recordChanges({ changes: made }: RecordedWrite) {
    changes.push(...made.map(({ values }) => values.price))
  },
}

const html = { accept: 'text/html' }

onEachDatabase(
  database => ({ ...options, database }),
  api => {
    const post = (json: object) => api().client.post('/offers/', { json })
    const create = async (json: object): Promise<Record<string, unknown>> => (await post(json)).json()
    const names = async (query: string): Promise<string> => {
      const response = await api().client.get(`/offers/?${query}`)
      assert.equal(response.status, 200, response.text)
      return (response.json() as readonly { readonly name: string }[]).map(({ name }) => name).join(' ')
    }
    const stored = async () =>
      (await api().rows('offers')).map(row => [
        Number(row.price_amount),
        row.price_currency,
        row.cost_amount === null ? null : Number(row.cost_amount),
        row.cost_currency,
      ])

    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['offers', 'catalogs']) await kysely.deleteFrom(table).execute()
      })
      hookValues.length = 0
      changes.length = 0
    })

    test('bodies and responses contain the object, and each of its columns a value', async () => {
      const created = await create({ name: 'tea', price: { amount: 2.5, currency: 'USD' }, cost: { amount: '1' } })
      assert.deepEqual(created.price, { amount: '2.50', currency: 'USD' })
      assert.deepEqual(created.cost, { amount: '1.00', currency: 'EUR' })
      assert.deepEqual(await stored(), [[2.5, 'USD', 1, 'EUR']])
      assert.deepEqual((await api().client.get(`/offers/${created.id}/`)).json(), created)
      assert.deepEqual((await create({ name: 'jam' })).price, { amount: '1.00', currency: 'EUR' })
      assert.deepEqual(hookValues, [
        ['2.50', 'EUR'],
        ['1.00', undefined],
      ])
    })

    test('null empties all columns, and PATCH changes the columns of the fields that it contains', async () => {
      const { id } = await create({ name: 'tea', price: { amount: 2 }, cost: { amount: 1 } })
      const patch = async (json: object) => (await api().client.patch(`/offers/${id}/`, { json })).json()
      assert.deepEqual((await patch({ price: { amount: 3, currency: 'USD' } })).cost, {
        amount: '1.00',
        currency: 'EUR',
      })
      assert.equal((await patch({ cost: null })).cost, null)
      assert.deepEqual(await stored(), [[3, 'USD', null, null]])
      assert.deepEqual(hookValues.at(-1), ['3.00', undefined])
      assert.deepEqual((await patch({ price: null })).price, ['This field may not be null.'])
    })

    test('errors stand at the fields of the object', async () => {
      const response = await post({ name: 'tea', price: { amount: '-1', currency: 'GBP' }, cost: {} })
      assert.deepEqual(response.json(), {
        price: {
          amount: ['Ensure this value is greater than or equal to 0.'],
          currency: ['"GBP" is not a valid choice.'],
        },
        cost: { amount: ['This field is required.'] },
      })
      assert.deepEqual((await post({ name: 'tea', price: 5 })).json().price, [
        'Invalid data. Expected a dictionary, but got int.',
      ])
    })

    test('lists are filtered, searched and ordered by the columns', async () => {
      await create({ name: 'a', price: { amount: 10 }, cost: { amount: 9 } })
      await create({ name: 'b', price: { amount: '9.50', currency: 'USD' } })
      await create({ name: 'c', price: { amount: 100 }, cost: { amount: 1 } })
      assert.equal(await names('price__amount=9.5'), 'b')
      assert.equal(await names('price__amount__gte=10&ordering=-price__amount'), 'c a')
      assert.equal(await names('price__amount__in=10,100&ordering=price__amount'), 'a c')
      assert.equal(await names('price__currency=USD'), 'b')
      assert.equal(await names('cost__amount__isnull=true'), 'b')
      assert.equal(await names('search=usd'), 'b')
      assert.equal(await names('ordering=cost__amount,name'), 'c a b')
      const { filters, ordering } = (await api().client.request('OPTIONS', '/offers/')).json()
      assert.deepEqual(ordering, ['price__amount', 'cost__amount', 'name'])
      assert.deepEqual(filters.price__amount.type, 'decimal')
      const refused = await api().client.get('/offers/?price__amount=x')
      assert.deepEqual([refused.status, refused.json()], [400, { price__amount: ['A valid number is required.'] }])
    })

    test('several rows are written together, and rows below a parent', async () => {
      const bulk = await api().client.post('/offers/', {
        json: [
          { name: 'a', price: { amount: 1 } },
          { name: 'b', price: { amount: 'x' } },
          { name: 'c', cost: null },
        ],
      })
      assert.equal(bulk.status, 207, bulk.text)
      assert.deepEqual(await stored(), [
        [1, 'EUR', null, null],
        [1, 'EUR', null, null],
      ])
      const json = { name: 'spring', offers: [{ name: 'tea', price: { amount: 2 }, cost: { amount: 1 } }] }
      const created = (await api().client.post('/catalogs/', { json })).json()
      assert.deepEqual(created.offers[0].price, { amount: '2.00', currency: 'EUR' })
      const [{ id }] = created.offers
      const changed = await api().client.patch(`/catalogs/${created.id}/`, {
        json: { offers: [{ id, price: { amount: 3, currency: 'USD' }, cost: null }, { name: 'jam' }] },
      })
      assert.deepEqual(
        changed.json().offers.map(({ price, cost }: Record<string, unknown>) => [price, cost]),
        [
          [{ amount: '3.00', currency: 'USD' }, null],
          [{ amount: '1.00', currency: 'EUR' }, null],
        ],
      )
    })

    test('changes are recorded as objects', async () => {
      const { id } = await create({ name: 'tea', price: { amount: 2 } })
      await api().client.patch(`/offers/${id}/`, { json: { price: { amount: 3, currency: 'USD' } } })
      const [tea, changed] = [
        { amount: '2.00', currency: 'EUR' },
        { amount: '3.00', currency: 'USD' },
      ]
      assert.deepEqual(changes, [{ new: tea }, { old: tea, new: changed }])
    })

    test('pages follow a column, and columns have the names on the wire', async () => {
      for (const [name, amount] of [
        ['a', 3],
        ['b', 10],
        ['c', 1],
      ] as const)
        await create({ name, price: { amount } })
      const first = (await api().client.get('/deals/')).json()
      const [c, a] = first.results
      assert.deepEqual([c.name, c.listPrice, c.cheap, a.name], ['c', { amount: '1.00', currency: 'EUR' }, true, 'a'])
      const { results } = (await api().client.get(first.next)).json()
      assert.deepEqual([results.length, results[0].name, results[0].cheap], [1, 'b', false])
      assert.equal((await api().client.get('/deals/?listPrice__amount=10')).json().results.length, 1)
    })

    test('callers who do not see the object see none of its columns', async () => {
      await create({ name: 'a', price: { amount: 3 } })
      await create({ name: 'b', price: { amount: 2 } })
      const list = async (query: string, name: 'ann' | 'bob') => {
        const found: readonly { name: string; price?: object }[] = (
          await api().client.get(`/secrets/?${query}`, asUser(name))
        ).json()
        return found.map(({ name, price }) => (price ? `${name} and price` : name)).join(', ')
      }
      assert.equal(await list('price__amount=3', 'ann'), 'a and price')
      assert.equal(await list('price__amount=3', 'bob'), 'a, b')
      assert.equal(await list('cheap=true', 'ann'), 'b and price')
      assert.equal(await list('cheap=true', 'bob'), 'a, b')
      assert.equal(await list('ordering=price__amount', 'ann'), 'b and price, a and price')
      assert.equal(await list('ordering=price__amount', 'bob'), 'a, b')
    })

    test('OPTIONS and the OpenAPI document describe the object', async () => {
      const { price, cost } = (await api().client.request('OPTIONS', '/offers/')).json().actions.POST
      assert.deepEqual([price.type, Object.keys(price.children)], ['nested object', ['amount', 'currency']])
      assert.deepEqual([price.required, cost.required], [false, false])
      const document = (await api().client.get('/openapi.json')).json()
      const schema = JSON.stringify(document.components.schemas)
      assert.match(schema, /"price":\{"type":"object","properties":\{"amount":\{"type":"string","format":"decimal"/)
    })

    test('pages show the values, and a form has a control for each', async () => {
      const { id } = await create({ name: 'tea', price: { amount: 2.5, currency: 'USD' } })
      const list = toReadableText((await api().client.get('/offers/', { headers: html })).text)
      assert.match(list, /<td>2\.50 US dollar<\/td>/)
      const page = (await api().client.get(`/offers/${id}/`, { headers: html })).text
      assert.match(toReadableText(page), /<fieldset class="group" data-field="price"[^>]*><legend>Price<\/legend>/)
      const controls = listControls(page, 'PATCH')
      assert.deepEqual(
        [...controls].filter(([name]) => name.includes('.')),
        [
          ['price.amount', '2.50'],
          ['price.currency', 'USD'],
          ['cost.amount', ''],
          ['cost.currency', ''],
        ],
      )
      const headers = { ...html, origin: api().client.origin }
      const send = (form: URLSearchParams) =>
        api().client.post(`/offers/${id}/?_method=PATCH`, { form: Object.fromEntries(form), headers })
      controls.set('price.amount', '4')
      assert.equal((await send(controls)).status, 303)
      assert.deepEqual(await stored(), [[4, 'USD', null, null]])
      controls.set('price.amount', 'many')
      controls.set('cost.currency', 'EUR')
      const refused = toReadableText((await send(controls)).text)
      assert.match(refused, /value="many" id="patch-price\.amount"[^>]*aria-invalid="true"/)
      assert.match(refused, /id="patch-cost\.amount-errors" ><li>A valid number is required\./)
    })

    test('the rows of children in a form have the JSON of the object', async () => {
      const json = { name: 'spring', offers: [{ name: 'tea', price: { amount: 2 } }] }
      const { id } = (await api().client.post('/catalogs/', { json })).json()
      const path = `/catalogs/${id}/`
      const controls = listControls((await api().client.get(path, { headers: html })).text, 'PATCH')
      assert.deepEqual(JSON.parse(controls.get('offers[0]price')!), { amount: '2.00', currency: 'EUR' })
      controls.set('offers[0]price', '{"amount":7}')
      const headers = { ...html, origin: api().client.origin }
      const sent = await api().client.post(`${path}?_method=PATCH`, { form: Object.fromEntries(controls), headers })
      assert.equal(sent.status, 303, sent.text)
      assert.deepEqual((await stored())[0], [7, 'EUR', null, null])
    })

    test('a form shows what others have saved in the columns, and a rejected body of another type', async () => {
      const { id } = await create({ name: 'tea', price: { amount: 2 } })
      const path = `/offers/${id}/`
      const page = (await api().client.get(path, { headers: html })).text
      const match = /_match&#61;([^"&]+)"/.exec(page)![1]!
      await api().client.patch(path, { json: { price: { amount: 8, currency: 'USD' } } })
      const form = { 'price.amount': '5', 'price.currency': 'EUR', name: 'tea' }
      const headers = { ...html, origin: api().client.origin }
      const late = await api().client.post(`${path}?_method=PATCH&_match=${match}`, { form, headers })
      const text = toReadableText(late.text)
      assert.equal(late.status, 412)
      assert.match(text, /id="patch-price\.amount".{0,300}<p class="theirs">[^<]*<bdi>8\.00<\/bdi>/s)
      assert.match(text, /id="patch-price\.currency".{0,600}<p class="theirs">[^<]*<bdi>US dollar<\/bdi>/s)
      const refused = await api().client.post('/offers/', { json: { price: { amount: 'x' } }, headers: html })
      assert.match(toReadableText(refused.text), /value="x" id="post-price\.amount"/)
      assert.equal((await api().client.request('POST', '/offers/', { headers: html })).status, 400)
    })

    test('the columns are compared with the table at start', async () => {
      const start = async (price: Field) => {
        const declared = resource('offers', { table: 'offers', fields: { id: key(), name: text(), price } })
        const { app, stop } = await startApi({ database: api().database, resources: [declared] })
        try {
          await app.ready()
        } finally {
          await stop()
        }
      }
      await assert.rejects(start(object(money('prize'))), /field "price\.amount": column: .*"prize_amount"/)
      await assert.rejects(
        start(object({ ...money('price'), nullable: true })),
        /field "price": nullable, but column "price_amount" is NOT NULL/,
      )
    })
  },
  { migrations },
)

suite('mistakes in a declaration are errors at start', () => {
  const field = decimal({ maxDigits: 9, decimalPlaces: 2 })

  test('in the fields of the object', () => {
    for (const [declare, message] of [
      [() => object({ fields: { field }, columns: true, column: 'x' }), /remove "column" and "source", or "columns"/],
      [() => object({ fields: { a: text({ required: false }) }, columns: true }), /field "a" is optional/],
      [() => object({ fields: { a: text({ unique: 'Taken.' }) }, columns: true }), /cannot be .* unique/],
    ] as const)
      assert.throws(declare, message)
  })

  test('in the options that name the object', () => {
    const fields = { id: key(), price: object(money('price')) }
    const declare = (others: object) => () => resource('offers', { table: 'offers', fields, ...others })
    assert.throws(declare({ filters: { price: true } }), /"price" has several columns: .* such as "price\.amount"/)
    assert.throws(declare({ orderingFields: ['price'] }), /"price" has several columns/)
    assert.throws(declare({ uniqueTogether: [['price']] }), /"price" has no column of its own/)
    assert.throws(declare({ ordering: ['price'] }), /"price" has several columns/)
    assert.throws(declare({ hookColumns: ['price_amount'] }), /column "price_amount" belongs to a field and to/)
  })
})

test('the types of the client follow from the object', () => {
  // Only the compiler checks this function.
  async function check() {
    const client = createClient<{ readonly offers: typeof offers }>({ baseUrl: 'http://localhost/' })
    await client.offers.list({ price__amount__gte: '5', price__currency: 'EUR', ordering: '-price__amount' })
    const currency: 'EUR' | 'USD' | undefined = (await client.offers(1).retrieve()).cost?.currency
    // @ts-expect-error There is no such choice.
    await client.offers.list({ price__currency: 'GBP' })
    // @ts-expect-error The amount is missing.
    await client.offers.create({ name: 'tea', price: { currency } })
    // @ts-expect-error The object has no such field.
    resource('offers', { table: 'offers', fields: { price: object(money('price')) }, filters: { 'price.vat': true } })
  }
  assert.equal(typeof check, 'function')
})
