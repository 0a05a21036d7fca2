// The indexes that the lists of an API want and its database lacks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  computed,
  cursor,
  dateTime,
  filter,
  integer,
  key,
  type Migrations,
  nested,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import { listMissingIndexes } from 'resource-api/extend'
import { onEachDatabase } from '../support/own-api.ts'

const countries = resource('countries', { table: 'countries', fields: { id: key(), name: text() }, actions: [] })
const customers = resource('customers', {
  table: 'customers',
  actions: ['list'],
  fields: { id: key(), name: text(), country: related(countries) },
  ordering: ['name'],
})
const tags = resource('tags', { table: 'tags', fields: { id: key(), name: text() }, actions: [] })
const lines = resource('lines', { table: 'lines', fields: { id: key(), product: text() }, actions: [] })

const orders = resource('orders', {
  table: 'orders',
  actions: ['list', 'retrieve'],
  fields: {
    id: key(),
    number: text(),
    total: integer(),
    paid: boolean(),
    note: text(),
    created: dateTime(),
    customer: related(customers),
    tags: related(tags, { many: { table: 'order_tags', own: 'order_id', other: 'tag_id' } }),
    lines: nested({ of: lines, many: { reverse: 'order_id' } }),
    shout: computed(text(), ({ row }) => sql`upper(${row.note})`),
  },
  nestedUnder: [{ parent: customers, column: 'customer_id' }],
  ordering: ['-created'],
  searchFields: ['note'],
  filters: {
    number: ['exact', 'not'],
    total: ['gte', 'lte'],
    paid: true,
    note: ['icontains', 'not'],
    shout: true,
    'customer.country': ['exact'],
    'tags.name': ['in'],
    'lines.product': ['exact'],
    big: filter(boolean(), ({ row, value }) => sql`(${row.total} > 100) = ${value}`),
  },
  orderingFields: ['total', 'customer'],
})

/** Lists with cursors, of mixed directions, and of a column that may contain null. */
const timeline = resource('timeline', {
  table: 'orders',
  actions: ['list'],
  fields: { id: key(), created: dateTime(), total: integer() },
  ordering: ['total'],
  pagination: cursor({ ordering: ['-created', 'total'] }),
})
const nullable = resource('nullable', {
  table: 'events',
  actions: ['list'],
  fields: { id: key(), at: dateTime({ nullable: true }) },
  ordering: ['at'],
})
const small = resource('small', {
  table: 'events',
  actions: ['list'],
  fields: { id: key(), kind: text() },
  filters: { kind: true },
  suggestsIndexes: false,
})

const migrations: Migrations = {
  async '0001_shop'(kysely, { key, reference, boolean, text, dateTime }) {
    for (const [table, columns] of Object.entries({
      countries: { name: text },
      customers: { name: text, country_id: reference },
      tags: { name: text },
      orders: {
        number: text,
        total: 'integer',
        paid: boolean,
        note: text,
        created: dateTime,
        customer_id: reference,
      },
      lines: { product: text, order_id: reference },
      order_tags: { order_id: reference, tag_id: reference },
      events: { at: dateTime, kind: text },
    } as const)) {
      let builder = kysely.schema.createTable(table).addColumn('id', key)
      for (const [name, type] of Object.entries(columns))
        builder = builder.addColumn(name, type, column => (name === 'at' ? column : column.notNull()))
      await builder.execute()
    }
    // Neither serves: a part of the rows, an expression, and a column that is not the first.
    await sql`create index partly on orders (total) where paid`.execute(kysely)
    await sql`create index lower_name on customers (lower(name), name)`.execute(kysely)
    await kysely.schema.createIndex('second').on('lines').columns(['product', 'order_id']).execute()
    await kysely.schema.createIndex('numbers').on('orders').columns(['number', 'total']).unique().execute()
  },
}

onEachDatabase(
  () => ({
    resources: [countries, customers, tags, lines, orders, timeline, nullable, small],
    pagination: pageNumber({ pageSize: 10 }),
    secret: '-'.repeat(32),
  }),
  api => {
    test('each index that a list wants is named with its reasons and its SQL, and is no longer missing once it exists', async () => {
      const { app, database } = api()
      const isPostgres = database.dialect.name === 'postgres'
      const found = await listMissingIndexes(app)
      const text = (resource: string, reason: string, create: string) =>
        `missing index: resource "${resource}": ${reason}: create index ${create}`
      assert.deepEqual(
        found.toSorted(),
        [
          ...(isPostgres ? [text('nullable', 'ordering "at"', '"events_at_id" on "events" ("at", "id")')] : []),
          text('customers', 'ordering "name"', '"customers_name_id" on "customers" ("name", "id")'),
          text('orders', 'filters "lines__product", field "lines"', '"lines_order_id" on "lines" ("order_id")'),
          text(
            'orders',
            'filters "tags__name__in"',
            '"order_tags_tag_id_order_id" on "order_tags" ("tag_id", "order_id")',
          ),
          text('orders', 'field "tags"', '"order_tags_order_id_tag_id" on "order_tags" ("order_id", "tag_id")'),
          text('orders', 'filters "tags__name__in"', '"tags_name" on "tags" ("name")'),
          text('orders', 'filters "customer__country"', '"customers_country_id" on "customers" ("country_id")'),
          text(
            'orders',
            'filters "customer__country", nestedUnder "customers"',
            '"orders_customer_id" on "orders" ("customer_id")',
          ),
          text('orders', 'ordering "-created"', '"orders_created_id" on "orders" ("created", "id")'),
          text(
            'orders',
            'orderingFields "total", filters "total__gte", "total__lte"',
            '"orders_total_id" on "orders" ("total", "id")',
          ),
          text(
            'timeline',
            'pagination "-created,total"',
            '"orders_created_total_id" on "orders" ("created" desc, "total", "id")',
          ),
        ].toSorted(),
      )
      await database.transaction(async ({ kysely }) => {
        for (const line of found) await sql.raw(/create index .*$/.exec(line)![0]).execute(kysely)
      })
      assert.deepEqual(await listMissingIndexes(app), [])
    })
  },
  { migrations },
)
