// The lines of orders, and who sees the parts of an order.

import { sql } from 'kysely'
import { authenticated, hyperlinkedIdentity, integer, key, or, readOnly, related, staff, text } from 'resource-api'
import { price, products } from './catalogue.ts'
import { resource, rowFilter } from './tables.ts'

/** Parts of an order, such as its lines, exist for those for whom the order exists. */
export const ofVisibleOrder = [
  authenticated,
  or(
    staff,
    rowFilter(
      ({ row, caller }) =>
        sql`${row.order_id} in (select orders.id from orders join customers on customers.id = orders.customer_id
          where customers.user_id = ${caller.id})`,
    ),
  ),
]

/** Which products an order contains: the rows between them have a quantity, and the price at the time of the order. */
export const lines = resource('lines', {
  table: 'order_lines',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    order: related('orders', { by: 'number', fixed: true }),
    product: related(products, { shows: ['id', 'name'], fixed: true }),
    category: text({ source: 'product.category.name' }),
    quantity: integer({ min: 1, max: 1000, default: 1 }),
    price: readOnly(price),
  },
  uniqueTogether: [['order', 'product']],
  filters: { order: true, product: true },
  sparseFields: true,
  expandableFields: ['order', 'product.category'],
  permissions: ofVisibleOrder,
  nestedUnder: [{ parent: 'orders', field: 'order' }],
  hookColumns: ['price'],
  async beforeSave({ action, values: { product }, connection: { kysely } }) {
    if (action === 'create')
      return kysely.selectFrom('products').select('price').where('id', '=', product).executeTakeFirstOrThrow()
  },
})
