// Relations by resource and by name: what bodies take and responses show, the unique fields and public texts that identify
// objects, and values of related rows.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  computed,
  createApi,
  dateTime,
  decimal,
  hyperlinkedIdentity,
  integer,
  key,
  type Migrations,
  nested,
  objectView,
  publicId,
  readOnly,
  related,
  resource,
  slug,
  text,
  textKey,
  uuidKey,
  via,
  writeOnly,
} from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_catalogue'(kysely, { text, uuid, key, reference, boolean, dateTime, decimal }) {
    await kysely.schema
      .createTable('countries')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .addColumn('in_union', boolean, column => column.notNull())
      .addColumn('vat', decimal(5, 2), column => column.notNull())
      .addColumn('joined', dateTime)
      .execute()
    await kysely.schema
      .createTable('customers')
      .addColumn('id', uuid, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .addColumn('secret', text)
      .addColumn('country_id', text, column => column.references('countries.code'))
      .addColumn('favourite_id', reference)
      .addColumn('favourite_category_id', reference)
      .execute()
    await kysely.schema
      .createTable('categories')
      .addColumn('id', key)
      .addColumn('slug', text, column => column.notNull().unique())
      .addColumn('parent_id', reference, column => column.references('categories.id'))
      .execute()
    await kysely.schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('public_id', text, column => column.notNull().unique())
      .addColumn('note', text, column => column.notNull())
      .addColumn('customer_id', uuid, column => column.references('customers.id'))
      .addColumn('category_id', reference, column => column.references('categories.id'))
      .execute()
    await kysely.schema
      .createTable('order_categories')
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('category_id', reference, column => column.notNull().references('categories.id'))
      .execute()
    await kysely.schema
      .createTable('payments')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id'))
      .execute()
  },
}

/** Countries whose name begins with `(` are hidden from everyone. */
const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code', max: 2 }),
  objectName: 'name',
  fields: {
    code: key(),
    name: text(),
    in_union: boolean({ default: true }),
    vat: decimal({ maxDigits: 5, decimalPlaces: 2, default: '20.00' }),
    joined: dateTime({ nullable: true }),
  },
  permissions: [{ filter: { where: ({ column }) => sql`${column('name')} not like '(%'`, values: () => ({}) } }],
})

const categories = resource('categories', {
  table: 'categories',
  lookup: 'slug',
  objectName: 'slug',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    slug: slug({ unique: 'There is such a category.' }),
    parent: related('categories', { nullable: true, by: 'slug' }),
    parent_url: readOnly(related('categories', { nullable: true, column: 'parent_id', form: 'url' })),
    children: related('categories', { many: { reverse: 'parent_id' }, shows: ['slug'] }),
    grandparent: slug({ source: 'parent.parent.slug' }),
  },
  filters: { parent: true, parent_url: true, slug: true },
  objectViews: {
    peek: objectView({
      columns: ['slug'],
      handlers: {
        GET: ({ key, object }) => ({ status: 200, body: { key, slug: object.slug } }),
        POST: async ({ key, represent }) => ({ status: 200, body: await represent(key) }),
      },
    }),
  },
})

const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  fields: {
    id: key(),
    name: text(),
    country: related(countries, { nullable: true, shows: 'text' }),
    favourite: related('orders', { nullable: true, takes: 'url', shows: ['id', 'note'] }),
    favourite_category: related(categories, { nullable: true, takes: 'url', shows: 'text' }),
  },
})

const orders = resource('orders', {
  table: 'orders',
  key: publicId('ord'),
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    note: text({ default: '-' }),
    customer: related(customers, { nullable: true, shows: ['id', 'name', 'country'] }),
    category: related(categories, { nullable: true, by: 'slug', shows: 'url' }),
    categories: related('categories', {
      many: { table: 'order_categories', own: 'order_id', other: 'category_id' },
      by: 'slug',
      default: [],
    }),
    country_name: text({ source: 'customer.country.name' }),
    in_union: boolean({ source: 'customer.country.in_union' }),
    vat: decimal({ maxDigits: 5, decimalPlaces: 2, source: 'customer.country.vat' }),
    joined: dateTime({ source: 'customer.country.joined' }),
    country: related(countries, { source: 'customer.country', shows: ['code', 'in_union'] }),
    via_country: text({ source: via('category_id', categories, 'slug') }),
  },
  filters: { id: true, customer: true, category: true },
  orderingFields: ['note'],
  nestedUnder: [
    { parent: 'categories', field: 'category' },
    { parent: customers, field: 'customer' },
  ],
})

const payments = resource('payments', {
  table: 'payments',
  fields: {
    id: key(),
    order: related('orders'),
    order_url: readOnly(related('orders', { column: 'order_id', form: 'url' })),
    whole: nested({ of: 'orders', column: 'order_id', fields: ['id', 'note'] }),
  },
  nestedUnder: [{ parent: 'orders', field: 'order' }],
  // Hooks and calls get the key, although paths and bodies contain the public id.
  afterSave: async context => void (await orders.update(context.after.order, { note: 'paid' }, context)),
})

const publicIdPattern = /^ord_[0-9A-Za-z]{16}$/

onEachDatabase(
  () => ({ resources: [countries, customers, categories, orders, payments] }),
  api => {
    const send = async (method: string, url: string, json?: unknown) => {
      const { status, text, headers } = await api().client.request(method, url, json === undefined ? {} : { json })
      return { status, location: headers.location, body: text === '' ? undefined : JSON.parse(text) }
    }
    const create = async (list: string, values: object) => {
      const { status, body } = await send('POST', `/${list}/`, values)
      assert.equal(status, 201, JSON.stringify(body))
      return body
    }
    let customer: { id: string }

    before(async () => {
      for (const slug of ['tools', 'books']) await create('categories', { slug })
      await create('categories', { slug: 'novels', parent: 'books' })
      await create('categories', { slug: 'crime', parent: 'novels' })
      await create('countries', { code: 'AT', name: 'Austria', joined: '1995-01-01T00:00:00Z' })
      await api().database.transaction(({ kysely }) =>
        kysely.insertInto('countries').values({ code: 'XX', name: '(hidden)', in_union: sql`true`, vat: 1 }).execute(),
      )
      customer = await create('customers', { name: 'Ada', country: 'AT' })
    })

    test('a resource refers to itself by name, by a unique field, by URL, in reverse and over several hops', async () => {
      const { body } = await send('GET', '/categories/novels/')
      assert.deepEqual([body.parent, body.parent_url], ['books', 'http://localhost/categories/books/'])
      assert.deepEqual([body.children, body.grandparent], [[{ slug: 'crime' }], null])
      assert.equal((await send('GET', '/categories/crime/')).body.grandparent, 'books')
    })

    test('a lookup replaces the key in routes, links, views and the Location header, also after its value changes', async () => {
      const created = await send('POST', '/categories/', { slug: 'maps' })
      assert.equal(created.location, 'http://localhost/categories/maps/')
      assert.equal((await send('GET', `/categories/${created.body.id}/`)).status, 404)
      assert.deepEqual((await send('GET', '/categories/maps/peek/')).body, { key: created.body.id, slug: 'maps' })
      assert.equal((await send('POST', '/categories/maps/peek/', {})).body.slug, 'maps')
      const renamed = await send('PATCH', '/categories/maps/', { slug: 'atlases' })
      assert.equal(renamed.body.url, 'http://localhost/categories/atlases/')
      assert.equal((await send('GET', '/categories/maps/')).status, 404)
      assert.equal((await send('PUT', '/categories/atlases/', { slug: 'atlases' })).status, 200)
      assert.equal((await send('DELETE', '/categories/atlases/')).status, 204)
      for (const segment of ['atlases', 'a b', '%00', '..%2F', 'é', 'x'.repeat(10_000)])
        for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'])
          assert.equal(
            (await api().client.request(method, `/categories/${segment}/`, { json: {} })).status,
            404,
            segment,
          )
    })

    test('a public id stands for the integer key everywhere', async () => {
      const made = await send('POST', '/orders/', { note: 'first', customer: customer.id, category: 'books' })
      const order = made.body
      assert.match(order.id, publicIdPattern)
      assert.equal(made.location, `http://localhost/orders/${order.id}/`)
      assert.equal(order.url, made.location)
      assert.equal((await send('PATCH', `/orders/${order.id}/`, { note: 'changed' })).body.note, 'changed')
      const [row] = await api().rows('orders')
      assert.equal(row!.public_id, order.id)
      assert.equal((await send('GET', `/orders/${row!.id}/`)).status, 404)
      const payment = await create('payments', { order: order.id })
      assert.equal(payment.order, order.id)
      assert.equal(payment.order_url, order.url)
      assert.deepEqual(payment.whole, { id: order.id, note: 'paid' })
      assert.equal((await send('POST', `/orders/${order.id}/payments/`, {})).body.order, order.id)
      assert.equal((await send('GET', `/orders/${order.id}/payments/`)).body.length, 2)
      assert.equal((await send('GET', `/orders/?id=${order.id}`)).body.length, 1)
      assert.equal((await send('GET', '/orders/?id=1')).status, 400)
      for (const value of [
        row!.id,
        String(row!.id),
        'ord_',
        `ord_${'0'.repeat(16)}`,
        `${order.id}x`,
        '\0',
        'x'.repeat(10_000),
        true,
        [],
        {},
        null,
      ])
        assert.equal((await send('POST', '/payments/', { order: value })).status, 400, JSON.stringify(value))
      for (const segment of ['1', 'ord_', `ord_${'0'.repeat(16)}`, `${order.id}x`, '%00', 'x'.repeat(10_000)])
        for (const path of ['', 'payments/'])
          assert.equal((await send('GET', `/orders/${segment}/${path}`)).status, 404, segment)
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('payments').execute())
      assert.equal((await send('DELETE', `/orders/${order.id}/`)).status, 204)
    })

    test('one name takes a key and shows an object, text or URL', async () => {
      const order = await create('orders', { customer: customer.id, category: 'novels' })
      assert.deepEqual(order.customer, { id: customer.id, name: 'Ada', country: 'Austria' })
      assert.equal(order.category, 'http://localhost/categories/novels/')
      const changed = await send('PATCH', `/customers/${customer.id}/`, {
        favourite: order.url,
        favourite_category: '/categories/crime/',
      })
      assert.deepEqual(changed.body.favourite, { id: order.id, note: '-' })
      assert.equal(changed.body.favourite_category, 'crime')
      for (const path of [
        '/categories/nothing/',
        '/categories/a%20b/',
        '/categories/%FF/',
        '/orders/1/',
        '/categories/',
      ])
        assert.equal(
          (await send('PATCH', `/customers/${customer.id}/`, { favourite_category: path })).status,
          400,
          path,
        )
      const cleared = await send('PATCH', `/orders/${order.id}/`, { customer: null, category: null })
      assert.deepEqual([cleared.body.customer, cleared.body.category], [null, null])
    })

    test('values of related rows are shown over several hops, in the form of their field', async () => {
      const { id } = await create('orders', { customer: customer.id, category: 'novels' })
      const { body } = await send('GET', `/orders/${id}/`)
      assert.deepEqual(
        [body.country_name, body.in_union, body.vat, body.joined, body.via_country],
        ['Austria', true, '20.00', '1995-01-01T00:00:00.000000Z', 'novels'],
      )
      assert.deepEqual(body.country, { code: 'AT', in_union: true })
      const foreign = await create('orders', { customer: (await create('customers', { name: 'Bob' })).id })
      assert.deepEqual([foreign.country_name, foreign.in_union, foreign.vat, foreign.country], [null, null, null, null])
    })

    test('a row that a row filter hides is hidden on the way', async () => {
      const hidden = await create('customers', { name: 'Eve' })
      await api().database.transaction(({ kysely }) =>
        kysely.updateTable('customers').set({ country_id: 'XX' }).where('id', '=', hidden.id).execute(),
      )
      const order = await create('orders', { customer: hidden.id })
      assert.deepEqual([order.country_name, order.vat, order.country], [null, null, null])
      assert.equal(order.customer.country, null)
      const { status, body } = await send('PATCH', `/customers/${hidden.id}/`, { country: 'XX' })
      assert.deepEqual([status, body], [400, { country: ['Invalid pk "XX" - object does not exist.'] }])
    })

    test('a unique field of the related resource identifies it in bodies and filters', async () => {
      const order = await create('orders', { category: 'novels', categories: ['crime', 'tools'] })
      assert.deepEqual(order.categories, ['tools', 'crime'])
      const replaced = await send('PATCH', `/orders/${order.id}/`, { categories: ['books'] })
      assert.deepEqual(replaced.body.categories, ['books'])
      const listed = (await send('GET', '/orders/?category=novels')).body
      assert.ok(listed.some(({ id }: { id: string }) => id === order.id))
      assert.deepEqual((await send('GET', '/orders/?category=nothing')).body, [])
      assert.equal((await send('GET', '/categories/?parent_url=/categories/books/')).body.length, 1)
      for (const [category, message] of [
        ['nothing', 'Object with category=nothing does not exist.'],
        ['a b', 'Object with slug=a b does not exist.'],
        ['x'.repeat(10_000), `Object with slug=${'x'.repeat(100)}… does not exist.`],
        [true, 'Invalid value.'],
      ] as const) {
        const { status, body } = await send('POST', '/orders/', { category })
        assert.deepEqual([status, body], [400, { category: [message.replace('category=', 'slug=')] }])
      }
    })

    test('lists below objects are found by the lookup and the key of the parent', async () => {
      const made = await send('POST', '/categories/tools/orders/', { note: 'below' })
      assert.equal(made.body.category, 'http://localhost/categories/tools/')
      assert.equal((await send('GET', '/categories/tools/orders/')).body.length, 1)
      assert.equal((await send('GET', '/categories/nothing/orders/')).status, 404)
      assert.equal((await send('POST', '/categories/1/orders/', {})).status, 404)
      assert.equal((await send('POST', `/customers/${customer.id}/orders/`, {})).body.customer.id, customer.id)
    })
  },
  { migrations },
)

const minimal = { table: 'books', fields: { id: key(), number: integer() } }

for (const [what, resources, message] of [
  [
    'an unknown name',
    [resource('books', { ...minimal, fields: { author: related('autors') } }), resource('authors', minimal)],
    'createApi(): field "author" of "books" refers to "autors", which is not in "resources": write "authors"',
  ],
  [
    'a name in a resource of another API',
    [
      resource('loans', {
        table: 'loans',
        fields: {
          book: related(resource('books', { ...minimal, fields: { author: related('authors') } }), {
            shows: ['author'],
          }),
          next: related('loans'),
        },
      }),
      resource('authors', minimal),
    ],
    'createApi(): field "author" of "books" refers to "authors", which only the API of "books" resolves: give the resource itself',
  ],
  [
    'an unknown name of a parent',
    [resource('books', { ...minimal, nestedUnder: [{ parent: 'shops', column: 'number' }] })],
    'createApi(): "nestedUnder" of "books" refers to "shops", which is not in "resources": add it, or give the resource itself',
  ],
  [
    'an object that contains itself',
    [resource('books', { ...minimal, fields: { id: key(), next: nested({ of: 'books', column: 'next_id' }) } })],
    'createApi(): field "next" of "books" contains itself: name the fields that it shows',
  ],
  [
    'an unknown field to show',
    [resource('books', { ...minimal, fields: { id: key(), next: related('books', { shows: ['titel'] }) } })],
    'related(): shows: "books" has no field "titel"',
  ],
  [
    'a field that is not unique as the name of objects',
    [resource('books', { ...minimal, fields: { id: key(), title: text(), next: related('books', { by: 'title' }) } })],
    'related(): by: resource "books": field "title" cannot identify an object: it needs a column of its own and the option "unique"',
  ],
] as const)
  test(`${what} is an error when the API is created`, () => {
    assert.throws(() => createApi({ resources }), { message })
  })

const secretOptions = { table: 'books', fields: { secret: writeOnly(slug({ unique: 'Taken.' })) } }
const withSecret = resource('books', secretOptions)

for (const [what, declare, message] of [
  [
    'a lookup that is not unique',
    // @ts-expect-error the field is not unique
    () => resource('books', { table: 'books', lookup: 'title', fields: { title: text() } }),
    'resource "books": lookup: field "title" cannot identify an object: it needs a column of its own and the option "unique"',
  ],
  [
    'a lookup that may be null',
    () =>
      resource('books', {
        table: 'books',
        lookup: 'code',
        fields: { code: slug({ unique: 'Taken.', nullable: true }) },
      }),
    'resource "books": lookup: field "code" may be empty, so an object may have no URL: remove "nullable" and "blank"',
  ],
  [
    'a write-only lookup',
    () =>
      // @ts-expect-error no response shows the field
      resource('books', { table: 'books', lookup: 'code', fields: { code: writeOnly(slug({ unique: 'Taken.' })) } }),
    'resource "books": lookup: field "code" cannot identify an object: it is write-only, and responses would show it',
  ],
  [
    'a relation by a write-only field',
    // @ts-expect-error no response shows the field
    () => related(withSecret, { by: 'secret' }),
    'related(): by: resource "books": field "secret" cannot identify an object: it is write-only, and responses would show it',
  ],
  [
    'a relation that shows a write-only field',
    () => related(withSecret, { shows: ['secret'] }),
    'related(): shows: field "secret" of "books" is write-only: remove it',
  ],
  [
    'a number as the text of an object',
    () => related(resource('books', { ...minimal, objectName: 'number' }), { shows: 'text' }),
    'related(): shows: the "objectName" of "books" is the field "number", which is not a text',
  ],
  [
    'a write-only field as the text of an object',
    () => resource('books', { ...secretOptions, objectName: 'secret' }),
    'resource "books": objectName: field "secret" is write-only: remove it',
  ],
  [
    'a relation by name as the type of a computed field',
    () => computed(related('books'), () => sql`1`),
    'computed(): give a field that only has a type, such as boolean(), integer() or text()',
  ],
  [
    'several key columns',
    () => resource('books', { table: 'books', key: ['shop', 'number'] as never, fields: { title: text() } }),
    'resource "books": key: a resource needs one key column: add a unique column, such as "id", to the table',
  ],
  [
    'the name of a key column',
    () => resource('books', { table: 'books', key: 'isbn' as never, fields: { title: text() } }),
    'resource "books": key: write a key such as integerKey({ column: "isbn" }), uuidKey() or textKey()',
  ],
  [
    'a fixed field of JSON',
    () =>
      resource('books', {
        table: 'books',
        fields: { tags: related('tags', { many: { table: 'a', own: 'b', other: 'c' }, fixed: true } as never) },
      }),
    'resource "books": field "tags" cannot be fixed: only a field with a column whose values can be compared can be',
  ],
  [
    'a field of a nesting that does not exist',
    () =>
      resource('books', {
        table: 'books',
        fields: { title: text() },
        // @ts-expect-error
        nestedUnder: [{ parent: 'shops', field: 'shop' }],
      }),
    'resource "books": nestedUnder: there is no relation "shop" with a column of its own',
  ],
] as const)
  test(`${what} is an error of the declaration`, () => {
    assert.throws(declare, { message })
  })
