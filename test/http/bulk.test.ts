// Requests with many objects: all or none, and every item by itself.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  authenticated,
  type BulkOptions,
  type Database,
  file,
  folder,
  idempotencyMigrations,
  integer,
  key,
  memoryStore,
  type Observation,
  PermissionDenied,
  type Resource,
  related,
  resource,
  text,
  userThrottle,
  ValidationError,
} from 'resource-api'

import { byAnn, invoices, lines, notes, orderMigrations, orders, ownRows, products } from '../support/order-tables.ts'
import { asUser, type LibraryApi, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'

const items = (name: string, bulk: 'atomic' | 'each' | BulkOptions) =>
  resource(name, {
    table: 'products',
    fields: { id: key(), name: text({ max: 10, unique: 'There is a product with this name.' }) },
    hookColumns: ['owner_id'],
    permissions: [
      ownRows,
      { columns: ['name'], allowsObject: ({ method }, { name: given }) => method === 'GET' || given !== 'locked' },
    ],
    bulk,
  })

const saved: string[] = []

const parts = resource('parts', {
  table: 'lines',
  fields: {
    id: key(),
    order: related(orders),
    product: related(products),
    quantity: integer({ default: 1 }),
  },
  hookColumns: ['owner_id', 'position', 'extras'],
  uniqueTogether: [['order', 'product']],
  nestedUnder: [{ parent: orders, field: 'order' }],
  bulk: 'atomic',
  beforeSave({ values, action }) {
    saved.push(`${action} ${values.quantity}`)
    if (values.quantity === 13) throw new ValidationError({ quantity: 'Thirteen is not sold.' })
    if (values.quantity === 14) throw new PermissionDenied()
    return action === 'create' ? { owner_id: null } : {}
  },
  beforeDestroy({ before }) {
    if (before.quantity === 15) throw new ValidationError({ quantity: 'Fifteen stay.' })
  },
})

const slips = resource('slips', {
  table: 'invoices',
  fields: { id: key(), order: related(orders), number: text() },
  nestedUnder: [{ parent: orders, field: 'order' }],
  bulk: 'each',
  beforeSave({ values }) {
    if (values.number === 'crash') throw new Error('the printer is empty')
    return {}
  },
})

const observed: Observation[] = []
const statements: string[] = []

const declared = [
  products,
  { ...orders, name: 'orders', bulk: 'atomic' },
  lines,
  notes,
  invoices,
  items('atomic', 'atomic'),
  items('each', { mode: 'each', max: 5 }),
  parts,
  slips,
  {
    ...items('creating', { mode: 'atomic', actions: ['create'] }),
    permissions: [authenticated],
  },
] satisfies readonly Resource[]

const options = (database: Database) => ({
  authentication: [userScheme],
  resources: [
    ...declared,
    { ...items('throttled', 'atomic'), throttles: [userThrottle({ rates: '5/day', store: memoryStore() })] },
  ],
  idempotencyKeys: true,
  observe: (observation: Observation) => void observed.push(observation),
  database,
})

onEachDatabase(options, define, {
  migrations: orderMigrations,
  owners: [idempotencyMigrations],
  observe: text => statements.push(text),
})

function define(api: () => LibraryApi): void {
  let [tea, jam, hidden, locked] = [0, 0, 0, 0]

  beforeEach(async () => {
    const { database, insert } = api()
    await database.transaction(async ({ kysely }) => {
      for (const table of ['orders', 'products']) await kysely.deleteFrom(table).execute()
    })
    const rows = [
      { name: 'tea', owner_id: null },
      { name: 'jam', owner_id: null },
      { name: 'gold', owner_id: 2 },
      { name: 'locked', owner_id: null },
    ]
    ;[tea = 0, jam = 0, hidden = 0, locked = 0] = await insert('products', rows)
    saved.length = 0
    observed.length = 0
  })

  const names = async () => (await api().rows('products')).map(row => row.name)
  const send = async (method: string, url: string, body: unknown, status: number) => {
    const response = await api().client.request(method, url, byAnn(body))
    assert.equal(response.status, status, response.text)
    return response.text === '' ? undefined : response.json()
  }
  const missing = (value: unknown) => ({ id: [`Invalid pk "${value}" - object does not exist.`] })

  test('atomic: an array creates objects, in its order, and one object is created as before', async () => {
    const wanted = Array.from({ length: 300 }, (_, index) => ({ name: `n${(index * 7) % 300}` }))
    statements.length = 0
    const made = await send('POST', '/atomic/', wanted, 201)
    assert.deepEqual(
      made.map(({ name }: { readonly name: string }) => ({ name })),
      wanted,
    )
    // SQLite has no round trips, and is fastest with a parameter per value.
    const isSqlite = api().database.dialect.name === 'sqlite'
    assert.equal(statements.filter(statement => statement.includes('insert into')).length, isSqlite ? 3 : 1)
    assert.equal((await send('POST', '/atomic/', { name: 'one' }, 201)).name, 'one')
    assert.deepEqual(await send('POST', '/atomic/', [], 201), [])
  })

  test('atomic: a 400 has the errors of the wrong items, and nothing is written', async () => {
    const body = [{ name: 'new' }, { name: 'tea' }, {}, 7, { name: 'new' }]
    assert.deepEqual(await send('POST', '/atomic/', body, 400), [
      {},
      { name: ['There is a product with this name.'] },
      { name: ['This field is required.'] },
      { non_field_errors: ['Invalid data. Expected a dictionary, but got int.'] },
      {},
    ])
    assert.deepEqual(await send('POST', '/atomic/', [{ name: 'new' }, { name: 'new' }], 400), [
      {},
      { name: ['There is a product with this name.'] },
    ])
    assert.deepEqual(await names(), ['tea', 'jam', 'gold', 'locked'])
  })

  test('atomic: PATCH and PUT change the objects that the items name', async () => {
    const body = [
      { id: jam, name: 'jam 2' },
      { id: tea, name: 'tea 2' },
    ]
    assert.deepEqual(await send('PATCH', '/atomic/', body, 200), body)
    assert.deepEqual(await send('PUT', '/atomic/', [{ id: tea }], 400), [{ name: ['This field is required.'] }])
    assert.deepEqual(await names(), ['tea 2', 'jam 2', 'gold', 'locked'])
    const calls = observed.flatMap(observation =>
      observation.calls.map(({ method, path, viewId }) => [method, path, viewId]),
    )
    assert.deepEqual(calls, [
      ['PATCH', `/atomic/${jam}/`, 'atomic-detail'],
      ['PATCH', `/atomic/${tea}/`, 'atomic-detail'],
    ])
  })

  test('atomic: changes of the same fields are one statement, others one by one', async () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ name: `row ${index}`, owner_id: null }))
    const ids = await api().insert('products', rows)
    const body = ids.map((id, index) => ({ id, name: `new ${index}` })).reverse()
    const countUpdates = () => statements.filter(statement => statement.startsWith('update')).length
    statements.length = 0
    assert.deepEqual(await send('PATCH', '/atomic/', body, 200), body)
    assert.equal(countUpdates(), 1)
    const mixed = [{ id: ids[0], name: 'a' }, { id: ids[1] }, { id: ids[2], name: 'c' }]
    const shown = await send('PATCH', '/atomic/', mixed, 200)
    assert.deepEqual(
      shown.map(({ name }: { readonly name: string }) => name),
      ['a', 'new 1', 'c'],
    )
    // Two objects cannot swap unique values.
    const taken = [
      { id: ids[0], name: 'new 1' },
      { id: ids[1], name: 'a' },
    ]
    assert.deepEqual(await send('PATCH', '/atomic/', taken, 400), [
      { name: ['There is a product with this name.'] },
      {},
    ])
  })

  test('atomic: items without a key, of unknown, hidden and forbidden objects, and repeated ones', async () => {
    const body = [{ id: tea, name: 'x' }, { name: 'x' }, { id: 99999, name: 'x' }, { id: hidden }, { id: tea }, 'x']
    assert.deepEqual(await send('PATCH', '/atomic/', body, 400), [
      {},
      { id: ['This field is required.'] },
      missing(99999),
      missing(hidden),
      { id: ['This key is given twice.'] },
      { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] },
    ])
    const refused = [
      { id: tea, name: 'x' },
      { id: locked, name: 'y' },
    ]
    assert.deepEqual(await send('PATCH', '/atomic/', refused, 403), [
      {},
      { detail: 'You do not have permission to perform this action.' },
    ])
    assert.deepEqual(await send('DELETE', '/atomic/', [tea, locked], 403), [
      {},
      { detail: 'You do not have permission to perform this action.' },
    ])
    assert.deepEqual(await names(), ['tea', 'jam', 'gold', 'locked'])
  })

  test('atomic: DELETE takes keys, or objects with their keys', async () => {
    assert.deepEqual(await send('DELETE', '/atomic/', [tea, hidden], 400), [{}, missing(hidden)])
    const refused = await api().client.delete('/atomic/', {
      headers: { ...asUser('ann').headers, 'content-type': 'application/json' },
      body: '[9007199254740993]',
    })
    assert.deepEqual(refused.json(), [
      { non_field_errors: ['Ensure this value is less than or equal to 9007199254740991.'] },
    ])
    await send('DELETE', '/atomic/', [tea, { id: jam }], 204)
    assert.deepEqual(await names(), ['gold', 'locked'])
    assert.deepEqual(
      observed.at(-1)!.calls.map(({ method, path }) => `${method} ${path}`),
      [`DELETE /atomic/${tea}/`, `DELETE /atomic/${jam}/`],
    )
  })

  test('atomic: hooks run for each item, and their errors are in the place of the item', async () => {
    const { id: order } = await send('POST', '/orders/', { number: 'A' }, 201)
    const made = await send('POST', `/orders/${order}/parts/`, [{ product: tea, quantity: 2 }, { product: jam }], 201)
    assert.deepEqual(saved, ['create 2', 'create 1'])
    assert.deepEqual(
      made.map((part: { readonly order: number }) => part.order),
      [order, order],
    )
    const ids = made.map((part: { readonly id: number }) => part.id)
    assert.deepEqual(
      await send(
        'PATCH',
        '/parts/',
        [
          { id: ids[0], quantity: 1 },
          { id: ids[1], quantity: 13 },
        ],
        400,
      ),
      [{}, { quantity: ['Thirteen is not sold.'] }],
    )
    assert.equal((await send('PATCH', '/parts/', [{ id: ids[0], quantity: 14 }], 403))[0].detail.length, 50)
    assert.deepEqual(
      (await api().rows('lines')).map(row => row.quantity),
      [2, 1],
    )
    const { id: other } = await send('POST', '/orders/', { number: 'B' }, 201)
    assert.deepEqual(await send('PATCH', `/orders/${other}/parts/`, [{ id: ids[0], quantity: 1 }], 400), [
      missing(ids[0]),
    ])
  })

  test('atomic: errors of DELETE are in the places of the items', async () => {
    const { id: order } = await send('POST', '/orders/', { number: 'A' }, 201)
    const made = await send(
      'POST',
      `/orders/${order}/parts/`,
      [
        { product: jam, quantity: 2 },
        { product: locked, quantity: 15 },
      ],
      201,
    )
    const ids = made.map((part: { readonly id: number }) => part.id)
    assert.deepEqual(await send('DELETE', '/parts/', ids, 400), [{}, { quantity: ['Fifteen stay.'] }])
    assert.deepEqual(await send('DELETE', '/atomic/', [tea, jam], 409), [
      {},
      { detail: 'Other objects refer to this one.' },
    ])
    assert.deepEqual(await names(), ['tea', 'jam', 'gold', 'locked'])
    assert.equal((await api().rows('lines')).length, 2)
  })

  test('atomic: objects with children', async () => {
    const body = [
      {
        number: 'A',
        lines: [
          { product: tea, quantity: 1 },
          { product: jam, quantity: 2 },
        ],
      },
      { number: 'B', lines: [{ product: tea, quantity: 0 }] },
    ]
    assert.deepEqual(await send('POST', '/orders/', body, 400), [
      {},
      { lines: [{ quantity: ['Ensure this value is greater than or equal to 1.'] }] },
    ])
    body[1]!.lines[0]!.quantity = 3
    const made = await send('POST', '/orders/', body, 201)
    assert.deepEqual(
      made.map((order: { readonly lines: readonly { readonly quantity: number }[] }) =>
        order.lines.map(line => line.quantity),
      ),
      [[1, 2], [3]],
    )
  })

  test('each: a 207 has the status and the body of each item', async () => {
    const body = [{ name: 'new' }, { name: 'tea' }, { name: 'new' }]
    const [first, second, third] = await send('POST', '/each/', body, 207)
    assert.deepEqual(first, {
      status: 201,
      location: `http://localhost/each/${first.body.id}/`,
      body: { id: first.body.id, name: 'new' },
    })
    assert.deepEqual(
      [second, third],
      [
        { status: 400, body: { name: ['There is a product with this name.'] } },
        { status: 400, body: { name: ['There is a product with this name.'] } },
      ],
    )
    assert.deepEqual(await names(), ['tea', 'jam', 'gold', 'locked', 'new'])
    assert.equal(observed.at(-1)!.calls.length, 1)
  })

  test('each: changes and deletions of objects, of which the caller may write only some', async () => {
    const body = [{ id: tea, name: 'tea 2' }, { id: locked, name: 'x' }, { id: hidden, name: 'x' }, { name: 'x' }]
    assert.deepEqual(await send('PATCH', '/each/', body, 207), [
      { status: 200, body: { id: tea, name: 'tea 2' } },
      { status: 403, body: { detail: 'You do not have permission to perform this action.' } },
      { status: 404, body: { detail: 'Not found.' } },
      { status: 400, body: { id: ['This field is required.'] } },
    ])
    assert.deepEqual(await send('DELETE', '/each/', [tea, hidden], 207), [
      { status: 204 },
      { status: 404, body: { detail: 'Not found.' } },
    ])
    assert.deepEqual(await names(), ['jam', 'gold', 'locked'])
  })

  test('each: the second item with a key is wrong', async () => {
    const body = [
      { id: tea, name: 'a' },
      { id: jam, name: 'b' },
      { id: tea, name: 'c' },
    ]
    const repeated = { status: 400, body: { id: ['This key is given twice.'] } }
    assert.deepEqual(await send('PATCH', '/each/', body, 207), [
      { status: 200, body: body[0] },
      { status: 200, body: body[1] },
      repeated,
    ])
    assert.deepEqual(await send('DELETE', '/each/', [jam, { id: jam }], 207), [{ status: 204 }, repeated])
    assert.deepEqual(await names(), ['a', 'gold', 'locked'])
  })

  test('below a parent that does not exist, every method is 404', async () => {
    for (const path of ['/orders/99999/parts/', '/orders/99999/slips/'])
      for (const [method, body] of [
        ['POST', [{ number: '1' }]],
        ['PUT', [{ id: 1 }]],
        ['PATCH', [{ id: 1 }]],
        ['DELETE', [1]],
        ['POST', []],
        ['PATCH', []],
        ['DELETE', []],
      ] as const)
        assert.deepEqual(await send(method, path, body, 404), { detail: 'Not found.' }, `${method} ${path}`)
  })

  test('each: an exception of a hook that is not catalogued is 500, and nothing is written', async () => {
    const { id: order } = await send('POST', '/orders/', { number: 'A' }, 201)
    for (const body of [
      [{ number: '1' }, { number: 'crash' }],
      [{ number: '1' }, {}, { number: 'crash' }],
    ])
      await send('POST', `/orders/${order}/slips/`, body, 500)
    assert.deepEqual(await api().rows('invoices'), [])
  })

  test('each: items that are all right', async () => {
    assert.deepEqual(
      await send(
        'PATCH',
        '/each/',
        [
          { id: tea, name: 'a' },
          { id: jam, name: 'b' },
        ],
        207,
      ),
      [
        { status: 200, body: { id: tea, name: 'a' } },
        { status: 200, body: { id: jam, name: 'b' } },
      ],
    )
    assert.deepEqual(await send('DELETE', '/each/', [], 207), [])
  })

  test('too many items, and bodies that are no array', async () => {
    const many = Array.from({ length: 6 }, (_, index) => ({ name: `${index}` }))
    assert.deepEqual(await send('POST', '/each/', many, 400), {
      non_field_errors: ['Ensure this field has no more than 5 elements.'],
    })
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      assert.deepEqual(await send(method, '/atomic/', { id: tea }, 400), {
        non_field_errors: ['Expected a list of items but got type "dict".'],
      })
    assert.deepEqual(await send('POST', '/products/', [{ name: 'x' }], 400), {
      non_field_errors: ['Invalid data. Expected a dictionary, but got list.'],
    })
  })

  test('forms are no arrays', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      const { status, text: shown } = await api().client.request(method, '/atomic/', {
        ...asUser('ann'),
        form: { id: String(tea) },
      })
      assert.deepEqual(
        [status, shown],
        [400, '{"non_field_errors":["Expected a list of items but got type \\"dict\\"."]}'],
      )
    }
  })

  test('OPTIONS describes what the caller may do with many objects', async () => {
    const describe = async (path: string, name: 'ann' | 'nobody' = 'ann') =>
      (await api().client.request('OPTIONS', path, asUser(name))).json().bulk
    assert.deepEqual(await describe('/each/'), {
      mode: 'each',
      max: 5,
      actions: ['create', 'update', 'destroy'],
      key: 'id',
    })
    assert.deepEqual(await describe('/creating/'), { mode: 'atomic', max: 1000, actions: ['create'] })
    assert.deepEqual(await describe('/creating/', 'nobody'), undefined)
    assert.deepEqual(await describe('/products/'), undefined)
  })

  test('throttles count each item, and nothing of a request that they refuse', async () => {
    const create = async (count: number) => {
      const body = Array.from({ length: count }, (_, index) => ({ name: `${count} ${index}` }))
      const { status, headers, text: shown } = await api().client.post('/throttled/', byAnn(body))
      return { status, rates: headers.ratelimit?.match(/r=\d/)?.[0], shown }
    }
    const tooMany = await create(6)
    assert.deepEqual(
      [tooMany.status, tooMany.shown],
      [400, '{"non_field_errors":["Ensure this field has no more than 5 elements."]}'],
    )
    const first = await create(3)
    assert.deepEqual([first.status, first.rates], [201, 'r=2'])
    const refused = await create(4)
    assert.deepEqual([refused.status, refused.rates], [429, 'r=2'])
    const second = await create(2)
    assert.deepEqual([second.status, second.rates], [201, 'r=0'])
    assert.equal((await create(1)).status, 429)
    assert.equal((await names()).length, 9)
  })

  test('a precondition of many objects is refused', async () => {
    for (const header of ['if-match', 'if-none-match', 'if-unmodified-since'])
      for (const method of ['PATCH', 'PUT', 'DELETE']) {
        const headers = { ...asUser('ann').headers, [header]: '*' }
        const response = await api().client.request(method, '/each/', { headers, json: [{ id: tea }] })
        assert.equal(response.status, 400)
        assert.deepEqual(response.json(), {
          detail: 'A precondition such as If-Match is about one object. Send it to the URL of that object.',
        })
      }
    assert.equal((await names()).length, 4)
  })

  test('a request with an Idempotency-Key creates its objects once', async () => {
    const request = {
      ...byAnn([{ name: 'a' }, { name: 'b' }]),
      headers: { ...asUser('ann').headers, 'idempotency-key': 'k' },
    }
    const first = await api().client.post('/atomic/', request)
    const second = await api().client.post('/atomic/', request)
    assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text])
    assert.equal((await names()).length, 6)
  })

  test('two requests for one name at a time: the second is an error at its place', async () => {
    const responses = await Promise.all(
      [1, 2, 3].map(index => api().client.post('/atomic/', byAnn([{ name: `n${index}` }, { name: 'same' }]))),
    )
    assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 400, 400])
    const refused = responses.find(({ status }) => status === 400)!
    assert.deepEqual(refused.json()[0], {})
    assert.deepEqual(Object.keys(refused.json()[1]), ['name'])
  })

  test('mistakes in declarations are errors at start that name the fix', async () => {
    const fields = { id: key(), name: text({ max: 10 }) }
    const cases: readonly (readonly [options: object, message: RegExp])[] = [
      [{ fields, bulk: 'all' }, /bulk: the mode must be "atomic" or "each"/],
      [{ fields, bulk: true }, /bulk: the mode must be "atomic" or "each"/],
      [{ fields, bulk: null }, /bulk: write 'atomic', 'each', or \{ mode, max, actions \}/],
      [{ fields, bulk: { mode: 'each', maximum: 5 } }, /bulk: there is no option "maximum"/],
      [{ fields, bulk: { mode: 'each', max: '5' } }, /bulk: max is 5: give a whole number/],
      [{ fields, bulk: { mode: 'each', actions: 'create' } }, /bulk: actions must be a list: write \["create"\]/],
      [{ fields, bulk: { mode: 'each', max: 0 } }, /bulk: max is 0: give a whole number/],
      [{ fields, bulk: { mode: 'atomic', missing: 'ignore' } }, /bulk: missing must be 'refuse' or 'skip'/],
      [{ fields, bulk: { mode: 'each', missing: 'skip' } }, /bulk: missing: 'each' has a status for each item/],
      [{ fields, bulk: { mode: 'each', actions: [] } }, /bulk: .*: name some actions of create, update, destroy/],
      [
        { fields: { ...fields, scan: file({ store: folder('unused') }) }, bulk: 'each' },
        /bulk: a new object needs the file "scan".*: declare the file as nullable, or leave out 'create'/,
      ],
      [{ fields, bulk: { mode: 'each', actions: ['list'] } }, /bulk: there is no action "list" for many objects/],
      [
        { fields, bulk: { mode: 'each', actions: ['create'] }, actions: ['list'] },
        /bulk: the resource has no action "create"/,
      ],
      [{ fields: { name: fields.name }, bulk: 'each' }, /bulk: .*: add the field key\(\)/],
      [{ fields, bulk: 'each', requireIfMatch: true }, /bulk: .* or remove "requireIfMatch"/],
      [
        { fields, bulk: 'each', listMethods: { handlers: { DELETE: () => ({ status: 204 }) } } },
        /"listMethods" has DELETE too/,
      ],
    ]
    for (const [wrong, message] of cases)
      await assert.rejects(async () => {
        const api = await startApi({
          resources: [resource('wrong', { table: 'products', ...wrong } as never) as never],
        })
        await api.stop()
      }, message)
  })
}
