import type { Migrations } from 'resource-api'

export const migrations: Migrations = {
  async '0001_shop'(kysely, { key, reference, text, decimal, dateTime }) {
    await kysely.schema
      .createTable('products')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull().unique())
      .addColumn('price', decimal(10, 2), column => column.notNull())
      .execute()
    await kysely.schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('customer_id', reference, column => column.notNull().references('users.id'))
      .addColumn('note', text, column => column.notNull())
      .addColumn('status', text, column => column.notNull())
      .addColumn('created', dateTime, column => column.notNull())
      .execute()
    await kysely.schema
      .createTable('order_lines')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('product_id', reference, column => column.notNull().references('products.id'))
      .addColumn('quantity', 'integer', column => column.notNull())
      .addUniqueConstraint('order_lines_order_product', ['order_id', 'product_id'])
      .execute()
    await kysely.schema.createIndex('orders_customer').on('orders').column('customer_id').execute()
  },
}
