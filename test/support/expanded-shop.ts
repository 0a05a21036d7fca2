// A shop whose relations can be expanded. Its resources have row filters, view permissions, fields that only the staff sees,
// and fields that SQL and TypeScript compute.

import { sql } from 'kysely'
import {
  authenticated,
  authenticatedOrReadOnly,
  boolean,
  choice,
  computed,
  cursor,
  decimal,
  integer,
  key,
  limitOffset,
  nested,
  ownerOrReadOnly,
  readOnly,
  related,
  resource,
  rowFilter,
  staff,
  text,
  textKey,
  uuidKey,
} from 'resource-api'

const visibleRows = rowFilter(({ row, caller }) => sql`${row.owner_id} is null or ${row.owner_id} = ${caller.id}`)
const staffOnly = ({ user }: { readonly user: { readonly isStaff: boolean } }) => user.isStaff
// Each resource has a condition of its own.
const createOwner = () => integer({ column: 'owner_id', nullable: true, visible: caller => staffOnly(caller) })
const price = decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true })

const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code' }),
  permissions: [visibleRows],
  fields: {
    code: key(),
    name: text({ nullable: true }),
    mine: computed(boolean(), ({ row, caller }) => sql`coalesce(${row.owner_id} = ${caller.id}, false)`),
  },
})

const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  permissions: [authenticatedOrReadOnly, visibleRows, ownerOrReadOnly('owner_id')],
  perAction: { list: { shows: ['id'] }, retrieve: { shows: ['loud', 'id', 'country', 'owner', 'name'] } },
  fields: {
    id: key(),
    name: text({ nullable: true }),
    owner: createOwner(),
    country: related(countries, { column: 'country_code', nullable: true }),
    loud: computed({ columns: ['name'], value: ({ name }, { user }) => `${name} for ${user.username}` }),
    hidden_from_objects: readOnly(text({ column: 'name', nullable: true })),
  },
})

const tags = resource('tags', {
  table: 'tags',
  permissions: [authenticated, visibleRows],
  perAction: { retrieve: { permissions: [staff, visibleRows] } },
  fields: { id: key(), slug: text({ unique: 'This field must be unique.' }), owner: createOwner() },
})

/** The resources. `ignoreRowFilter`: the option of two relations, which then show what a row filter hides. */
export function createExpandedShop({ ignoreRowFilter }: { readonly ignoreRowFilter: boolean }) {
  const lines = resource('lines', {
    table: 'lines',
    permissions: [visibleRows],
    wire: 'camelCase',
    fields: {
      id: key(),
      product: text({ nullable: true }),
      unit_price: decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true, column: 'price' }),
      order: related('orders', { nullable: true, ignoreRowFilter }),
    },
  })

  const options = {
    table: 'orders',
    permissions: [visibleRows],
    fields: {
      id: key(),
      number: text({ nullable: true, blank: true }),
      status: choice(['open', 'paid', 'late']),
      total: price,
      owner: createOwner(),
      customer: related(customers, { nullable: true }),
      buyer: readOnly(
        related(customers, { column: 'customer_id', nullable: true, shows: ['id', 'name'], ignoreRowFilter }),
      ),
      staff_customer: readOnly(related(customers, { column: 'customer_id', nullable: true, visible: staffOnly })),
      tags: related(tags, { many: { table: 'order_tags', own: 'order_id', other: 'tag_id' }, by: 'slug' }),
      lines: related(lines, { many: { reverse: 'order_id' } }),
      lines_in_full: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['id', 'product', 'order'] }),
    },
    sparseFields: true,
    expandableFields: [
      'customer.country',
      'buyer',
      'staff_customer.country',
      'tags',
      'lines.order.customer',
      'lines_in_full.order.customer',
    ],
    searchFields: ['number', 'customer'],
    orderingFields: ['number', 'customer'],
    filters: { 'customer.name': ['icontains'], 'customer.owner': true },
  } as const

  return [
    countries,
    customers,
    tags,
    lines,
    resource('orders', { ...options, pagination: null }),
    resource('slips', { ...options, actions: ['list'], strict: true, sparseFields: false }),
    resource('pages', { ...options, actions: ['list'], strict: true, pagination: limitOffset({ defaultLimit: 5 }) }),
    resource('portions', { ...options, actions: ['list'], pagination: cursor({ ordering: ['id'], pageSize: 5 }) }),
  ]
}
