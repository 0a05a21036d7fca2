// Customers and their orders. A customer belongs to a user. Users see the orders of their own customers; staff see all.

import { sql } from 'kysely'
import {
  authenticated,
  Conflict,
  decimal,
  hyperlinkedIdentity,
  integer,
  integerKey,
  nested,
  or,
  pageNumber,
  related,
  rowFilter,
  staff,
  text,
  via,
} from 'resource-api'
import { findAccountId, requireAccountId } from 'resource-api/accounts'
import { caller, exists, now, product, sum, where } from 'resource-api/tables'
import { countries } from './catalogue.ts'
import { lines, ofVisibleOrder } from './lines.ts'
import { customerTable, deliveryTable, eventTable, listView, orderTable, resource, settingTable } from './tables.ts'

export const customers = resource('customers', {
  table: customerTable,
  objectName: 'name',
  fields: {
    url: hyperlinkedIdentity(),
    ...customerTable.pick('id'),
    user: text({ source: via('user_id', 'users', 'username') }),
    ...customerTable.pick('name', 'email'),
    country: related(countries, { column: 'country_code' }),
  },
  ordering: ['name'],
  searchFields: ['name', 'email'],
  filters: { user: true, country: true },
  permissions: [authenticated, or(staff, rowFilter({ user: caller('id') }))],
})

const amount = decimal({ maxDigits: 15, decimalPlaces: 2, currency: 'EUR' })

/** An order is written with its lines. URLs contain the number, which is fixed. */
export const orders = resource('orders', {
  table: orderTable,
  lookup: 'number',
  objectName: 'number',
  fields: {
    url: hyperlinkedIdentity(),
    ...orderTable.pick('id', 'number'),
    customer: related(customers, { shows: ['id', 'name'], fixed: true }),
    country: text({ source: 'customer.country.name' }),
    ...orderTable.pick('status', 'note', 'due', 'created'),
    lines: nested({
      of: lines,
      many: { reverse: 'order_id' },
      fields: ['id', 'product', 'quantity', 'price'],
      writable: true,
      max: 200,
    }),
    total: sum(amount, 'lines', product('quantity', 'price')),
    watched: exists('watchers', { user: caller('id') }),
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
    late: where({ status: 'open', due__lt: now() }),
  },
  // A query may contain one group, such as `or.late=true&or.total__gte=100`.
  filterLimits: { groups: 1 },
  orderingFields: ['created', 'number', 'customer.name', 'total'],
  sparseFields: true,
  expandableFields: ['customer.country', 'lines.product'],
  permissions: [authenticated, or(staff, rowFilter({ 'customer.user': caller('id') }))],
  nestedUnder: [{ parent: customers, field: 'customer' }],
  async afterSave(context) {
    const { action, after } = context
    await events.create({ order: after.number, kind: action === 'create' ? 'created' : 'changed' }, context)
  },
  lists: {
    // GET /orders/watched/
    watched: { rows: { watchers: { user: caller('id') } } },
  },
  listViews: {
    // GET /orders/sales/?year=2026, and /customers/3f0c…/orders/sales/?year=2026 for one customer.
    sales: listView({
      query: { year: integer({ min: 2000, max: 9998 }) },
      response: { orders: integer(), total: amount },
      permissions: [staff],
      handlers: {
        async GET({ database, query: { year }, parent }) {
          const sales = database.kysely
            .selectFrom('orders')
            .leftJoin('order_lines', 'order_lines.order_id', 'orders.id')
            .select(({ fn }) => [
              fn.count('orders.id').distinct().as('orders'),
              // In SQL, because decimals have the type string, which Kysely does not multiply.
              sql`coalesce(sum(quantity * price), 0)`.as('total'),
            ])
            .where('created', '>=', `${year}-01-01T00:00:00.000000Z`)
            .where('created', '<', `${year + 1}-01-01T00:00:00.000000Z`)
          const ofParent = parent === undefined ? sales : sales.where('customer_id', '=', String(parent))
          const { orders, total } = await ofParent.executeTakeFirstOrThrow()
          return { orders: Number(orders), total: Number(total).toFixed(2) }
        },
      },
    }),
  },
  objectViews: ({ objectView }) => ({
    // POST /orders/2026-0007/ship/
    ship: objectView({
      permissions: [staff],
      pageActions: { POST: { done: '{name} was shipped.', when: { status: 'open' }, bulk: true } },
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
      pageActions: {
        PUT: { when: { not: { watchers: { user: caller('id') } } } },
        DELETE: { label: 'Stop watching', when: { watchers: { user: caller('id') } } },
      },
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
  table: deliveryTable,
  fields: {
    url: hyperlinkedIdentity(),
    ...deliveryTable.pick('street', 'city'),
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
  table: settingTable,
  key: integerKey({ column: 'user_id' }),
  fields: {
    customer: related(customers, { nullable: true }),
    ...settingTable.pick('newsletter'),
  },
  actions: ['retrieve', 'create', 'update'],
  permissions: [authenticated],
  singleton: ({ caller }) => findAccountId(caller),
})

/** The events of an order. Only the hooks and views of orders create them. A list counts at most 1,000 of them. */
export const events = resource('events', {
  table: eventTable,
  actions: ['list', 'retrieve'],
  fields: {
    url: hyperlinkedIdentity(),
    order: related('orders', { by: 'number' }),
    ...eventTable.pick('kind', 'time'),
  },
  ordering: ['-time'],
  filters: { order: true, kind: true, time: ['gte', 'lt', 'date'] },
  pagination: pageNumber({ pageSize: 20, count: { atMost: 1000 }, maxOffset: 10_000 }),
  permissions: ofVisibleOrder,
  nestedUnder: [{ parent: 'orders', field: 'order' }],
})
