// The names of fields on the wire: in bodies, responses, errors, queries, OPTIONS and pages.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  browsable,
  type CreateBody,
  computed,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  key,
  type Migrations,
  nested,
  type Query,
  type Representation,
  readOnly,
  related,
  resource,
  text,
  ValidationError,
} from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const makers = resource('makers', {
  table: 'makers',
  wire: { full_name: 'name' },
  fields: {
    id: key(),
    full_name: text({ unique: 'Taken.' }),
    loud_name: computed({ columns: ['full_name'], value: row => `${row.full_name}!` }),
  },
})

let hooked: object = {}

const items = resource('items', {
  table: 'items',
  wire: 'camelCase',
  objectName: 'item_name',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    item_name: text({ max: 10, unique: 'Taken.' }),
    unit_price: integer({ min: 0 }),
    sku_2: text({ default: 'none' }),
    made_by: related(makers, { column: 'maker_id', by: 'full_name', shows: ['full_name'], nullable: true }),
    made_on: readOnly(text({ column: 'sku_2' })),
    the_maker: readOnly(nested({ of: makers, column: 'maker_id' })),
    loud_name: computed({ columns: ['item_name'], value: row => `${row.item_name}!` }),
    page_name: computed({ columns: ['item_name'], values: async rows => rows.map(row => `${row.item_name}?`) }),
  },
  perAction: { list: { shows: ['unit_price', 'item_name', 'id'] } },
  searchFields: ['item_name'],
  filters: { unit_price: true, item_name: true },
  orderingFields: ['unit_price', 'item_name'],
  uniqueTogether: [['unit_price', 'sku_2']],
  normalize: values => (values.sku_2 === 'short' ? { ...values, sku_2: 5 as never } : values),
  validate({ values, given }) {
    hooked = given
    if (values.unit_price === 13) throw new ValidationError({ unit_price: ['Unlucky.'], other_name: ['Kept.'] })
    if (values.unit_price === 14) throw new ValidationError('Refused.')
  },
  beforeSave({ values }) {
    if (values.unit_price === 15) throw new ValidationError({ unit_price: ['Too late.'] })
  },
  afterSave({ after }) {
    if (after.unit_price === 16) throw new ValidationError({ item_name: ['Undone.'] })
  },
})

const callers = resource('callers', {
  table: 'makers',
  fields: { id: key() },
  actions: ['list'],
  listViews: {
    call: {
      handlers: {
        POST: async context => {
          const { key, values } = await items.create({ itemName: 'called', unitPrice: 70 }, context)
          const changed = await items.update(key, { unitPrice: 71 }, context)
          await items.destroy(key, context)
          return { status: 200, body: [values.itemName, changed.values.unitPrice] }
        },
        PUT: async context => {
          // @ts-expect-error the declared name is not on the wire
          await items.create({ item_name: 'called', unitPrice: 70 }, context)
          return { status: 200 }
        },
      },
    },
  },
})

const migrations: Migrations = {
  async '0001_items'({ schema }, { key, text, reference }) {
    await schema
      .createTable('makers')
      .addColumn('id', key)
      .addColumn('full_name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('items')
      .addColumn('id', key)
      .addColumn('item_name', text, column => column.notNull().unique())
      .addColumn('unit_price', 'integer', column => column.notNull())
      .addColumn('sku_2', text, column => column.notNull())
      .addColumn('maker_id', reference)
      .execute()
  },
}

onEachDatabase(
  () => ({ resources: [makers, items, callers], renderers: [jsonRenderer, browsable()] }),
  api => {
    const post = (json: object) => api().client.post('/items/', { json })

    before(async () => {
      await api().insert('makers', [{ full_name: 'Ann' }])
      await api().insert('items', [{ item_name: 'lamp', unit_price: 5, sku_2: 'a', maker_id: 1 }])
    })

    test('responses contain the names on the wire, in the order of the declaration or of the action', async () => {
      const { client } = api()
      assert.equal((await client.get('/items/')).text, '[{"unitPrice":5,"itemName":"lamp","id":1}]')
      const { url: _, ...item } = (await client.get('/items/1/')).json()
      assert.deepEqual(item, {
        id: 1,
        itemName: 'lamp',
        unitPrice: 5,
        sku2: 'a',
        madeBy: { name: 'Ann' },
        madeOn: 'a',
        theMaker: { id: 1, name: 'Ann', loud_name: 'Ann!' },
        loudName: 'lamp!',
        pageName: 'lamp?',
      })
    })

    test('bodies are read by the names on the wire only, and hooks get the declared names', async () => {
      const { client, rows } = api()
      const body = { itemName: 'desk', unitPrice: '7', unit_price: 99, item_name: 'x', sku_2: 'y' }
      const created = await post(body)
      assert.deepEqual([created.status, created.json().unitPrice], [201, 7])
      assert.deepEqual(hooked, { item_name: 'desk', unit_price: 7 })
      const path = `/items/${created.json().id}/`
      assert.deepEqual((await client.patch(path, { json: { unitPrice: 16 } })).json(), { itemName: ['Undone.'] })
      assert.equal((await client.patch(path, { json: { unitPrice: 8 } })).json().unitPrice, 8)
      const form = await client.put(path, { form: { itemName: 'desk', unitPrice: '9', sku2: 'b' } })
      assert.deepEqual([form.status, form.json().sku2], [200, 'b'])
      const { item_name, unit_price, sku_2 } = (await rows('items')).at(-1)!
      assert.deepEqual([item_name, unit_price, sku_2], ['desk', 9, 'b'])
      assert.equal((await client.delete(path)).status, 204)
    })

    test('errors name fields as on the wire', async () => {
      for (const [body, errors] of [
        [{}, { itemName: ['This field is required.'], unitPrice: ['This field is required.'] }],
        [{ itemName: 'lamp', unitPrice: 1 }, { itemName: ['Taken.'] }],
        [{ itemName: 'a', unitPrice: 1, madeBy: 'Bob' }, { madeBy: ['Object with name=Bob does not exist.'] }],
        [
          { itemName: 'a', unitPrice: 13 },
          { unitPrice: ['Unlucky.'], other_name: ['Kept.'] },
        ],
        [{ itemName: 'a', unitPrice: 14 }, { non_field_errors: ['Refused.'] }],
        [{ itemName: 'a', unitPrice: 15 }, { unitPrice: ['Too late.'] }],
        [{ itemName: 'a', unitPrice: 16 }, { itemName: ['Undone.'] }],
        [
          { itemName: 'a', unitPrice: 5, sku2: 'a' },
          { non_field_errors: ['The fields unitPrice, sku2 must make a unique set.'] },
        ],
      ] as const)
        assert.deepEqual((await post(body)).json(), errors)
      const filtered = await api().client.get('/items/?unitPrice=x')
      assert.deepEqual([filtered.status, filtered.json()], [400, { unitPrice: ['A valid integer is required.'] }])
    })

    test('what the normalizer of the body sets is read by the declared names', async () => {
      const created = await post({ itemName: 'normal', unitPrice: 1, sku2: 'short' })
      assert.deepEqual([created.status, created.json().sku2], [201, '5'])
      await api().client.delete(`/items/${created.json().id}/`)
    })

    test('code calls actions with the names on the wire', async () => {
      const { client, rows } = api()
      assert.deepEqual((await client.post('/callers/call/')).json(), ['called', 71])
      assert.equal((await client.put('/callers/call/')).status, 500)
      assert.equal((await rows('items')).length, 1)
    })

    test('queries use the names on the wire', async () => {
      const count = async (query: string) => (await api().client.get(`/items/?${query}`)).json().length
      assert.deepEqual([await count('unitPrice=6'), await count('unit_price=6')], [0, 1])
      await api().insert('items', [{ item_name: 'bed', unit_price: 50, sku_2: 'b' }])
      const order = async (query: string) =>
        (await api().client.get(`/items/?ordering=${query}`)).json().map((item: { itemName: string }) => item.itemName)
      assert.deepEqual(await order('-unitPrice'), ['bed', 'lamp'])
      assert.deepEqual(await order('-unit_price'), ['lamp', 'bed'])
      assert.deepEqual(await order('itemName,-unitPrice'), ['bed', 'lamp'])
    })

    test('OPTIONS and pages contain the names on the wire, with the labels of the declared names', async () => {
      const { client } = api()
      const { actions } = (await client.request('OPTIONS', '/items/')).json()
      assert.deepEqual(Object.keys(actions.POST).slice(2, 6), ['itemName', 'unitPrice', 'sku2', 'madeBy'])
      assert.equal(actions.POST.unitPrice.label, 'Unit price')
      const page = async (path: string) =>
        (await client.get(path, { headers: { accept: 'text/html' } })).text.replace(/\s+/g, ' ')
      const list = await page('/items/')
      assert.match(list, /name="unitPrice"/)
      assert.match(list, /ordering&#61;unitPrice">Unit price</)
      assert.match(list, /<a href="\/items\/1\/">lamp</)
      assert.doesNotMatch(list, /unit_price|item_name/)
      const detail = await page('/items/1/')
      assert.match(detail, /<h1[^>]*>lamp<\/h1>/)
      assert.match(detail, /<input type="number" value="5" id="patch-unitPrice" name="unitPrice"/)
      assert.doesNotMatch(detail, /unit_price|item_name/)
    })
  },
  { migrations },
)

test('the types have the names on the wire', () => {
  const body: CreateBody<typeof items> = { itemName: 'a', unitPrice: 1, sku2: 'b' }
  const shown = ({ itemName, madeOn, theMaker }: Representation<typeof items>) => [
    itemName.trim(),
    madeOn.trim(),
    theMaker,
  ]
  const query: Query<typeof items> = { unitPrice: 3, ordering: '-unitPrice' }
  const maker: Representation<typeof makers> = { id: 1, name: 'a', loud_name: 'a!' }
  // @ts-expect-error the declared name is not on the wire
  const wrong: CreateBody<typeof items> = { item_name: 'a', unitPrice: 1 }
  assert.ok([body, shown, query, maker, wrong])
})

test('names that collide or cannot be used are errors at start', () => {
  const declare = (wire: object | 'camelCase', names: readonly string[]) => () =>
    resource('items', {
      table: 'items',
      wire: wire as 'camelCase',
      fields: Object.fromEntries(names.map(name => [name, text()])),
    })
  const refuses = (run: () => unknown, message: string) =>
    assert.throws(run, { message: `resource "items": wire: ${message}` })
  refuses(
    declare('camelCase', ['unit_price', 'unitPrice']),
    'the fields "unit_price" and "unitPrice" would both be named "unitPrice": rename one',
  )
  refuses(declare({ a: 'b' }, ['a', 'b']), 'the fields "a" and "b" would both be named "b": rename one')
  refuses(
    declare({ b: 'a', a: 'c', c: 'c' }, ['a', 'b', 'c']),
    'the fields "a" and "c" would both be named "c": rename one',
  )
  refuses(declare({ x: 'b' }, ['a']), 'there is no field "x": write "a"')
  for (const wrong of ['__proto__', '', 'a b', 'a.b', 5])
    refuses(
      declare({ a: wrong }, ['a']),
      `field "a" cannot be named ${JSON.stringify(wrong)}: use letters, digits, _ and -`,
    )
  assert.doesNotThrow(declare({ a: 'b', b: 'a' }, ['a', 'b']))
})
