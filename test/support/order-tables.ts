// Orders with lines, which have notes, and with an invoice: resources whose objects are written together.

import { sql } from 'kysely'
import {
  date,
  integer,
  json,
  key,
  type Migrations,
  nested,
  type Permission,
  related,
  resource,
  rowFilter,
  text,
  ValidationError,
} from 'resource-api'
import { asUser } from './own-api.ts'

export const orderMigrations: Migrations = {
  async '0001_orders'({ schema }, { key, reference, text, date, json }) {
    await schema
      .createTable('products')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull().unique())
      .addColumn('owner_id', reference)
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull().unique())
      .addColumn('due', date)
      .execute()
    await schema
      .createTable('lines')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('product_id', reference, column => column.notNull().references('products.id'))
      .addColumn('quantity', 'integer', column => column.notNull())
      .addColumn('extras', json)
      .addColumn('position', 'integer')
      .addColumn('owner_id', reference)
      .addUniqueConstraint('lines_order_product', ['order_id', 'product_id'])
      .execute()
    await schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('line_id', reference, column => column.notNull().references('lines.id').onDelete('cascade'))
      .addColumn('text', text, column => column.notNull())
      .execute()
    await schema
      .createTable('invoices')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().unique().references('orders.id').onDelete('cascade'))
      .addColumn('number', text, column => column.notNull().unique())
      .execute()
  },
}

/** Rows without an owner, and the caller's own, exist for the caller. */
export const ownRows: Permission = rowFilter(
  ({ row, caller }) => sql`(${row.owner_id} is null or ${row.owner_id} = ${caller.id})`,
)

export const products = resource('products', {
  table: 'products',
  fields: { id: key(), name: text({ unique: 'There is a product with this name.' }) },
  hookColumns: ['owner_id'],
  permissions: [ownRows],
})

export const notes = resource('notes', {
  table: 'notes',
  fields: { id: key(), line: related('lines'), text: text({ max: 20 }) },
})

export const lines = resource('lines', {
  table: 'lines',
  fields: {
    id: key(),
    order: related('orders'),
    product: related(products),
    quantity: integer({ min: 1 }),
    extras: json({ nullable: true }),
    notes: nested({ of: notes, many: { reverse: 'line_id' }, fields: ['id', 'text'], writable: true }),
  },
  hookColumns: ['owner_id', 'position'],
  uniqueTogether: [['order', 'product']],
  permissions: [ownRows],
  validate({ values }) {
    if (values.quantity === 13) throw new ValidationError('Thirteen is not sold.')
  },
})

export const invoices = resource('invoices', {
  table: 'invoices',
  fields: { id: key(), order: related('orders'), number: text({ unique: 'There is an invoice with this number.' }) },
})

export const orders = resource('orders', {
  table: 'orders',
  fields: {
    id: key(),
    number: text({ unique: 'There is an order with this number.' }),
    due: date({ nullable: true }),
    lines: nested({
      of: lines,
      many: { reverse: 'order_id' },
      fields: ['id', 'product', 'quantity', 'extras', 'notes'],
      writable: true,
      max: 50,
    }),
    invoice: nested({ of: invoices, one: { reverse: 'order_id' }, fields: ['number'], writable: true }),
  },
})

/** A request by Ann with a JSON body. */
export const byAnn = (body: unknown) => ({ ...asUser('ann'), json: body })
