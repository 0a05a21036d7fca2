// The types of bodies with children.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Flat, type Same, same } from '../../../../test/support/same-types.ts'
import {
  type BulkItem,
  type CreateBody,
  integer,
  key,
  nested,
  type PatchBody,
  type Representation,
  related,
  resource,
  text,
  type UpdateBody,
  uuidKey,
} from '../../../index.ts'

const products = resource('products', { table: 'products', fields: { id: key(), name: text() } })

const notes = resource('notes', { table: 'notes', fields: { id: key(), text: text() } })

const lines = resource('lines', {
  table: 'lines',
  key: uuidKey(),
  fields: {
    id: key(),
    order: related('orders'),
    product: related(products),
    quantity: integer({ default: 1 }),
    notes: nested({ of: notes, many: { reverse: 'line_id' }, fields: ['id', 'text'], writable: true }),
  },
})

const orders = resource('orders', {
  table: 'orders',
  fields: {
    id: key(),
    number: text({ fixed: true }),
    lines: nested({
      of: lines,
      many: { reverse: 'order_id' },
      fields: ['id', 'product', 'quantity', 'notes'],
      writable: ['add', 'change'],
    }),
    invoice: nested({ of: 'invoices', one: { reverse: 'order_id' }, fields: ['number'], writable: true }),
    shown: nested({ of: lines, many: { reverse: 'order_id' }, fields: ['quantity'] }),
  },
  validate({ values, given }) {
    same<Same<typeof values.lines, readonly Readonly<Record<string, unknown>>[] | undefined>>()
    assert.ok(given.lines === undefined || given.lines.length > 0)
  },
})

const addresses = resource('addresses', { table: 'addresses', fields: { id: key(), street: text() } })

const parcels = resource('parcels', {
  table: 'parcels',
  fields: {
    id: key(),
    address: nested({ of: addresses, column: 'address_id', writable: true }),
    sender: nested({ of: addresses, column: 'sender_id', fields: ['street'], writable: true, nullable: true }),
    depot: nested({ of: addresses, column: 'depot_id' }),
  },
  validate({ values }) {
    same<Same<typeof values.address, Readonly<Record<string, unknown>> | undefined>>()
    same<Same<typeof values.sender, Readonly<Record<string, unknown>> | null | undefined>>()
  },
})

const invoices = resource('invoices', {
  table: 'invoices',
  fields: { id: key(), order: related(orders), number: text() },
})

type Note = { readonly text: string } | { readonly id: number; readonly text?: string }

type Line =
  | { readonly product: number; readonly quantity?: number; readonly notes?: readonly Note[] }
  | { readonly id: string; readonly product?: number; readonly quantity?: number; readonly notes?: readonly Note[] }

interface Children {
  readonly lines?: readonly Line[]
  readonly invoice?: { readonly number: string } | null
}

test('bodies contain the bodies of children: new ones, and changes by key', () => {
  same<Same<Flat<CreateBody<typeof orders, typeof invoices>>['lines'], Children['lines']>>()
  same<Same<Flat<UpdateBody<typeof orders, typeof invoices>>['lines'], Children['lines']>>()
  same<Same<Flat<PatchBody<typeof orders, typeof invoices>>['lines'], Children['lines']>>()
  same<Same<Flat<PatchBody<typeof orders, typeof invoices>>['invoice'], Children['invoice']>>()
  const body: CreateBody<typeof orders, typeof invoices> = {
    number: '1',
    lines: [
      { product: 1, notes: [{ text: 'hot' }, { id: 3 }] },
      { id: 'x', quantity: 3 },
    ],
    invoice: { number: '7' },
  }
  // @ts-expect-error: a new line needs a product
  const withoutProduct: CreateBody<typeof orders, typeof invoices> = { number: '1', lines: [{ quantity: 1 }] }
  // @ts-expect-error: an integer, not a text
  const wrongType: PatchBody<typeof orders> = { lines: [{ product: 1, quantity: '1' }] }
  // @ts-expect-error: `shown` is read-only
  const readOnly: PatchBody<typeof orders> = { shown: [] }
  assert.ok(body && withoutProduct && wrongType && readOnly)
})

test('bodies contain the objects to which columns refer: required, unless they are nullable', () => {
  type Address = { readonly street: string } | { readonly id: number; readonly street?: string }
  interface Parcel {
    readonly address: Address
    readonly sender?: { readonly street: string } | null
  }
  same<Same<Flat<CreateBody<typeof parcels>>, Parcel>>()
  same<Same<Flat<UpdateBody<typeof parcels>>, Parcel>>()
  same<Same<Flat<PatchBody<typeof parcels>>, Partial<Parcel>>>()
  same<Same<Representation<typeof parcels>['address'], { readonly id: number; readonly street: string }>>()
  same<Same<Representation<typeof parcels>['sender'], { readonly street: string } | null>>()
  // @ts-expect-error: the address is missing
  const withoutAddress: CreateBody<typeof parcels> = { sender: null }
  // @ts-expect-error: the column of the address is not nullable
  const withoutObject: PatchBody<typeof parcels> = { address: null }
  // @ts-expect-error: `depot` is read-only
  const readOnly: PatchBody<typeof parcels> = { depot: { street: 'x' } }
  assert.ok(withoutAddress && withoutObject && readOnly)
})

test('representations show the children', () => {
  type Order = Representation<typeof orders, 'retrieve', typeof invoices>
  same<Same<Order['lines'][number]['id'], string>>()
  same<Same<Order['invoice'], { readonly number: string } | null>>()
})

test('the items of a 207 have the types of the responses that each would have alone', () => {
  type Shown = Representation<typeof products>
  same<Same<Extract<BulkItem<typeof products, 'create'>, { status: 201 }>['body'], Shown>>()
  same<Same<Extract<BulkItem<typeof products, 'update'>, { status: 200 }>['body'], Shown>>()
  const describe = (item: BulkItem<typeof products, 'create' | 'destroy'>): string => {
    if (item.status === 201) return item.body.name
    return item.status === 204 ? 'deleted' : JSON.stringify(item.body)
  }
  assert.equal(describe({ status: 201, location: '/products/1/', body: { id: 1, name: 'tea' } }), 'tea')
  assert.equal(describe({ status: 404, body: { detail: 'Not found.' } }), '{"detail":"Not found."}')
})
