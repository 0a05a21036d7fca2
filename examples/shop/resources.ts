// The products of the shop, and the orders of its customers.

import { sql } from 'kysely'
import {
  authenticated,
  choice,
  computed,
  dateTime,
  decimal,
  hyperlinkedIdentity,
  integer,
  isSafe,
  objectView,
  or,
  readOnly,
  related,
  resource,
  rowFilter,
  staff,
  text,
  via,
} from 'resource-api'
import { findAccountId } from 'resource-api/accounts'

/** Everyone may read the products; staff may change them. */
export const products = resource('products', {
  table: 'products',
  ordering: ['name'],
  objectName: 'name',
  fields: {
    url: hyperlinkedIdentity(),
    name: text({ max: 100, unique: 'There is a product with this name.' }),
    price: decimal({ maxDigits: 10, decimalPlaces: 2, min: 0 }),
  },
  searchFields: ['name'],
  filters: { price: ['gte', 'lte'] },
  orderingFields: ['name', 'price'],
  permissions: [or(staff, { allows: ({ method }) => isSafe(method) })],
})

/** Customers create orders, and see their own; staff see all and ship them. */
export const orders = resource('orders', {
  table: 'orders',
  ordering: ['-created'],
  fields: {
    url: hyperlinkedIdentity(),
    customer: text({ source: via('customer_id', 'users', 'username') }),
    note: text({ max: 500, blank: true, default: '' }),
    status: readOnly(choice(['open', 'shipped'])),
    created: readOnly(dateTime()),
    total: computed(
      decimal({ maxDigits: 15, decimalPlaces: 2 }),
      ({ row }) =>
        sql`(select coalesce(sum(order_lines.quantity * products.price), 0)
          from order_lines join products on products.id = order_lines.product_id
          where order_lines.order_id = ${row.id})`,
    ),
  },
  filters: { status: ['exact', 'in'], created: ['gte', 'lt'], total: ['gte', 'lte'] },
  permissions: [
    authenticated,
    or(
      staff,
      rowFilter(({ row, caller }) => sql`${row.customer_id} = ${caller.id}`),
    ),
  ],
  hookColumns: ['customer_id', 'status', 'created'],
  prepare: ({ action, user, now }) =>
    action === 'create' ? { customer_id: findAccountId(user), status: 'open', created: now } : {},
  objectViews: {
    ship: objectView({
      permissions: [staff],
      handlers: {
        async POST({ database, key, represent }) {
          await database.transaction(({ kysely }) =>
            kysely.updateTable('orders').set({ status: 'shipped' }).where('id', '=', key).execute(),
          )
          return { status: 200, body: await represent(key) }
        },
      },
    }),
  },
})

/** The lines of an order exist for those for whom the order exists. */
export const lines = resource('lines', {
  table: 'order_lines',
  fields: {
    url: hyperlinkedIdentity(),
    order: related(orders, { form: 'url' }),
    product: related(products, { form: 'url' }),
    quantity: integer({ min: 1, max: 1000, default: 1 }),
  },
  uniqueTogether: [['order', 'product']],
  nestedUnder: [{ parent: orders, column: 'order_id' }],
  permissions: [
    authenticated,
    or(
      staff,
      rowFilter(
        ({ row, caller }) =>
          sql`exists (select 1 from orders where orders.id = ${row.order_id} and orders.customer_id = ${caller.id})`,
      ),
    ),
  ],
})
