// The options of nested writes: what a body may do with the children, their order, hooks, and mistakes in declarations.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  createContext,
  type Database,
  file,
  folder,
  ignorePermissions,
  integer,
  key,
  nested,
  type Resource,
  readOnly,
  related,
  resource,
  text,
  textKey,
  ValidationError,
  writeOnly,
} from 'resource-api'
import { byAnn, invoices, lines, notes, orderMigrations, orders, products } from '../support/order-tables.ts'
import { type LibraryApi, onEachDatabase, people, startApi, userScheme } from '../support/own-api.ts'

const log: string[] = []

const parts = resource('parts', {
  table: 'lines',
  fields: {
    id: key(),
    basket: related('baskets', { column: 'order_id' }),
    product: related(products),
    quantity: integer({ default: 1 }),
  },
  hookColumns: ['position', 'owner_id'],
  uniqueTogether: [['basket', 'product']],
  validate({ values }) {
    log.push(`validate ${values.quantity} of ${values.basket === undefined ? 'a new basket' : 'a basket'}`)
  },
  beforeSave({ values }) {
    log.push(`beforeSave ${values.quantity} of ${values.basket === undefined ? 'a new basket' : 'a basket'}`)
    if (values.quantity === 13) throw new ValidationError({ quantity: 'Thirteen is not sold.' })
  },
  afterSave: ({ action, after }) => void log.push(`afterSave ${action} ${after.quantity}`),
  beforeDestroy: ({ before }) => void log.push(`beforeDestroy ${before.quantity}`),
})

const scans = resource('scans', {
  table: 'lines',
  fields: { id: key(), order: related('orders'), content: file({ store: folder('unused'), column: 'extras' }) },
})

const bareLines = resource('bare-lines', { table: 'lines', fields: { id: key() }, actions: ['list'] })

const fields = ['id', 'product', 'quantity'] as const

const baskets = resource('baskets', {
  table: 'orders',
  fields: {
    id: key(),
    number: text(),
    parts: nested({ of: parts, many: { reverse: 'order_id' }, fields, writable: true, position: 'position' }),
  },
  afterSave: ({ after }) => void log.push(`parent: ${JSON.stringify(after.parts?.map(part => part.quantity))}`),
})

const limited = (name: string, writable: readonly ('add' | 'change' | 'remove')[]) =>
  resource(name, {
    table: 'orders',
    fields: {
      id: key(),
      number: text(),
      lines: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['id', 'product', 'quantity'], writable }),
    },
  })

const codes = resource('codes', {
  table: 'codes',
  key: textKey({ column: 'code', max: 5 }),
  fields: { code: key(), name: text({ max: 10 }), number: text({ unique: 'There is a code with this number.' }) },
})

const books = resource('books', {
  table: 'code_books',
  fields: { id: key(), codes: nested({ of: codes, many: { reverse: 'book_id' }, writable: true }) },
  bulk: 'atomic',
})

const singleCodes = resource('single-codes', {
  table: 'single_codes',
  key: textKey({ column: 'code', max: 5 }),
  fields: { code: key(), name: text({ max: 10 }), number: text() },
})

const single = resource('single', {
  table: 'code_books',
  fields: { id: key(), code: nested({ of: singleCodes, one: { reverse: 'book_id' }, writable: true }) },
})

const keyed = resource('keyed', {
  table: 'orders',
  fields: {
    id: key(),
    number: text(),
    invoice: nested({ of: invoices, one: { reverse: 'order_id' }, fields: ['id', 'number'], writable: true }),
  },
})

const billed = resource('billed', {
  table: 'orders',
  fields: {
    id: key(),
    number: text(),
    invoice: nested({ of: invoices, one: { reverse: 'order_id' }, fields: ['number'], writable: ['add'] }),
  },
  beforeSave: ({ values }) => void log.push(`invoice: ${JSON.stringify(values.invoice)}`),
})

const declared = [
  products,
  orders,
  lines,
  notes,
  invoices,
  parts,
  baskets,
  limited('added', ['add']),
  limited('changed', ['change']),
  limited('replaced', ['add', 'remove']),
  codes,
  books,
  singleCodes,
  single,
  keyed,
  billed,
] satisfies readonly Resource[]

const options = (database: Database) => ({ authentication: [userScheme], resources: declared, database })

const migrations = {
  ...orderMigrations,
  async '0002_codes'({ schema }, { key, reference, text }) {
    await schema.createTable('code_books').addColumn('id', key).execute()
    await schema
      .createTable('codes')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('book_id', reference, column => column.references('code_books.id'))
      .addColumn('name', text, column => column.notNull())
      .addColumn('number', text, column => column.notNull().unique())
      .execute()
    await schema
      .createTable('single_codes')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('book_id', reference, column => column.unique().references('code_books.id'))
      .addColumn('name', text, column => column.notNull())
      .addColumn('number', text, column => column.notNull())
      .execute()
  },
} satisfies typeof orderMigrations

onEachDatabase(options, define, { migrations })

function define(api: () => LibraryApi): void {
  let [tea, jam, honey] = [0, 0, 0]

  beforeEach(async () => {
    const { database, insert } = api()
    await database.transaction(async ({ kysely }) => {
      for (const table of ['orders', 'products', 'codes', 'single_codes', 'code_books'])
        await kysely.deleteFrom(table).execute()
    })
    ;[tea = 0, jam = 0, honey = 0] = await insert(
      'products',
      ['tea', 'jam', 'honey'].map(name => ({ name, owner_id: null })),
    )
    log.length = 0
  })

  const send = async (method: 'post' | 'put' | 'patch', url: string, body: object, status = 200) => {
    const response = await api().client[method](url, byAnn(body))
    assert.equal(response.status, status, response.text)
    return response.json()
  }
  const showParts = ({ parts: shown }: { readonly parts: readonly { product: number; quantity: number }[] }) =>
    shown.map(({ product, quantity }) => [product, quantity])

  test('position: responses have the order of the body, also after a change of the order alone', async () => {
    const made = await send(
      'post',
      '/baskets/',
      { number: 'A', parts: [tea, jam, honey].map((product, index) => ({ product, quantity: index + 1 })) },
      201,
    )
    const reversed = [...made.parts].reverse().map(({ id }: { readonly id: number }) => ({ id }))
    const changed = await send('patch', `/baskets/${made.id}/`, { parts: [...reversed.slice(0, 2), reversed[2]] })
    assert.deepEqual(showParts(changed), [
      [honey, 3],
      [jam, 2],
      [tea, 1],
    ])
    assert.deepEqual(
      (await api().rows('lines')).map(row => row.position),
      [2, 1, 0],
    )
  })

  test('the hooks of the children run for each of them, inside the transaction of the parent', async () => {
    const { id, parts: made } = await send(
      'post',
      '/baskets/',
      { number: 'A', parts: [{ product: tea, quantity: 1 }, { product: jam }] },
      201,
    )
    assert.deepEqual(log, [
      'validate 1 of a new basket',
      'validate 1 of a new basket',
      'beforeSave 1 of a basket',
      'afterSave create 1',
      'beforeSave 1 of a basket',
      'afterSave create 1',
      'parent: [1,1]',
    ])
    log.length = 0
    await send('patch', `/baskets/${id}/`, { parts: [{ id: made[0].id, quantity: 2 }] })
    assert.deepEqual(log, [
      'validate 2 of a basket',
      'beforeDestroy 1',
      'beforeSave 2 of a basket',
      'afterSave update 2',
      'parent: [2]',
    ])
    const refused = await send(
      'patch',
      `/baskets/${id}/`,
      { parts: [{ product: jam }, { product: honey, quantity: 13 }] },
      400,
    )
    assert.deepEqual(refused, { parts: [{}, { quantity: ['Thirteen is not sold.'] }] })
    assert.deepEqual(
      (await api().rows('lines')).map(row => row.product_id),
      [tea],
    )
  })

  test("['add']: the list only adds; children that it names stay", async () => {
    const { id } = await send('post', '/added/', { number: 'A', lines: [{ product: tea, quantity: 1 }] }, 201)
    const { lines: shown } = await send('put', `/added/${id}/`, { number: 'A', lines: [{ product: jam, quantity: 2 }] })
    assert.deepEqual(
      shown.map((line: { readonly quantity: number }) => line.quantity),
      [1, 2],
    )
    const sentBack = { lines: [...shown, { product: honey, quantity: 3 }] }
    const { lines: now } = await send('patch', `/added/${id}/`, sentBack)
    assert.deepEqual(now.slice(0, 2), shown)
    assert.equal(now.length, 3)
    const other = await send('post', '/added/', { number: 'B', lines: [{ product: tea, quantity: 1 }] }, 201)
    const body = { lines: [{ id: now[0].id, quantity: 5 }, other.lines[0]] }
    assert.deepEqual(await send('patch', `/added/${id}/`, body, 400), {
      lines: [{}, { id: [`Invalid pk "${other.lines[0].id}" - object does not exist.`] }],
    })
  })

  test("['change']: the list changes those that it names, and others stay; each needs its key", async () => {
    const { id, lines: made } = await send(
      'post',
      '/orders/',
      { number: 'A', lines: [tea, jam].map(product => ({ product, quantity: 1 })) },
      201,
    )
    const body = { lines: [{ id: made[1].id, quantity: 7 }] }
    const { lines: shown } = await send('patch', `/changed/${id}/`, body)
    assert.deepEqual(
      shown.map((line: { readonly quantity: number }) => line.quantity),
      [1, 7],
    )
    const added = { lines: [{ product: honey, quantity: 1 }] }
    assert.deepEqual(await send('patch', `/changed/${id}/`, added, 400), {
      lines: [{ id: ['This field is required.'] }],
    })
  })

  test("['add', 'remove']: a child that the list names stays as it is", async () => {
    const { id, lines: made } = await send(
      'post',
      '/orders/',
      { number: 'A', lines: [tea, jam].map(product => ({ product, quantity: 1 })) },
      201,
    )
    const body = {
      lines: [
        { id: made[1].id, quantity: 7 },
        { product: honey, quantity: 3 },
      ],
    }
    const { lines: shown } = await send('patch', `/replaced/${id}/`, body)
    assert.deepEqual(
      shown.map((line: { readonly product: number; readonly quantity: number }) => [line.product, line.quantity]),
      [
        [jam, 1],
        [honey, 3],
      ],
    )
  })

  test('children whose bodies give their keys are added or changed', async () => {
    const body = {
      codes: [
        { code: 'b', name: 'B', number: '2' },
        { code: 'a', name: 'A', number: '1' },
      ],
    }
    const { id, codes: made } = await send('post', '/books/', body, 201)
    assert.deepEqual(made, [
      { code: 'a', name: 'A', number: '1' },
      { code: 'b', name: 'B', number: '2' },
    ])
    const changed = {
      codes: [
        { code: 'a', name: 'new', number: '1' },
        { code: 'c', name: 'C', number: '3' },
      ],
    }
    assert.deepEqual((await send('put', `/books/${id}/`, changed)).codes, [
      { code: 'a', name: 'new', number: '1' },
      { code: 'c', name: 'C', number: '3' },
    ])
    // A key of another parent's child, and a unique value of one.
    const other = {
      codes: [
        { code: 'c', name: 'x', number: '4' },
        { code: 'd', name: 'x', number: '3' },
        { name: 'x', number: '5' },
      ],
    }
    assert.deepEqual(await send('post', '/books/', other, 400), {
      codes: [
        { code: ['This field must be unique.'] },
        { number: ['There is a code with this number.'] },
        { code: ['This field is required.'] },
      ],
    })
  })

  test('a value that another writer takes at the same time is an error at its place', async () => {
    // Both values pass the checks, and the constraint of the table refuses the second row.
    const body = {
      codes: [
        { code: 'a', name: 'A', number: '1' },
        { code: 'b', name: 'B', number: '2' },
      ],
    }
    const { id } = await send('post', '/books/', body, 201)
    const swapped = {
      codes: [
        { code: 'a', name: 'A', number: '2' },
        { code: 'b', name: 'B', number: '1' },
      ],
    }
    assert.deepEqual(await send('put', `/books/${id}/`, swapped, 400), {
      codes: [{ number: ['There is a code with this number.'] }, {}],
    })
    assert.deepEqual(
      (await api().database.kysely.selectFrom('codes').select('number').orderBy('code').execute()).map(
        row => row.number,
      ),
      ['1', '2'],
    )
  })

  test('the only child of a field is changed by its own key, or without one, and by no other key', async () => {
    const { id, invoice } = await send('post', '/keyed/', { number: 'A', invoice: { number: '1' } }, 201)
    const change = (body: object, status?: number) => send('patch', `/keyed/${id}/`, { invoice: body }, status)
    const changed = { id: invoice.id, number: '2' }
    assert.deepEqual((await change(changed)).invoice, changed)
    assert.deepEqual((await change({ number: '3' })).invoice, { id: invoice.id, number: '3' })
    const missing = { invoice: { id: ['Invalid pk "99999" - object does not exist.'] } }
    assert.deepEqual(await change({ id: 99999, number: '4' }, 400), missing)
    const created = { number: 'B', invoice: { id: 99999, number: '4' } }
    assert.deepEqual(await send('post', '/keyed/', created, 400), missing)
    assert.deepEqual(
      (await api().rows('invoices')).map(row => row.number),
      ['3'],
    )
  })

  test('the only child whose body gives its key', async () => {
    const code = { code: 'a', name: 'A', number: '1' }
    const { id } = await send('post', '/single/', { code }, 201)
    assert.deepEqual((await send('patch', `/single/${id}/`, { code: { ...code, name: 'B' } })).code.name, 'B')
    assert.deepEqual(await send('patch', `/single/${id}/`, { code: { ...code, code: 'b' } }, 400), {
      code: { code: ['Invalid pk "b" - object does not exist.'] },
    })
  })

  test('a unique value that another parent of the same request frees is still taken', async () => {
    const code = { code: 'a', name: 'A', number: '1' }
    const first = await send('post', '/books/', { codes: [code] }, 201)
    const second = await send('post', '/books/', { codes: [] }, 201)
    const body = [
      { id: first.id, codes: [] },
      { id: second.id, codes: [{ ...code, code: 'b' }] },
    ]
    assert.deepEqual(await send('patch', '/books/', body, 400), [
      {},
      { codes: [{ number: ['There is a code with this number.'] }] },
    ])
  })

  test('the only child of a field stays, if a body may only add it', async () => {
    const { id } = await send('post', '/billed/', { number: 'A' }, 201)
    for (const number of ['1', '2'])
      assert.deepEqual((await send('patch', `/billed/${id}/`, { invoice: { number } })).invoice, { number: '1' })
    assert.deepEqual((await send('patch', `/billed/${id}/`, { invoice: null })).invoice, { number: '1' })
    const given = `invoice: {"number":"1","order":${id}}`
    assert.deepEqual(log, ['invoice: null', given, 'invoice: {}', 'invoice: null'])
  })

  test('a level that the declaration does not contain is an error at its place', async () => {
    const body = { number: 'A', lines: [{ product: tea, quantity: 1, notes: [{ text: 'hot' }] }] }
    assert.deepEqual(await send('post', '/added/', body, 400), {
      lines: [{ notes: ['This field cannot be written at this level.'] }],
    })
  })

  test('code that calls an action gives children too; without permissions, it may refer to hidden rows', async () => {
    const { app, insert } = api()
    const [hidden = 0] = await insert('products', [{ name: 'gold', owner_id: 2 }])
    const context = createContext(app, { user: people.ann })
    const made = await orders.create({ number: 'A', lines: [{ product: tea, quantity: 2 }] }, context)
    assert.equal(made.values.lines[0]!.product, tea)
    const body = { lines: [{ product: hidden, quantity: 1 }] }
    await assert.rejects(orders.update(made.key, body, context), ValidationError)
    const changed = await orders.update(made.key, body, ignorePermissions(context))
    assert.deepEqual(
      changed.values.lines.map(({ product }) => product),
      [hidden],
    )
  })

  test('mistakes in declarations are errors at start that name the fix', async () => {
    const many = { reverse: 'order_id' }
    const writable = true
    const place = (position: string, of: 'lines' | 'bare-lines' = 'lines') =>
      nested({ of, many, fields: of === 'lines' ? fields : ['id'], writable: ['change'], position }) as never
    const cases: readonly (readonly [of: () => ReturnType<typeof nested>, message: RegExp])[] = [
      [
        () => nested({ of: lines, many, fields: ['product'], writable: true }) as never,
        /add the field key\(\) of "lines"/,
      ],
      [() => nested({ of: lines, many, fields: ['id'], writable: true }) as never, /needs the field "product": add it/],
      [
        () => nested({ of: lines, column: 'id', writable: true }) as never,
        /writes the key column "id": name another column/,
      ],
      [
        () => nested({ of: lines, many, writable: ['ad' as 'add'] }) as never,
        /there is no "ad": write true, or some of/,
      ],
      [() => nested({ of: lines, many, writable: [] }) as never, /writable is empty: write true, some of/],
      [() => nested({ of: lines, many, writable: true, max: 0 }) as never, /max is 0: give a whole number/],
      [
        () => nested({ of: scans, many, writable: true }) as never,
        /needs the file "content".*: declare the file as nullable, or leave out 'add'/,
      ],
      [() => nested({ of: lines, many, max: 3 }) as never, /"max" is for writable lists/],
      [() => nested({ of: lines, one: many, writable: true, max: 3 }) as never, /"max" and "position" are for lists/],
      [() => nested({ of: lines, one: many, many }) as never, /give one of "column", "one" and "many"/],
      [() => nested(undefined as never) as never, /give its options/],
      [() => nested({ of: lines, many, writeable: true } as never) as never, /no option "writeable": write "writable"/],
      [() => nested({ of: undefined as never, many }) as never, /of: give a resource, or the name of one/],
      [() => nested({ of: lines, many: 'order_id' as never }) as never, /many: name the column/],
      [() => nested({ of: lines, one: {} as never }) as never, /one: name the column/],
      [
        () => nested({ of: lines, many, writable, position: 1 as never }) as never,
        /position: give the name of a column/,
      ],
      [
        () => nested({ of: lines, many, writable: 'yes' as never }) as never,
        /writable is "yes": write true, or a list/,
      ],
      [() => nested({ of: lines, many, writable: ['add', 'add'] }) as never, /"add" is there twice: remove one/],
      [() => readOnly(nested({ of: lines, many, writable })) as never, /readOnly\(\): .*: remove "writable"/],
      [() => writeOnly(nested({ of: 'lines', many, writable })) as never, /writeOnly\(\): .* with "perAction"/],
      [
        () => nested({ of: lines, one: many, fields, writable }) as never,
        /one.reverse: column "order_id" of table "lines" is not unique, .*: add a UNIQUE constraint/,
      ],
      [() => place('id'), /position: "id" is the key of "lines": name an integer column/],
      [() => place('order_id'), /position: "order_id" contains the key of the parent/],
      [() => place('quantity'), /position: the field "quantity" of "lines" writes "quantity" too: wrap it in readOnly/],
      [() => place('product_id', 'bare-lines'), /position: column "product_id" of table "lines" refers to other rows/],
      [() => place('extras', 'bare-lines'), /position: column "extras" of table "lines" is of type/],
      [() => place('plase', 'bare-lines'), /position: table "lines" has no column "plase"/],
    ]
    for (const [create, message] of cases)
      await assert.rejects(async () => {
        const wrong = resource('wrong', {
          table: 'orders',
          fields: { id: key(), number: readOnly(text()), lines: create() },
        })
        const started = await startApi({
          ...options(api().database),
          resources: [...declared, scans, bareLines, wrong as never],
        })
        try {
          await started.app.ready()
        } finally {
          await started.stop()
        }
      }, message)
  })
}
