// Children that are written with their parent, in one request and one transaction.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { byAnn, invoices, lines, notes, orderMigrations, orders, products } from '../support/order-tables.ts'
import { asUser, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const options = (database: LibraryApi['database']) => ({
  authentication: [userScheme],
  resources: [products, orders, lines, notes, invoices],
  database,
})

const statements: string[] = []

onEachDatabase(options, define, { migrations: orderMigrations, observe: text => statements.push(text) })

function define(api: () => LibraryApi): void {
  let [tea, jam, honey, hidden] = [0, 0, 0, 0]

  beforeEach(async () => {
    const { database, insert } = api()
    await database.transaction(async ({ kysely }) => {
      for (const table of ['orders', 'products']) await kysely.deleteFrom(table).execute()
    })
    const names = ['tea', 'jam', 'honey'].map(name => ({ name, owner_id: null }))
    ;[tea = 0, jam = 0, honey = 0, hidden = 0] = await insert('products', [...names, { name: 'gold', owner_id: 2 }])
  })

  const create = async (body: object) => {
    const response = await api().client.post('/orders/', byAnn(body))
    assert.equal(response.status, 201, response.text)
    return response.json()
  }
  const send = async (method: 'put' | 'patch', id: number, body: object) =>
    (await api().client[method](`/orders/${id}/`, byAnn(body))) as Awaited<ReturnType<LibraryApi['client']['put']>>

  test('a create writes the children, in the order of the body', async () => {
    const order = await create({
      number: 'A',
      lines: [
        { product: jam, quantity: 2, extras: { colour: ['red', '1.0'] } },
        { product: tea, quantity: 1, extras: 'text' },
        { product: honey, quantity: 3 },
      ],
    })
    const shown = order.lines.map((line: { product: number; quantity: number; extras: unknown }) => [
      line.product,
      line.quantity,
      line.extras,
    ])
    assert.deepEqual(shown, [
      [jam, 2, { colour: ['red', '1.0'] }],
      [tea, 1, 'text'],
      [honey, 3, null],
    ])
    const found = await api().client.get(`/orders/${order.id}/`, asUser('ann'))
    assert.deepEqual(found.json(), order)
    assert.equal((await api().client.get(`/lines/${order.lines[0].id}/`, asUser('ann'))).json().order, order.id)
  })

  test('a create without children, with none, and with an invoice', async () => {
    assert.deepEqual((await create({ number: 'A' })).lines, [])
    assert.deepEqual((await create({ number: 'B', lines: [], invoice: null })).invoice, null)
    assert.deepEqual((await create({ number: 'C', invoice: { number: '7' } })).invoice, { number: '7' })
  })

  test('errors are in their places, and nothing is written', async () => {
    const response = await api().client.post(
      '/orders/',
      byAnn({
        number: '',
        lines: [
          { product: tea, quantity: 1 },
          { product: jam, quantity: 0, notes: [{ text: 'fine' }, { text: 'x'.repeat(21) }] },
          { product: hidden, quantity: 1 },
          { product: honey, quantity: 13 },
          { quantity: 1 },
          7,
        ],
        invoice: {},
      }),
    )
    assert.equal(response.status, 400)
    assert.deepEqual(response.json(), {
      number: ['This field may not be blank.'],
      lines: [
        {},
        {
          quantity: ['Ensure this value is greater than or equal to 1.'],
          notes: [{}, { text: ['Ensure this field has no more than 20 characters.'] }],
        },
        { product: [`Invalid pk "${hidden}" - object does not exist.`] },
        { non_field_errors: ['Thirteen is not sold.'] },
        { product: ['This field is required.'] },
        { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] },
      ],
      invoice: { number: ['This field is required.'] },
    })
    assert.deepEqual(await api().rows('orders'), [])
  })

  test('the checks of all children are one statement per check', async () => {
    statements.length = 0
    await create({ number: 'A', lines: [tea, jam, honey].map(product => ({ product, quantity: 1 })) })
    const checks = statements.filter(text => /^select .*products/.test(text) && !text.includes('row_to_json'))
    assert.equal(checks.filter(text => !/json_object/.test(text)).length, 1, checks.join('\n'))
  })

  test('a PUT adds, changes and removes children; a PATCH without the field leaves them', async () => {
    const { id, lines: made } = await create({
      number: 'A',
      lines: [
        { product: tea, quantity: 1, notes: [{ text: 'strong' }, { text: 'hot' }] },
        { product: jam, quantity: 1 },
      ],
    })
    const [first] = made
    const [strong] = first.notes
    const changed = await send('put', id, {
      number: 'A2',
      lines: [
        { product: honey, quantity: 9 },
        { id: first.id, product: tea, quantity: 5, notes: [{ text: 'sweet' }, { id: strong.id, text: 'weak' }] },
      ],
    })
    assert.equal(changed.status, 200, changed.text)
    const { lines: now } = changed.json()
    assert.deepEqual(
      now.map((line: { id: number; product: number; quantity: number; notes: { text: string }[] }) => [
        line.product,
        line.quantity,
        line.notes.map(({ text }) => text),
      ]),
      [
        [tea, 5, ['weak', 'sweet']],
        [honey, 9, []],
      ],
    )
    assert.equal(now[0].id, first.id)
    assert.equal(now[0].notes[0].id, strong.id)
    const patched = await send('patch', id, { number: 'A3' })
    assert.deepEqual(patched.json().lines, now)
    const partial = await send('patch', id, { lines: [{ id: first.id, quantity: 6 }] })
    assert.deepEqual(partial.json().lines, [{ ...now[0], quantity: 6 }])
    assert.deepEqual((await send('patch', id, { lines: [] })).json().lines, [])
    assert.deepEqual(await api().rows('notes'), [])
  })

  test('the list of a PUT may repeat the unique values of lines that it removes', async () => {
    const { id, lines: made } = await create({ number: 'A', lines: [{ product: tea, quantity: 1 }] })
    const response = await send('put', id, { number: 'A', lines: [{ product: tea, quantity: 2 }] })
    assert.equal(response.status, 200, response.text)
    assert.notEqual(response.json().lines[0].id, made[0].id)
  })

  test('an object is added, changed and removed', async () => {
    const { id } = await create({ number: 'A' })
    assert.deepEqual((await send('patch', id, { invoice: { number: '1' } })).json().invoice, { number: '1' })
    const [row] = await api().rows('invoices')
    assert.deepEqual((await send('patch', id, { invoice: { number: '2' } })).json().invoice, { number: '2' })
    const [changed] = await api().rows('invoices')
    assert.deepEqual({ ...changed }, { ...row, number: '2' })
    assert.deepEqual((await send('patch', id, { invoice: null })).json().invoice, null)
    assert.deepEqual(await api().rows('invoices'), [])
  })

  test('keys: of another order, given twice, malformed, unknown, hidden, and of a new order', async () => {
    const other = await create({ number: 'B', lines: [{ product: tea, quantity: 1 }] })
    const { id, lines: made } = await create({
      number: 'A',
      lines: [tea, jam].map(product => ({ product, quantity: 1 })),
    })
    const [own, secret] = made.map((line: { id: number }) => line.id)
    await api().database.transaction(({ kysely }) =>
      kysely.updateTable('lines').set({ owner_id: 2 }).where('id', '=', secret).execute(),
    )
    const missing = (key: unknown) => ({ id: [`Invalid pk "${key}" - object does not exist.`] })
    const cases: readonly (readonly [body: object, error: object])[] = [
      [{ id: other.lines[0].id, quantity: 2 }, missing(other.lines[0].id)],
      [{ id: 'x', quantity: 2 }, { id: ['A valid integer is required.'] }],
      [{ id: 2 ** 40, quantity: 2 }, missing(2 ** 40)],
      [{ id: secret, quantity: 2 }, missing(secret)],
      [{ id: own, quantity: 2 }, { id: ['This key is given twice.'] }],
    ]
    for (const [item, error] of cases) {
      const response = await send('patch', id, { lines: [{ id: own }, item] })
      assert.equal(response.status, 400)
      assert.deepEqual(response.json(), { lines: [{}, error] })
    }
    const created = await api().client.post(
      '/orders/',
      byAnn({ number: 'C', lines: [{ id: own, product: tea, quantity: 1 }] }),
    )
    assert.deepEqual(created.json(), { lines: [missing(own)] })
    // A hidden line is neither shown nor removed.
    assert.deepEqual((await send('patch', id, { lines: [] })).json().lines, [])
    assert.deepEqual(
      (await api().rows('lines')).map(row => row.id),
      [other.lines[0].id, secret],
    )
  })

  test('two lines with one product, too many lines, and values that are no list or object', async () => {
    const { id } = await create({ number: 'A' })
    const line = { product: tea, quantity: 1 }
    const cases: readonly (readonly [body: object, error: object])[] = [
      [
        { lines: [line, line] },
        { lines: [{}, { non_field_errors: ['The fields order, product must make a unique set.'] }] },
      ],
      [
        { lines: Array.from({ length: 51 }, () => line) },
        { lines: ['Ensure this field has no more than 50 elements.'] },
      ],
      [{ lines: {} }, { lines: ['Expected a list of items but got type "dict".'] }],
      [{ lines: null }, { lines: ['This field may not be null.'] }],
      [{ invoice: [] }, { invoice: ['Invalid data. Expected a dictionary, but got list.'] }],
    ]
    for (const [body, error] of cases) {
      const response = await send('patch', id, body)
      assert.equal(response.status, 400)
      assert.deepEqual(response.json(), error)
    }
  })

  test('forms send the children as JSON texts; a form without them leaves them', async () => {
    const body = {
      form: [
        ['number', 'A'],
        ['lines', `[{"product": ${tea}, "quantity": 2}]`],
      ] as const,
      ...asUser('ann'),
    }
    const { id, lines: made } = (await api().client.post('/orders/', body)).json()
    assert.equal(made[0].quantity, 2)
    const response = await api().client.put(`/orders/${id}/`, { form: { number: 'B' }, ...asUser('ann') })
    assert.deepEqual(response.json().lines, made)
  })

  test('two writers of the same lines: the second replaces what the first wrote', async () => {
    const { id } = await create({ number: 'A', lines: [{ product: tea, quantity: 1 }] })
    const bodies = Array.from({ length: 6 }, (_, index) => ({ lines: [{ product: jam, quantity: index + 1 }] }))
    const responses = await Promise.all(bodies.map(body => send('patch', id, body)))
    assert.deepEqual(
      responses.map(({ status }) => status),
      bodies.map(() => 200),
    )
    assert.equal((await api().rows('lines')).length, 1)
  })

  test('OPTIONS describes the children', async () => {
    const response = await api().client.request('OPTIONS', '/orders/', asUser('ann'))
    const { lines: described } = response.json().actions.POST
    assert.deepEqual([described.type, described.read_only, described.max_length], ['list', false, 50])
    assert.equal(described.child.children.quantity.required, true)
  })
}
