// Values and conditions of related rows, each declared without SQL and written as SQL of the same meaning, over the orders of `queried.ts`.

import { sql } from 'kysely'
import {
  boolean,
  computed,
  filter,
  forTypes,
  type Identity,
  integer,
  key,
  limitOffset,
  type Resource,
  text,
} from 'resource-api'
import { count, exists, latest, reference, sum, table, tables, value, where } from 'resource-api/tables'

const customers = table('customers', { managed: false, columns: { id: key(), name: text(), country: text() } })
const orders = table('orders', {
  managed: false,
  columns: { id: key(), number: text(), status: text(), total: integer(), customer: reference('customers') },
})
const schema = tables({ owner: 'queried', tables: [customers, orders] })
const { resource } = forTypes<Identity, typeof schema>()

const shared = { actions: ['list'], pagination: limitOffset({ defaultLimit: 10 }) } as const
const fields = customers.pick('id', 'name')
const ofCustomers = { ...shared, table: customers, fields } as const
const ofOrders = { ...shared, table: orders, fields: orders.pick('id', 'number') } as const

/** The name of what is derived, and the query that asks for it. */
export const derivations = {
  count: '',
  sum: '',
  exists: '',
  latest: '',
  'path-to-one': 'in=country-7&',
  'path-to-many': 'in=open&',
} as const

export type Derivation = keyof typeof derivations

/** `GET /declared-count/`, `GET /written-count/` and so on. */
export const derivedResources: readonly Resource[] = [
  resource('declared-count', { ...ofCustomers, fields: { ...fields, value: count('orders') } }),
  resource('written-count', {
    ...ofCustomers,
    fields: {
      ...fields,
      value: computed(integer(), ({ row }) => sql`(select count(*) from orders o where o.customer_id = ${row.id})`),
    },
  }),
  resource('declared-sum', { ...ofCustomers, fields: { ...fields, value: sum(integer(), 'orders', 'total') } }),
  resource('written-sum', {
    ...ofCustomers,
    fields: {
      ...fields,
      value: computed(
        integer(),
        ({ row }) => sql`(select coalesce(sum(o.total), 0) from orders o where o.customer_id = ${row.id})`,
      ),
    },
  }),
  resource('declared-exists', {
    ...ofCustomers,
    fields: { ...fields, value: exists('orders', { status: 'cancelled' }) },
  }),
  resource('written-exists', {
    ...ofCustomers,
    fields: {
      ...fields,
      value: computed(
        boolean(),
        ({ row }) => sql`exists (select 1 from orders o where o.customer_id = ${row.id} and o.status = 'cancelled')`,
      ),
    },
  }),
  resource('declared-latest', {
    ...ofCustomers,
    fields: { ...fields, value: latest(text(), 'orders', '-total', 'number') },
  }),
  resource('written-latest', {
    ...ofCustomers,
    fields: {
      ...fields,
      value: computed(
        text({ nullable: true }),
        ({ row }) =>
          sql`(select o.number from orders o where o.customer_id = ${row.id} order by o.total desc, o.id desc limit 1)`,
      ),
    },
  }),
  resource('declared-path-to-one', { ...ofOrders, filters: { in: where({ 'customer.country': value(text()) }) } }),
  resource('written-path-to-one', {
    ...ofOrders,
    filters: {
      in: filter(
        text(),
        ({ row, value: country }) =>
          sql`${row.customer_id} in (select c.id from customers c where c.country = ${country})`,
      ),
    },
  }),
  resource('declared-path-to-many', { ...ofCustomers, filters: { in: where({ 'orders.status': value(text()) }) } }),
  resource('written-path-to-many', {
    ...ofCustomers,
    filters: {
      in: filter(
        text(),
        ({ row, value: status }) => sql`${row.id} in (select o.customer_id from orders o where o.status = ${status})`,
      ),
    },
  }),
]
