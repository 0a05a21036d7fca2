// An API whose requests write several objects: orders with their lines, and many items at a time.

import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import {
  createApi,
  fastifyOptions,
  integer,
  key,
  type Migrations,
  migrate,
  nested,
  openDatabase,
  related,
  resource,
  text,
} from 'resource-api'

const products = resource('products', {
  table: 'products',
  actions: ['list'],
  fields: { id: key(), name: text({ max: 100 }) },
})

const lines = resource('lines', {
  table: 'lines',
  actions: ['list'],
  fields: { id: key(), order: related('orders'), product: related(products), quantity: integer({ min: 1, max: 1000 }) },
})

const orders = resource('orders', {
  table: 'orders',
  actions: ['create'],
  fields: {
    id: key(),
    number: text({ max: 20 }),
    note: text({ max: 200, blank: true, default: '' }),
    lines: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['id', 'product', 'quantity'], writable: true }),
  },
})

const items = resource('items', {
  table: 'items',
  actions: ['create'],
  fields: {
    id: key(),
    name: text({ max: 100 }),
    note: text({ max: 200, blank: true, default: '' }),
    amount: integer({ min: 0, max: 1_000_000 }),
  },
  bulk: 'atomic',
})

const steps: Migrations = {
  async '0001_orders'({ schema }, { key, text, reference }) {
    await schema
      .createTable('products')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull())
      .addColumn('note', text, column => column.notNull())
      .execute()
    await schema
      .createTable('lines')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id'))
      .addColumn('product_id', reference, column => column.notNull().references('products.id'))
      .addColumn('quantity', 'integer', column => column.notNull())
      .execute()
    await schema.createIndex('lines_order').on('lines').column('order_id').execute()
    await schema
      .createTable('items')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('note', text, column => column.notNull())
      .addColumn('amount', 'integer', column => column.notNull())
      .execute()
  },
}

export const productCount = 1000

/** Creates the tables, with products that lines refer to. */
export async function createTables(url: string): Promise<void> {
  const database = openDatabase(url)
  await migrate(database, [{ owner: 'bench', steps }])
  const rows = Array.from({ length: productCount }, (_, index) => ({ name: `Product ${index}` }))
  await database.transaction(({ kysely }) => kysely.insertInto('products').values(rows).execute())
  await database.close()
}

/** The API over the database at this URL; its `close` closes the database too. */
export async function createWrittenSide(url: string): Promise<FastifyInstance> {
  const database = openDatabase(url)
  const app = Fastify(fastifyOptions())
  app.addHook('onClose', () => database.close())
  await app.register(createApi({ database, resources: [products, lines, orders, items] }))
  return app
}
