// Orders, each with the address to which it refers: objects that are written before the row whose column contains their key.

import { integer, key, type Migrations, nested, type Permission, related, resource, text } from 'resource-api'
import { ownRows } from './order-tables.ts'

export const addressMigrations: Migrations = {
  async '0001_addresses'({ schema }, { key, reference, text }) {
    await schema
      .createTable('places')
      .addColumn('id', key)
      .addColumn('latitude', 'integer', column => column.notNull())
      .execute()
    await schema
      .createTable('addresses')
      .addColumn('id', key)
      .addColumn('street', text, column => column.notNull())
      .addColumn('code', text, column => column.unique())
      .addColumn('place_id', reference, column => column.unique().references('places.id'))
      .addColumn('owner_id', reference)
      .execute()
    await schema
      .createTable('customers')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull().unique())
      .addColumn('address_id', reference, column => column.notNull().unique().references('addresses.id'))
      .addColumn('billing_id', reference, column => column.unique().references('addresses.id'))
      .addColumn('customer_id', reference, column => column.references('customers.id').onDelete('cascade'))
      .execute()
    await schema
      .createTable('lines')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('quantity', 'integer', column => column.notNull())
      .execute()
    await schema
      .createTable('visits')
      .addColumn('id', key)
      .addColumn('address_id', reference, column => column.references('addresses.id'))
      .execute()
  },
}

/** Refuses to change or delete an address whose street is "Fixed". */
const notFixed: Permission = {
  columns: ['street'],
  allowsObject: ({ method }, { street }) => method === 'GET' || street !== 'Fixed',
}

export const places = resource('places', { table: 'places', fields: { id: key(), latitude: integer({ max: 90 }) } })

export const log: string[] = []

export const addresses = resource('addresses', {
  table: 'addresses',
  fields: {
    id: key(),
    street: text({ max: 20 }),
    code: text({ nullable: true, unique: 'There is an address with this code.' }),
    place: nested({ of: places, column: 'place_id', fields: ['latitude'], writable: true, nullable: true }),
  },
  hookColumns: ['owner_id'],
  permissions: [ownRows, notFixed],
  beforeSave: ({ values }) => void log.push(`save ${values.street}`),
  beforeDestroy: ({ before }) => void log.push(`destroy ${before.street}`),
})

const fields = ['id', 'street', 'code', 'place'] as const

export const lines = resource('lines', {
  table: 'lines',
  fields: { id: key(), order: related('orders'), quantity: integer({ min: 1 }) },
})

export const orders = resource('orders', {
  table: 'orders',
  fields: {
    id: key(),
    number: text({ unique: 'There is an order with this number.' }),
    address: nested({ of: addresses, column: 'address_id', fields, writable: true }),
    billing: nested({ of: addresses, column: 'billing_id', fields, writable: true, nullable: true }),
    lines: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['id', 'quantity'], writable: true }),
  },
  bulk: 'atomic',
  beforeSave: ({ values }) => void log.push(`order ${values.number} to ${values.address?.street}`),
})

/** The same table, where bodies may do less with the address of the bill. */
const limited = (name: string, writable: readonly ('add' | 'change' | 'remove')[]) =>
  resource(name, {
    table: 'orders',
    fields: {
      id: key(),
      number: text({ default: 'L' }),
      billing: nested({
        of: addresses,
        column: 'billing_id',
        fields: ['id', 'street', 'code'],
        writable,
        nullable: true,
      }),
    },
    actions: ['retrieve', 'update'],
  })

export const limitedOrders = [
  limited('kept', ['add', 'change']),
  limited('replaced', ['add']),
  limited('swapped', ['add', 'remove']),
  limited('changed', ['change']),
  limited('removed', ['remove']),
]

/** Several visits may lead to one address. */
export const visits = resource('visits', {
  table: 'visits',
  fields: {
    id: key(),
    address: nested({
      of: addresses,
      column: 'address_id',
      fields: ['id', 'street'],
      writable: ['add', 'change'],
      nullable: true,
      shared: true,
    }),
  },
  bulk: 'each',
})

export const customers = resource('customers', {
  table: 'customers',
  fields: {
    id: key(),
    name: text(),
    orders: nested({
      of: orders,
      many: { reverse: 'customer_id' },
      fields: ['id', 'number', 'address', 'billing'],
      writable: true,
    }),
  },
})

export const addressResources = [places, addresses, lines, orders, ...limitedOrders, visits, customers]
