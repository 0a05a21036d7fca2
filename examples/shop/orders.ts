// Customers and their orders. A customer belongs to a user. Users see the orders of their own customers; staff see all.

import { sql } from 'kysely'
import {
  authenticated,
  boolean,
  Conflict,
  choice,
  dateTime,
  decimal,
  email,
  hyperlinkedIdentity,
  integer,
  integerKey,
  key,
  nested,
  or,
  pageNumber,
  publicId,
  readOnly,
  related,
  staff,
  text,
  textKey,
  uuidKey,
  via,
} from 'resource-api'
import { findAccountId, requireAccountId } from 'resource-api/accounts'
import { countries } from './catalogue.ts'
import { lines, ofVisibleOrder } from './lines.ts'
import { computed, filter, listView, resource, rowFilter } from './tables.ts'

export const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  objectName: 'name',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    user: text({ source: via('user_id', 'users', 'username') }),
    name: text({ max: 200 }),
    // This error tells every caller that the address is registered, even if the row filter hides that customer. So does the
    // error of an order's number. Where nobody may learn that, leave `unique` out: docs/permissions.md, "Limits".
    email: email({ unique: 'There is a customer with this address.' }),
    country: related(countries, { column: 'country_code' }),
  },
  ordering: ['name'],
  searchFields: ['name', 'email'],
  filters: { country: true },
  permissions: [
    authenticated,
    or(
      staff,
      rowFilter(({ row, caller }) => sql`${row.user_id} = ${caller.id}`),
    ),
  ],
  hookColumns: ['user_id'],
  prepare: ({ action, user }) => (action === 'create' ? { user_id: requireAccountId(user) } : {}),
})

const amount = decimal({ maxDigits: 15, decimalPlaces: 2 })

/**
 * An order is written with its lines. URLs contain the number, which is fixed. The id is an integer inside, and a text such as
 * `ord_7Kq0Yx2mB9LtZs4A` outside.
 */
export const orders = resource('orders', {
  table: 'orders',
  key: publicId('ord'),
  lookup: 'number',
  objectName: 'number',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    number: text({ max: 20, unique: 'There is an order with this number.', fixed: true }),
    customer: related(customers, { shows: ['id', 'name'], fixed: true }),
    country: text({ source: 'customer.country.name' }),
    status: choice({ open: 'Open', shipped: 'Shipped' }, { default: 'open' }),
    note: text({ max: 500, blank: true, default: '' }),
    due: dateTime({ nullable: true }),
    created: readOnly(dateTime()),
    lines: nested({
      of: lines,
      many: { reverse: 'order_id' },
      fields: ['id', 'product', 'quantity', 'price'],
      writable: true,
      max: 200,
    }),
    total: computed(
      amount,
      ({ row }) => sql`(select coalesce(sum(quantity * price), 0) from order_lines where order_id = ${row.id})`,
    ),
    watched: computed(
      boolean(),
      ({ row, caller }) =>
        sql`exists (select 1 from watchers where order_id = ${row.id} and watchers.user_id = ${caller.id})`,
    ),
  },
  actions: ['list', 'retrieve', 'create', 'update'],
  perAction: {
    list: { shows: ['url', 'number', 'status', 'total', 'watched'] },
    create: { takes: ['number', 'customer', 'note', 'due', 'lines'] },
    update: { takes: ['number', 'customer', 'note', 'due', 'lines'] },
  },
  ordering: ['-created'],
  searchFields: ['number', 'note', 'customer.name', 'lines.product.name'],
  filters: {
    status: ['exact', 'in', 'not__in'],
    customer: true,
    'customer.country': ['in'],
    'lines.product.category': ['exact', 'in'],
    total: ['gte', 'lte'],
    late: filter(
      boolean(),
      ({ row, value, now }) => sql`((${row.status} = 'open' and ${row.due} < ${now}) is true) = ${value}`,
    ),
  },
  // A query may contain one group, such as `or.late=true&or.total__gte=100`.
  filterLimits: { groups: 1 },
  orderingFields: ['created', 'number', 'customer.name', 'total'],
  sparseFields: true,
  expandableFields: ['customer.country', 'lines.product'],
  permissions: [
    authenticated,
    or(
      staff,
      rowFilter(
        ({ row, caller }) => sql`${row.customer_id} in (select id from customers where user_id = ${caller.id})`,
      ),
    ),
  ],
  nestedUnder: [{ parent: customers, field: 'customer' }],
  hookColumns: ['created'],
  prepare: ({ action, now }) => (action === 'create' ? { created: now } : {}),
  async afterSave(context) {
    const { action, after } = context
    await events.create({ order: after.number, kind: action === 'create' ? 'created' : 'changed' }, context)
  },
  lists: {
    // GET /orders/watched/
    watched: {
      rows: ({ row, caller }) =>
        sql`${row.id} in (select order_id from watchers where watchers.user_id = ${caller.id})`,
    },
  },
  listViews: {
    // GET /orders/sales/?year=2026, and /customers/3f0c…/orders/sales/?year=2026 for one customer.
    sales: listView({
      query: { year: integer({ min: 2000, max: 9998 }) },
      response: { orders: integer(), total: amount },
      permissions: [staff],
      handlers: {
        async GET({ database, query: { year }, parent }) {
          const { orders, total } = await database.kysely
            .selectFrom('orders')
            .leftJoin('order_lines', 'order_lines.order_id', 'orders.id')
            .select(({ fn }) => [
              fn.count('orders.id').distinct().as('orders'),
              sql`coalesce(sum(quantity * price), 0)`.as('total'),
            ])
            .where('created', '>=', `${year}-01-01T00:00:00.000000Z`)
            .where('created', '<', `${year + 1}-01-01T00:00:00.000000Z`)
            .where(parent === undefined ? sql<boolean>`true` : sql<boolean>`customer_id = ${parent}`)
            .executeTakeFirstOrThrow()
          return { orders: Number(orders), total: Number(total).toFixed(2) }
        },
      },
    }),
  },
  objectViews: ({ objectView }) => ({
    // POST /orders/2026-0007/ship/
    ship: objectView({
      permissions: [staff],
      idempotent: true,
      response: 'representation',
      handlers: {
        async POST(context) {
          await context.database.transaction(async connection => {
            const shipped = await connection.kysely
              .updateTable('orders')
              .set({ status: 'shipped' })
              .where('id', '=', context.key)
              .where('status', '=', 'open')
              .returning('number')
              .executeTakeFirst()
            if (shipped === undefined) throw new Conflict('This order has been shipped.')
            await events.create({ order: shipped.number, kind: 'shipped' }, { ...context, connection })
          })
          return context.represent()
        },
      },
    }),
    // PUT and DELETE /orders/2026-0007/watch/
    watch: objectView({
      openapi: { responses: { 204: { description: 'You watch the order, or no longer do.' } } },
      handlers: {
        async PUT({ database, key, user }) {
          const watcher = requireAccountId(user)
          await database.transaction(({ kysely }) =>
            kysely
              .insertInto('watchers')
              .values({ order_id: key, user_id: watcher })
              .onConflict(conflict => conflict.doNothing())
              .execute(),
          )
          return { status: 204 }
        },
        async DELETE({ database, key, user }) {
          await database.transaction(({ kysely }) =>
            kysely
              .deleteFrom('watchers')
              .where('order_id', '=', key)
              .where('user_id', '=', findAccountId(user))
              .execute(),
          )
          return { status: 204 }
        },
      },
    }),
  }),
})

/** `/orders/2026-0007/delivery/`: where an order is delivered to. The first PUT creates it. */
export const delivery = resource('delivery', {
  table: 'deliveries',
  key: textKey({ column: 'order_number' }),
  fields: {
    url: hyperlinkedIdentity(),
    street: text({ max: 200 }),
    city: text({ max: 100 }),
    country: related(countries, { column: 'country_code' }),
  },
  actions: ['retrieve', 'create', 'update'],
  permissions: ofVisibleOrder,
  nestedUnder: [{ parent: orders, column: 'order_id', only: true }],
  hookColumns: ['order_id', 'order_number'],
  singleton: ({ parameters }) => parameters.orders_key,
})

/** `/settings/` of each user. */
export const settings = resource('settings', {
  table: 'settings',
  key: integerKey({ column: 'user_id' }),
  fields: {
    customer: related(customers, { nullable: true }),
    newsletter: boolean({ default: false }),
  },
  actions: ['retrieve', 'create', 'update'],
  permissions: [authenticated],
  singleton: ({ caller }) => findAccountId(caller),
})

/** The events of an order. Only the hooks and views of orders create them. A list counts at most 1,000 of them. */
export const events = resource('events', {
  table: 'events',
  actions: ['list', 'retrieve'],
  fields: {
    url: hyperlinkedIdentity(),
    order: related('orders', { by: 'number' }),
    kind: choice({ created: 'Created', changed: 'Changed', shipped: 'Shipped' }),
    time: readOnly(dateTime()),
  },
  ordering: ['-time'],
  filters: { order: true, kind: true, time: ['gte', 'lt', 'date'] },
  pagination: pageNumber({ pageSize: 20, count: { atMost: 1000 }, maxOffset: 10_000 }),
  permissions: ofVisibleOrder,
  nestedUnder: [{ parent: 'orders', field: 'order' }],
  hookColumns: ['time'],
  prepare: ({ now }) => ({ time: now }),
})
