// The lines of orders, and who sees the parts of an order.

import { authenticated, hyperlinkedIdentity, or, readOnly, related, rowFilter, staff, text } from 'resource-api'
import { caller } from 'resource-api/tables'
import { products } from './catalogue.ts'
import { lineTable, resource } from './tables.ts'

/** Parts of an order, such as its lines, exist for those for whom the order exists. */
export const ofVisibleOrder = [authenticated, or(staff, rowFilter({ 'order.customer.user': caller('id') }))]

/** Which products an order contains: the rows between them have a quantity, and the price at the time of the order. */
export const lines = resource('lines', {
  table: lineTable,
  fields: {
    url: hyperlinkedIdentity(),
    ...lineTable.pick('id'),
    order: related('orders', { by: 'number', fixed: true }),
    product: related(products, { shows: ['id', 'name'], fixed: true }),
    category: text({ source: 'product.category.name' }),
    ...lineTable.pick('quantity'),
    price: readOnly(lineTable.columns.price),
  },
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
