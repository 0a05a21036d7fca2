// A profile whose list is filtered, ordered and expanded: orders of customers in several countries.

import { choice, integer, key, type Migrations, pageNumber, related, resource, text } from 'resource-api'
import { type Profile, profile } from 'resource-api/service'
import { derivedResources } from './derived.ts'

export const statuses = ['open', 'paid', 'shipped', 'returned', 'cancelled'] as const
const actions = ['list', 'retrieve'] as const

const customers = resource('customers', {
  table: 'customers',
  actions,
  fields: { id: key(), name: text(), country: text() },
})

const orders = resource('orders', {
  table: 'orders',
  actions,
  fields: { id: key(), number: text(), status: choice(statuses), total: integer(), customer: related(customers) },
  filters: { status: ['in'], total: ['gte'], 'customer.country': true },
  orderingFields: ['total'],
  expandableFields: ['customer'],
})

const migrations: Migrations = {
  async '0001_orders'({ schema }, { key, text, reference }) {
    await schema
      .createTable('customers')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('country', text, column => column.notNull())
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text, column => column.notNull())
      .addColumn('status', text, column => column.notNull())
      .addColumn('total', 'integer', column => column.notNull())
      .addColumn('customer_id', reference, column => column.notNull().references('customers.id'))
      .execute()
    await schema.createIndex('orders_total').on('orders').columns(['total', 'id']).execute()
    await schema.createIndex('orders_customer').on('orders').column('customer_id').execute()
  },
}

/** `GET /orders/` and the lists of `derived.ts`, at the root as the only profile. */
export const queried = (): Profile =>
  profile('queried', {
    description: 'Orders whose list is filtered, ordered and expanded.',
    migrations,
    resources: [customers, orders, ...derivedResources],
    pagination: pageNumber({ pageSize: 10 }),
  })

export const countries = 20

/** The statements that fill an empty database of either kind: 100,000 orders of 1,000 customers. */
export function fillingStatements(customerCount = 1000, orderCount = 100_000): readonly string[] {
  const numbers = (count: number) =>
    `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})`
  const status = statuses.map((name, index) => `when ${index} then '${name}'`).join(' ')
  return [
    `${numbers(customerCount)} insert into customers (name, country) select 'Customer ' || n, 'country-' || (n % ${countries}) from numbers`,
    `${numbers(orderCount)} insert into orders (number, status, total, customer_id)
     select 'order-' || n, case n / ${countries} % ${statuses.length} ${status} end, n * 7919 % 10007, n * 31 % ${customerCount} + 1 from numbers`,
    'analyze',
  ]
}
