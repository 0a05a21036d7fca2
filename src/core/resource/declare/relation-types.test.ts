// The types of keys and relations, by resource and by name.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Flat, type ListParameter, type Same, same } from '../../../../test/support/same-types.ts'
import {
  type CreateBody,
  hyperlinkedIdentity,
  integer,
  key,
  nested,
  type PatchBody,
  publicId,
  type Query,
  type Representation,
  related,
  resource,
  text,
  textKey,
  type UpdateBody,
  uuidKey,
} from '../../../index.ts'

const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code', max: 2 }),
  fields: { code: key(), name: text() },
})
const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  objectName: 'name',
  fields: {
    id: key(),
    name: text({ unique: 'This field must be unique.' }),
    country: related(countries, { column: 'country_code' }),
    countryName: text({ source: 'country.name' }),
    orders: related('orders', { many: { reverse: 'customer_id' } }),
  },
})
const orders = resource('orders', {
  table: 'orders',
  key: publicId('ord'),
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    number: text({ fixed: true }),
    customer: related(customers, { shows: ['id', 'name'] }),
    payer: related('customers', { nullable: true, by: 'name' }),
    follows: related('orders', { nullable: true }),
    agent: related(customers, { takes: 'url', shows: 'text' }),
    tags: related(countries, { many: { table: 'order_tags', own: 'order_id', other: 'tag' }, form: 'url' }),
    buyer: nested({ of: customers, column: 'customer_id', fields: ['name'] }),
    lines: nested({ of: 'lines', many: { reverse: 'order_id' } }),
  },
  filters: {
    customer: ['exact', 'in'],
    payer: ['isnull'],
    tags: ['in'],
    'customer.country': ['in', 'not'],
    'customer.country.name': ['icontains'],
    'buyer.name': true,
    'lines.amount': ['range', 'gte'],
  },
  afterSave: ({ key, after }) => assert.ok(key + 1 > 0 && after.customer.length > 0),
  objectViews: ({ objectView }) => ({
    ship: objectView({
      handlers: { POST: ({ key }) => ({ status: 200, body: key.toFixed() }) },
    }),
  }),
})
const lines = resource('lines', {
  table: 'lines',
  fields: { id: key(), order: related(orders), amount: integer() },
})

interface Order {
  readonly url: string
  readonly id: string
  readonly number: string
  readonly customer: { readonly id: string; readonly name: string }
  readonly payer: string | null
  readonly follows: string | null
  readonly agent: string
  readonly tags: readonly string[]
  readonly buyer: { readonly name: string } | null
  readonly lines: readonly { readonly id: number; readonly order: string; readonly amount: number }[]
}

interface NewOrder {
  readonly number: string
  readonly customer: string
  readonly agent: string
  readonly tags: readonly string[]
  readonly payer?: string | null
  readonly follows?: string | null
}

interface Customer {
  readonly id: string
  readonly name: string
  readonly country: string
  readonly countryName: string | null
  readonly orders: readonly string[]
}

test('representations contain keys and related objects as they are shown', () => {
  same<Same<Representation<typeof countries>, { readonly code: string; readonly name: string }>>()
  same<Same<Representation<typeof orders, 'retrieve', typeof customers | typeof lines>, Flat<Order>>>()
  same<Same<Representation<typeof customers, 'retrieve', typeof orders>, Flat<Customer>>>()
  same<Same<Representation<typeof customers>['orders'], readonly (string | number)[]>>()
  same<Same<Representation<typeof lines>['order'], string>>()
  assert.ok(lines)
})

test('bodies contain the keys that a request gives', () => {
  same<Same<CreateBody<typeof countries>, { readonly code: string; readonly name: string }>>()
  same<Same<UpdateBody<typeof countries>, { readonly name: string; readonly code?: string }>>()
  same<Same<PatchBody<typeof countries>, { readonly name?: string }>>()
  same<Same<CreateBody<typeof customers>, { readonly name: string; readonly country: string }>>()
  same<Same<CreateBody<typeof orders, typeof customers>, Flat<NewOrder>>>()
})

type Scalar = string | number | boolean

interface OrderFilters {
  readonly customer?: string
  readonly customer__in?: readonly string[]
  readonly payer__isnull?: boolean
  readonly tags__in?: readonly string[]
  readonly customer__country__in?: readonly string[]
  readonly customer__country__not?: string
  readonly customer__country__name__icontains?: string
  readonly buyer__name?: string
  readonly lines__amount__range?: readonly [number, number]
  readonly lines__amount__gte?: number
}

interface KnownOrderFilters extends Omit<OrderFilters, 'lines__amount__range' | 'lines__amount__gte'> {
  readonly lines__amount__range?: readonly [Scalar, Scalar]
  readonly lines__amount__gte?: Scalar
}

test('a query contains the filters through relations', () => {
  same<Same<Flat<Omit<Query<typeof orders, typeof lines>, ListParameter>>, Flat<OrderFilters>>>()
  same<Same<Flat<Omit<Query<typeof orders>, ListParameter>>, Flat<KnownOrderFilters>>>()
  const query: Query<typeof orders> = { customer: 'a', lines__amount__range: [1, 2] }
  // @ts-expect-error a number is not the key of a country
  const wrongValue: Query<typeof orders> = { customer__country__not: 1 }
  assert.ok([query, wrongValue])
})

test('a filter through a relation has the name on the wire, and lookups that fit', () => {
  const agents = resource('agents', {
    table: 'agents',
    wire: 'camelCase',
    fields: { id: key(), full_name: text(), sold_items: integer() },
  })
  const fields = { head: related(agents) }
  const offices = resource('offices', {
    table: 'offices',
    wire: { head: 'chief' },
    fields,
    filters: { 'head.full_name': ['icontains'], 'head.sold_items': ['not__in'] },
  })
  interface OfficeFilters {
    readonly chief__fullName__icontains?: string
    readonly chief__soldItems__not__in?: readonly number[]
  }
  type Filters = Pick<Query<typeof offices>, 'chief__fullName__icontains' | 'chief__soldItems__not__in'>
  same<Same<Flat<Filters>, Flat<OfficeFilters>>>()
  for (const declare of [
    // @ts-expect-error
    () => resource('offices', { table: 'offices', fields, filters: { 'head.name': true } }),
    // @ts-expect-error
    () => resource('offices', { table: 'offices', fields, filters: { 'head.sold_items': ['icontains'] } }),
  ])
    assert.throws(declare, /resource "offices": filters: "head\./)
})

test('related objects have their own names on the wire, and fields that not every caller sees', () => {
  const staffOnly = ({ user }: { readonly user: { readonly isStaff: boolean } }) => user.isStaff
  const agents = resource('agents', {
    table: 'agents',
    wire: 'camelCase',
    fields: { id: key(), full_name: text(), home_phone: text({ visible: staffOnly, default: '-' }) },
  })
  const offices = resource('offices', {
    table: 'offices',
    fields: {
      head: related(agents, { shows: ['full_name', 'home_phone'] }),
      staff: nested({ of: 'agents', many: { reverse: 'office_id' }, fields: ['full_name'] }),
    },
  })
  interface Head {
    readonly fullName: string
    readonly homePhone?: string
  }
  same<Same<Representation<typeof offices>['head'], Flat<Head>>>()
  type Staff = Representation<typeof offices, 'retrieve', typeof agents>['staff']
  same<Same<Staff, readonly { readonly fullName: string }[]>>()
})
