// Children to which a column of their parent refers, such as the address of an order: they are written before the parent.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  createContext,
  type Database,
  integer,
  key,
  nested,
  publicId,
  type Resource,
  readOnly,
  related,
  resource,
  text,
  textKey,
  uuidKey,
} from 'resource-api'
import { addresses, addressMigrations, addressResources, log, orders } from '../support/address-tables.ts'
import { byAnn } from '../support/order-tables.ts'
import { asUser, type LibraryApi, onEachDatabase, people, startApi, userScheme } from '../support/own-api.ts'

const codes = resource('codes', {
  table: 'codes',
  key: textKey({ column: 'code', max: 5 }),
  fields: { code: key(), name: text({ max: 10 }) },
})

const books = resource('books', {
  table: 'books',
  fields: { id: key(), code: nested({ of: codes, column: 'code', writable: true, nullable: true }) },
})

const files = resource('files', { table: 'files', key: publicId('file'), fields: { id: key(), name: text() } })

const mails = resource('mails', {
  table: 'mails',
  key: uuidKey(),
  fields: { id: key(), file: nested({ of: files, column: 'file_id', writable: true, nullable: true }) },
  bulk: 'atomic',
})

const persons = resource('persons', {
  table: 'persons',
  fields: {
    id: key(),
    name: text(),
    partner: nested({
      of: { name: 'persons', table: 'persons', key: books.key, fields: { id: key(), name: text() } } as never,
      column: 'partner_id',
      fields: ['name'],
      writable: true,
      nullable: true,
    }),
  },
})

const migrations = {
  ...addressMigrations,
  async '0002_codes'({ schema }, { key, reference, text, uuid }) {
    await schema
      .createTable('codes')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('books')
      .addColumn('id', key)
      .addColumn('code', text, column => column.unique().references('codes.code'))
      .execute()
    await schema
      .createTable('files')
      .addColumn('id', key)
      .addColumn('public_id', text, column => column.notNull().unique())
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('mails')
      .addColumn('id', uuid, column => column.primaryKey().notNull())
      .addColumn('file_id', reference, column => column.unique().references('files.id'))
      .execute()
    await schema
      .createTable('persons')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('partner_id', reference, column => column.unique().references('persons.id'))
      .addColumn('friend_id', reference, column => column.references('persons.id'))
      .addColumn('boss_id', reference, column => column.references('persons.id'))
      .execute()
    const index = (column: string, condition: string) =>
      schema
        .createIndex(`persons_${column}`)
        .unique()
        .on('persons')
        .column(column)
        .where(sql<boolean>`${sql.raw(condition)}`)
        .execute()
    await index('friend_id', 'friend_id is not null')
    await index('boss_id', 'boss_id > 7')
  },
} satisfies typeof addressMigrations

const declared: readonly Resource[] = [...addressResources, codes, books, files, mails, persons]

const options = (database: Database) => ({ authentication: [userScheme], resources: declared, database })

onEachDatabase(options, define, { migrations })

function define(api: () => LibraryApi): void {
  beforeEach(async () => {
    await api().database.transaction(async ({ kysely }) => {
      for (const table of [
        'orders',
        'visits',
        'customers',
        'addresses',
        'places',
        'books',
        'codes',
        'mails',
        'files',
        'persons',
      ])
        await kysely.deleteFrom(table).execute()
    })
    log.length = 0
  })

  const send = async (method: 'post' | 'put' | 'patch', url: string, body: object, status = 200) => {
    const response = await api().client[method](url, byAnn(body))
    assert.equal(response.status, status, response.text)
    return response.json()
  }
  const create = (body: object, status = 201) => send('post', '/orders/', body, status)
  const listStreets = async () => (await api().rows('addresses')).map(({ street }) => street)
  const write = (table: string, values: object, id: number) =>
    api().database.transaction(({ kysely }) => kysely.updateTable(table).set(values).where('id', '=', id).execute())

  test('a create writes the object before its parent, whose column gets the key', async () => {
    const made = await create({
      number: 'A',
      address: { street: 'High Street', place: { latitude: 52 } },
      lines: [{ quantity: 2 }],
    })
    const [address] = await api().rows('addresses')
    assert.deepEqual(made, {
      id: made.id,
      number: 'A',
      address: { id: address!.id, street: 'High Street', code: null, place: { latitude: 52 } },
      billing: null,
      lines: [{ id: made.lines[0].id, quantity: 2 }],
    })
    const [order] = await api().rows('orders')
    assert.deepEqual([order!.address_id, order!.billing_id], [address!.id, null])
    assert.deepEqual((await api().client.get(`/orders/${made.id}/`, asUser('ann'))).json(), made)
    assert.deepEqual(log, ['order A to High Street', 'save High Street'])
  })

  test('a change changes the object in place, also without its key and at a deeper level', async () => {
    const { id, address } = await create({ number: 'A', address: { street: 'High Street', place: { latitude: 52 } } })
    const patched = await send('patch', `/orders/${id}/`, { address: { place: { latitude: 10 } } })
    assert.deepEqual(patched.address, { ...address, place: { latitude: 10 } })
    const put = await send('put', `/orders/${id}/`, {
      number: 'B',
      address: { id: address.id, street: 'Low Street' },
    })
    assert.deepEqual(put.address, { ...patched.address, street: 'Low Street' })
    assert.deepEqual((await send('patch', `/orders/${id}/`, { number: 'C' })).address, put.address)
    assert.deepEqual([(await api().rows('addresses')).length, (await api().rows('places')).length], [1, 1])
  })

  test('null removes the object if the parent need not have one', async () => {
    const body = { number: 'A', address: { street: 'High Street' }, billing: { street: 'Low Street' } }
    const { id } = await create(body)
    log.length = 0
    assert.equal((await send('patch', `/orders/${id}/`, { billing: null })).billing, null)
    assert.deepEqual([await listStreets(), log], [['High Street'], ['order A to undefined', 'destroy Low Street']])
    const added = await send('patch', `/orders/${id}/`, { billing: { street: 'Third Street' } })
    assert.equal(added.billing.street, 'Third Street')
    assert.deepEqual(await send('patch', `/orders/${id}/`, { address: null }, 400), {
      address: ['This field may not be null.'],
    })
    const { client } = api()
    assert.equal((await client.delete(`/orders/${id}/`, asUser('ann'))).status, 204)
    // The object outlives its parent.
    assert.deepEqual(await listStreets(), ['High Street', 'Third Street'])
  })

  test('errors are in their place, and nothing is written', async () => {
    const cases: readonly (readonly [body: object, errors: object])[] = [
      [{ number: 'A' }, { address: ['This field is required.'] }],
      [{ number: 'A', address: {} }, { address: { street: ['This field is required.'] } }],
      [
        { number: 'A', address: { street: 'x'.repeat(21), place: { latitude: 91 } } },
        {
          address: {
            street: ['Ensure this field has no more than 20 characters.'],
            place: { latitude: ['Ensure this value is less than or equal to 90.'] },
          },
        },
      ],
      [{ number: 'A', address: 7 }, { address: ['Invalid data. Expected a dictionary, but got int.'] }],
      [
        { number: 'A', address: { id: 999999, street: 'x' } },
        { address: { id: ['Invalid pk "999999" - object does not exist.'] } },
      ],
    ]
    for (const [body, errors] of cases) assert.deepEqual(await create(body, 400), errors)
    await create({ number: 'A', address: { street: 'One', code: 'c' } })
    const taken = await create({ number: 'A', address: { street: 'Two', code: 'c', place: { latitude: 1 } } }, 400)
    assert.deepEqual(taken, {
      number: ['There is an order with this number.'],
      address: { code: ['There is an address with this code.'] },
    })
    assert.deepEqual([await listStreets(), await api().rows('places')], [['One'], []])
  })

  test('a refusal of the database is an error at its place, and nothing is written', async () => {
    // Both pass the checks, and the constraint of the table refuses the second one.
    const body = { number: 'A', address: { street: 'One', code: 'c' }, billing: { street: 'Two', code: 'c' } }
    assert.deepEqual(await create(body, 400), { billing: { code: ['There is an address with this code.'] } })
    const items = ['A', 'B'].map(number => ({ number, address: { street: number, code: 'c' } }))
    assert.deepEqual(await create(items, 400), [{}, { address: { code: ['There is an address with this code.'] } }])
    assert.deepEqual([await listStreets(), await api().rows('orders')], [[], []])
  })

  test('the object of another parent cannot be named', async () => {
    const other = await create({ number: 'B', address: { street: 'Theirs' } })
    const { id } = await create({ number: 'A', address: { street: 'Mine' } })
    const errors = { id: [`Invalid pk "${other.address.id}" - object does not exist.`] }
    const stolen = { id: other.address.id, street: 'Stolen' }
    assert.deepEqual(await send('patch', `/orders/${id}/`, { address: stolen }, 400), { address: errors })
    assert.deepEqual(await send('patch', `/orders/${id}/`, { billing: stolen }, 400), { billing: errors })
    assert.deepEqual(await create({ number: 'C', address: stolen }, 400), { address: errors })
    assert.deepEqual(await listStreets(), ['Theirs', 'Mine'])
  })

  test('an object to which others refer stays: 409', async () => {
    const { id, billing } = await create({ number: 'A', address: { street: 'One' }, billing: { street: 'Two' } })
    await api().insert('visits', [{ address_id: billing.id }])
    const refused = await send('patch', `/orders/${id}/`, { billing: null }, 409)
    assert.deepEqual(refused, { detail: 'Other objects refer to this one.' })
    assert.deepEqual((await api().rows('orders'))[0]!.billing_id, billing.id)
  })

  test('hidden objects are neither changed nor removed', async () => {
    const { id, billing } = await create({ number: 'A', address: { street: 'One' }, billing: { street: 'Two' } })
    await write('addresses', { owner_id: 2 }, billing.id)
    const shown = await send('patch', `/orders/${id}/`, { number: 'B' })
    assert.equal(shown.billing, null)
    // The caller sends back the object that it received.
    await send('put', `/orders/${id}/`, shown)
    assert.equal((await api().rows('orders'))[0]!.billing_id, billing.id)
    const missing = { billing: { id: [`Invalid pk "${billing.id}" - object does not exist.`] } }
    assert.deepEqual(await send('patch', `/orders/${id}/`, { billing }, 400), missing)
    const replaced = await send('patch', `/orders/${id}/`, { billing: { street: 'Three' } })
    assert.equal(replaced.billing.street, 'Three')
    assert.deepEqual(await listStreets(), ['One', 'Two', 'Three'])
  })

  test('object permissions hold for changes and removals', async () => {
    const { id, billing } = await create({ number: 'A', address: { street: 'One' }, billing: { street: 'Fixed' } })
    for (const body of [{ billing: { street: 'x' } }, { billing: { id: billing.id } }, { billing: null }])
      await send('patch', `/orders/${id}/`, body, 403)
    assert.deepEqual(await listStreets(), ['One', 'Fixed'])
  })

  test("['add', 'change'] keeps the row that null leaves", async () => {
    const { id } = await create({ number: 'A', address: { street: 'One' }, billing: { street: 'Two' } })
    assert.equal((await send('patch', `/kept/${id}/`, { billing: null })).billing, null)
    assert.equal((await api().rows('orders'))[0]!.billing_id, null)
    assert.equal((await send('patch', `/kept/${id}/`, { billing: { street: 'Three' } })).billing.street, 'Three')
    assert.equal((await send('patch', `/kept/${id}/`, { billing: { street: 'Four' } })).billing.street, 'Four')
    assert.deepEqual(await listStreets(), ['One', 'Two', 'Four'])
  })

  test("['add'] replaces the object and keeps the old row; the one that is sent back stays", async () => {
    const { id, billing } = await create({ number: 'A', address: { street: 'One' }, billing: { street: 'Two' } })
    const { place: _, ...sentBack } = billing
    assert.deepEqual(
      (await send('patch', `/replaced/${id}/`, { billing: { ...sentBack, street: 'x' } })).billing,
      sentBack,
    )
    const replaced = await send('patch', `/replaced/${id}/`, { billing: { street: 'Three' } })
    assert.notEqual(replaced.billing.id, billing.id)
    assert.deepEqual(await listStreets(), ['One', 'Two', 'Three'])
  })

  test("['add', 'remove'] replaces the object and removes the old row", async () => {
    const body = { number: 'A', address: { street: 'One' }, billing: { street: 'Two', code: 'c' } }
    const { id } = await create(body)
    // The old row is removed last.
    assert.deepEqual(await send('patch', `/swapped/${id}/`, { billing: { street: 'Three', code: 'c' } }, 400), {
      billing: { code: ['There is an address with this code.'] },
    })
    await send('patch', `/swapped/${id}/`, { billing: { street: 'Three' } })
    assert.deepEqual(await listStreets(), ['One', 'Three'])
    await send('patch', `/swapped/${id}/`, { billing: null })
    assert.deepEqual(await listStreets(), ['One'])
  })

  test("['change'] and ['remove'] add nothing", async () => {
    const { id } = await create({ number: 'A', address: { street: 'One' } })
    for (const name of ['changed', 'removed'])
      assert.deepEqual(await send('patch', `/${name}/${id}/`, { billing: { street: 'x' } }, 400), {
        billing: ['There is no object to change.'],
      })
    await send('patch', `/orders/${id}/`, { billing: { street: 'Two' } })
    assert.equal((await send('patch', `/changed/${id}/`, { billing: { street: 'Three' } })).billing.street, 'Three')
    assert.equal((await send('patch', `/removed/${id}/`, { billing: { street: 'x' } })).billing.street, 'Three')
    assert.equal((await send('patch', `/removed/${id}/`, { billing: null })).billing, null)
    assert.deepEqual(await listStreets(), ['One'])
  })

  test('many objects, each with its own, are created and changed in one request', async () => {
    const bodies = ['A', 'B', 'C'].map(number => ({
      number,
      address: { street: `${number} Street`, place: { latitude: 1 } },
      ...(number === 'B' && { billing: { street: 'Bank' } }),
    }))
    const made = await create(bodies)
    assert.deepEqual(
      made.map((order: { address: { street: string }; billing: object | null }) => [
        order.address.street,
        order.billing !== null,
      ]),
      [
        ['A Street', false],
        ['B Street', true],
        ['C Street', false],
      ],
    )
    const [a, b, c] = made
    const changed = await send('patch', '/orders/', [
      { id: a.id, billing: { street: 'New' } },
      { id: b.id, billing: null },
      { id: c.id, number: 'D', address: { street: 'Moved' } },
    ])
    assert.deepEqual(
      changed.map((order: { number: string; address: { street: string }; billing: { street: string } | null }) => [
        order.number,
        order.address.street,
        order.billing?.street,
      ]),
      [
        ['A', 'A Street', 'New'],
        ['B', 'B Street', undefined],
        ['D', 'Moved', undefined],
      ],
    )
    assert.equal((await listStreets()).includes('Bank'), false)
    const refused = [
      { id: a.id, address: { street: 'x' } },
      { id: b.id, address: { street: '' } },
    ]
    assert.deepEqual(await send('patch', '/orders/', refused, 400), [
      {},
      { address: { street: ['This field may not be blank.'] } },
    ])
    assert.equal((await listStreets()).includes('x'), false)
  })

  test('children of a list have objects of their own', async () => {
    const { id, orders: made } = await send(
      'post',
      '/customers/',
      { name: 'Ann', orders: ['A', 'B'].map(number => ({ number, address: { street: number } })) },
      201,
    )
    assert.deepEqual(
      made.map((order: { address: { street: string } }) => order.address.street),
      ['A', 'B'],
    )
    const body = [
      { id: made[1].id, address: { street: 'B2' }, billing: { street: 'Bank' } },
      { number: 'C', address: { street: 'C' } },
    ]
    const { orders: now } = await send('patch', `/customers/${id}/`, { orders: body })
    assert.deepEqual(
      now.map((order: { address: { street: string }; billing: { street: string } | null }) => [
        order.address.street,
        order.billing?.street,
      ]),
      [
        ['B2', 'Bank'],
        ['C', undefined],
      ],
    )
    const wrong = { orders: [{ id: made[1].id }, { number: 'D', address: { street: 'D', code: 1 } }, { number: 'E' }] }
    assert.deepEqual(await send('patch', `/customers/${id}/`, wrong, 400), {
      orders: [{}, {}, { address: ['This field is required.'] }],
    })
  })

  test('shared: a change is one for all parents, and a row is never removed', async () => {
    const first = await send('post', '/visits/', { address: { street: 'One' } }, 201)
    const [second = 0] = await api().insert('visits', [{ address_id: first.address.id }])
    const { address } = await send('patch', `/visits/${second}/`, { address: { street: 'Two' } })
    assert.deepEqual(address, { id: first.address.id, street: 'Two' })
    const body = [first.id, second].map((id, index) => ({ id, address: { street: `Street ${index}` } }))
    const written = await send('patch', '/visits/', body, 207)
    assert.deepEqual(
      written.map((item: { status: number }) => item.status),
      [200, 200],
    )
    assert.equal((await send('patch', `/visits/${first.id}/`, { address: null })).address, null)
    assert.deepEqual(await listStreets(), ['Street 1'])
  })

  test('objects whose bodies give their keys are added, changed and replaced', async () => {
    const { id } = await send('post', '/books/', { code: { code: 'a', name: 'A' } }, 201)
    assert.deepEqual((await send('patch', `/books/${id}/`, { code: { code: 'a', name: 'B' } })).code.name, 'B')
    assert.deepEqual((await send('patch', `/books/${id}/`, { code: { code: 'b', name: 'B' } })).code.code, 'b')
    const list = async () =>
      (await api().database.kysely.selectFrom('codes').select('code').execute()).map(row => row.code)
    assert.deepEqual(await list(), ['b'])
    const other = await send('post', '/books/', { code: { code: 'c', name: 'C' } }, 201)
    assert.deepEqual(await send('patch', `/books/${other.id}/`, { code: { code: 'b', name: 'x' } }, 400), {
      code: { code: ['This field must be unique.'] },
    })
  })

  test('keys of other kinds', async () => {
    const body = ['one', 'two'].map(name => ({ file: { name } }))
    const [one, two] = await send('post', '/mails/', body, 201)
    assert.match(one.file.id, /^file_/)
    const changed = await send('patch', `/mails/${one.id}/`, { file: { id: one.file.id, name: 'new' } })
    assert.deepEqual(changed.file, { id: one.file.id, name: 'new' })
    assert.deepEqual(await send('patch', `/mails/${one.id}/`, { file: { id: two.file.id, name: 'x' } }, 400), {
      file: { id: [`Invalid pk "${two.file.id}" - object does not exist.`] },
    })
    assert.equal((await send('patch', `/mails/${one.id}/`, { file: null })).file, null)
    assert.deepEqual(
      (await api().rows('files')).map(({ name }) => name),
      ['two'],
    )
  })

  test('each: a refused item leaves nothing, and the others are written with their objects', async () => {
    const streets = ['One', '', 'Fixed', 'Two']
    const written = await send(
      'post',
      '/visits/',
      streets.map(street => ({ address: { street } })),
      207,
    )
    assert.deepEqual(
      written.map((item: { status: number }) => item.status),
      [201, 400, 201, 201],
    )
    assert.deepEqual(written[1].body, { address: { street: ['This field may not be blank.'] } })
    const ids = [0, 2].map(index => written[index].body.id)
    const changed = await send(
      'patch',
      '/visits/',
      ids.map(id => ({ id, address: { street: 'New' } })),
      207,
    )
    assert.deepEqual(
      changed.map((item: { status: number }) => item.status),
      [200, 403],
    )
    assert.deepEqual(await listStreets(), ['New', 'Fixed', 'Two'])
  })

  test('the object may be a row of the same table', async () => {
    const { id, partner } = await send('post', '/persons/', { name: 'Ann', partner: { name: 'Bob' } }, 201)
    assert.deepEqual(partner, { name: 'Bob' })
    assert.deepEqual((await send('patch', `/persons/${id}/`, { partner: { name: 'Rob' } })).partner, { name: 'Rob' })
    assert.deepEqual(
      (await api().rows('persons')).map(({ name }) => name),
      ['Rob', 'Ann'],
    )
    await send('patch', `/persons/${id}/`, { partner: null })
    assert.equal((await api().rows('persons')).length, 1)
  })

  test('writers at the same time leave one object, and no row to which nothing refers', async () => {
    const { id } = await create({ number: 'A', address: { street: 'One' } })
    const bodies = Array.from({ length: 8 }, (_, index) => ({
      billing: index % 3 === 0 ? null : { street: `S${index}` },
    }))
    const responses = await Promise.all(bodies.map(body => api().client.patch(`/orders/${id}/`, byAnn(body))))
    assert.deepEqual(
      responses.map(({ status }) => status),
      bodies.map(() => 200),
    )
    const [order] = await api().rows('orders')
    const kept = (await api().rows('addresses')).map(row => row.id)
    assert.deepEqual(
      kept,
      [order!.address_id, order!.billing_id].filter(key => key !== null),
    )
  })

  test('forms contain the fields of the object, or JSON text', async () => {
    const form = { number: 'A', 'address.street': 'One', billing: '{"street": "Two"}' }
    const response = await api().client.post('/orders/', { form, ...asUser('ann') })
    assert.equal(response.status, 201, response.text)
    const { id, address, billing } = response.json()
    assert.deepEqual([address.street, billing.street], ['One', 'Two'])
    const removed = await api().client.patch(`/orders/${id}/`, {
      form: { 'billing._remove': 'true', 'address.street': 'Three', 'address.id': String(address.id) },
      ...asUser('ann'),
    })
    assert.deepEqual([removed.json().address.street, removed.json().billing], ['Three', null])
  })

  test('OPTIONS says which object a body needs', async () => {
    const response = await api().client.request('OPTIONS', '/orders/', asUser('ann'))
    const { address, billing } = response.json().actions.POST
    assert.deepEqual([address.type, address.required, billing.required], ['nested object', true, false])
    assert.equal(address.children.street.required, true)
  })

  test('code that calls an action gives the object too', async () => {
    const context = createContext(api().app, { user: people.ann })
    const made = await orders.create({ number: 'A', address: { street: 'One' } }, context)
    assert.equal(made.values.address.street, 'One')
    const changed = await orders.update(made.key, { address: { street: 'Two' }, billing: { street: 'B' } }, context)
    assert.deepEqual([changed.values.address.street, changed.values.billing!.street], ['Two', 'B'])
  })

  test('the OpenAPI document says where there is always an object', async () => {
    const letters = resource('letters', {
      table: 'mails',
      key: uuidKey(),
      fields: { id: key(), file: nested({ of: files, column: 'file_id', fields: ['name'], writable: true }) },
    })
    const resources = [...declared, letters]
    const started = await startApi({ ...options(api().database), resources, openapi: {} })
    try {
      const { schemas } = (await started.client.get('/openapi.json')).json().components
      const body = { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] }
      const { properties, required } = schemas.LetterCreate
      assert.deepEqual([properties.file, required], [body, ['file']])
      assert.equal(schemas.Letter.properties.file.type, 'object')
      assert.deepEqual(schemas.Mail.properties.file.type, ['object', 'null'])
      // A row filter may hide the address.
      assert.deepEqual(schemas.Order.properties.address.type, ['object', 'null'])
      assert.deepEqual(schemas.OrderCreate.required, ['number', 'address'])
    } finally {
      await started.stop()
    }
  })

  test('an index that leaves out rows with values does not make a column unique', async () => {
    const start = async (column: string) => {
      const referring = resource('referring', {
        table: 'persons',
        fields: {
          id: key(),
          name: text(),
          other: nested({ of: addresses, column, fields: ['street'], writable: true, nullable: true }),
        },
      })
      const started = await startApi({ ...options(api().database), resources: [...declared, referring] })
      try {
        await started.app.ready()
      } finally {
        await started.stop()
      }
    }
    await start('friend_id')
    await assert.rejects(start('boss_id'), /column "boss_id" of table "persons" is not unique/)
  })

  test('mistakes in declarations are errors at start that name the fix', async () => {
    const column = 'billing_id'
    const writable = true
    const cases: readonly (readonly [fields: () => object, message: RegExp])[] = [
      [
        () => ({ a: nested({ of: addresses, column: 'customer_id', writable, nullable: true }) }),
        /column "customer_id" of table "orders" is not unique, so a write of one object could change that of another: add a UNIQUE constraint with a migration, or set shared: true/,
      ],
      [
        () => ({ a: nested({ of: addresses, column, writable, shared: true }) }),
        /shared: other objects may refer to the same one, so bodies cannot remove it: write writable: \['add', 'change'\]/,
      ],
      [
        () => ({ ship: nested({ of: addresses, column: 'address_id', writable, nullable: true }) }),
        /field "ship": nullable, but column "address_id" is NOT NULL: remove nullable/,
      ],
      [
        () => ({ a: nested({ of: addresses, column, nullable: true }) }),
        /"nullable" is for writable objects: add "writable"/,
      ],
      [
        () => ({ a: nested({ of: addresses, column, shared: true }) }),
        /"shared" is for writable objects: add "writable"/,
      ],
      [
        () => ({ a: nested({ of: addresses, one: { reverse: 'place_id' }, writable, nullable: true }) }),
        /"nullable" is for an object with "column": remove it/,
      ],
      [
        () => ({ a: nested({ of: addresses, column, writable, nullable: 'yes' as never }) }),
        /nullable must be true or false/,
      ],
      [() => ({ a: nested({ of: addresses, column, writable, max: 3 }) }), /"max" and "position" are for lists/],
      [
        () => ({ a: nested({ of: addresses, column, writable: ['change', 'remove'] }) }),
        /'remove' has no effect if the object is neither null nor replaced: set nullable: true, or name 'add'/,
      ],
      [
        () => ({ a: nested({ of: addresses, column, writable: ['change'] }) }),
        /field "a" of "wrong": writable: a new object of "wrong" needs it: name 'add', or set nullable: true/,
      ],
      [
        () => ({
          a: nested({ of: addresses, column, writable, nullable: true }),
          b: related(addresses, { column, nullable: true }),
        }),
        /fields "a" and "b" both write column "billing_id": wrap one of them in readOnly\(\)/,
      ],
      [
        () => ({ a: nested({ of: addresses, column, fields: ['id'], writable, nullable: true }) }),
        /a new object of "addresses" needs the field "street": add it to "fields"/,
      ],
      [
        () => ({ a: nested({ of: addresses, column: 'id', writable }) }),
        /field "a" writes the key column "id": name another column/,
      ],
      [() => ({ a: nested({ of: addresses, column: 'bill_id', writable }) }), /table "orders" has no column "bill_id"/],
    ]
    for (const [createFields, message] of cases)
      await assert.rejects(async () => {
        const wrong = resource('wrong', {
          table: 'orders',
          fields: {
            id: key(),
            number: readOnly(text()),
            ship: integer({ column: 'address_id' }),
            ...createFields(),
          } as never,
        })
        const started = await startApi({ ...options(api().database), resources: [...declared, wrong as never] })
        try {
          await started.app.ready()
        } finally {
          await started.stop()
        }
      }, message)
  })
}
