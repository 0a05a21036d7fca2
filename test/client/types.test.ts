// The types of a client follow from the declarations. The compiler checks them, so they fail in `npm run check`.

import { test } from 'node:test'
import {
  createApi,
  cursor,
  date,
  file,
  folder,
  forTypes,
  type Identity,
  integer,
  key,
  limitOffset,
  linkHeader,
  listView,
  nested,
  objectView,
  pageNumber,
  related,
  resource,
  text,
  textKey,
  view,
} from 'resource-api'
import { type Call, createClient, type EachOutcome, isInvalid, type Page } from 'resource-api/client'
import { profile } from 'resource-api/service'
import * as z from 'zod'
import { type Flat, type Same, same } from '../support/same-types.ts'

const customers = resource('customers', {
  table: 'customers',
  fields: { id: key(), name: text(), rating: integer({ nullable: true }) },
  bulk: 'atomic',
})
const lines = resource('lines', {
  table: 'lines',
  fields: {
    id: key(),
    order: related('orders'),
    customer: related(customers, { nullable: true }),
    quantity: integer(),
  },
  nestedUnder: [{ parent: 'orders', field: 'order', only: true }],
})
const orders = resource('orders', {
  table: 'orders',
  key: textKey({ column: 'number' }),
  fields: {
    number: key(),
    customer: related(customers),
    buyers: related(customers, { many: { table: 'buyers', own: 'order', other: 'customer' } }),
    unitPrice: text({ blank: true }),
    lines: nested({ of: lines, many: { reverse: 'order' }, fields: ['id', 'quantity', 'customer'], writable: true }),
  },
  filters: { customer: ['exact', 'in'], 'customer.rating': ['gte'] },
  orderingFields: ['number'],
  sparseFields: true,
  expandableFields: ['customer', 'buyers', 'lines.customer'],
  lists: { mine: { rows: () => undefined as never } },
  listViews: {
    recent: listView({
      query: { days: integer() },
      response: { count: integer() },
      handlers: { GET: () => ({ count: 1 }) },
    }),
    plain: {
      handlers: { POST: () => ({ status: 204 }), PUT: { body: { days: integer() }, handle: () => ({ status: 204 }) } },
    },
  },
  objectViews: ({ objectView }) => ({
    ship: objectView({
      body: { until: date(), note: text({ nullable: true }) },
      response: 'representation',
      handlers: { POST: ({ represent }) => represent() },
    }),
    line: objectView({
      path: 'lines/:line/ship',
      parameters: { line: integer() },
      handlers: {
        PUT: {
          body: z.object({ fast: z.boolean() }),
          response: z.object({ ok: z.boolean() }),
          handle: () => ({ ok: true }),
        },
        DELETE: () => ({ status: 204 }),
      },
    }),
    retrieve: objectView({ handlers: { GET: () => ({ status: 204 }) } }),
  }),
})
const settings = resource('settings', {
  table: 'settings',
  fields: { theme: text() },
  singleton: () => 1,
})
const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text() },
  actions: ['list', 'create'],
  bulk: { mode: 'each', actions: ['create'] },
  pagination: null,
})

const status = view({ name: 'Status', response: { up: integer() }, handlers: { GET: () => ({ up: 1 }) } })
const shop = profile('shop', {
  resources: [customers, lines, orders, settings, tags],
  views: { '/status/': status },
  pagination: pageNumber({ pageSize: 20 }),
})
const connect = () => createClient<typeof shop>({ baseUrl: 'http://localhost/' })
type Shop = ReturnType<typeof connect>

/** The data of a request. */
type Data<C> = C extends Call<infer Value, infer _> ? Value : never

interface Customer {
  readonly id: number
  readonly name: string
  readonly rating: number | null
}

// The compiler only: nothing is sent.
const checkResponses = async ({ orders, customers, settings, tags, view }: Shop) => {
  const page = await orders.list({ customer: 1, customer__rating__gte: 3, ordering: '-number' })
  same<Same<typeof page, Page<(typeof page.results)[number]>>>()
  same<Same<(typeof page.results)[number]['customer'], number>>()

  const expanded = await orders.list({ expand: ['customer', 'buyers', 'lines.customer'] })
  type Item = (typeof expanded.results)[number]
  same<Same<Item['customer'], Flat<Customer>>>()
  same<Same<Item['buyers'], readonly Flat<Customer>[]>>()
  same<Same<Item['lines'][number]['customer'], Flat<Customer> | null>>()

  const selected = await orders('a').retrieve({ fields: ['number', 'lines.quantity'] })
  same<Same<typeof selected, { readonly number: string; readonly lines: readonly { readonly quantity: number }[] }>>()
  const without = await orders('a').retrieve({ omit: ['lines', 'buyers', 'customer'] })
  same<Same<typeof without, { readonly number: string; readonly unitPrice: string }>>()
  for await (const { number } of orders.all({ fields: ['number'] })) same<Same<typeof number, string>>()

  same<Same<(typeof orders)['mine'] extends { list: unknown } ? true : false, true>>()
  same<Same<Data<ReturnType<typeof orders.recent.get>>, { readonly count: number }>>()
  same<Same<Data<ReturnType<typeof orders.plain>>, unknown>>()
  await orders.plain.put({ days: 1 })
  const shipped = await orders('a').ship({ until: '2027-01-01' })
  same<Same<(typeof shipped)['number'], string>>()
  const put = await orders('a').view('lines/:line/ship', { line: 3 }).put({ fast: true })
  same<Same<typeof put, { ok: boolean }>>()
  await orders('a').view('lines/:line/ship', { line: 3 }).delete()
  await orders('a').view('retrieve').get()
  const below = await orders('a').lines.list()
  same<Same<(typeof below.results)[number]['order'], string>>()
  same<Same<Awaited<ReturnType<typeof settings.retrieve>>, { readonly theme: string }>>()

  const many = await customers.update([{ id: 1, rating: null }])
  same<Same<(typeof many)[number], Flat<Customer>>>()
  same<Same<Data<ReturnType<typeof customers.destroy>>, undefined>>()
  const each = await tags.create([{ name: 'a' }])
  type Tag = Extract<(typeof each)[number], { status: 201 | 200 | 204 }>['body']
  same<Same<Tag, { readonly id: number; readonly name: string }>>()
  same<(typeof each)[number] extends EachOutcome<unknown, unknown> ? true : false>()
  same<Same<(typeof listed)[number], Tag>>()
  const listed = await tags.list()
  const { up } = await view('/status/').get()
  same<Same<typeof up, number>>()
}

const checkErrors = async ({ orders }: Shop) => {
  const refused = await orders.create({ number: 'a', customer: 1, buyers: [], unitPrice: '1' }).result()
  if (refused.ok) return refused.value.number
  if (isInvalid(refused.error)) {
    const { customer, lines, buyers } = refused.error.data
    same<Same<typeof customer, readonly string[] | undefined>>()
    same<Same<typeof buyers, readonly string[] | Readonly<Record<string, readonly string[]>> | undefined>>()
    const line = lines?.[0]
    if (typeof line === 'object') same<Same<typeof line.quantity, readonly string[] | undefined>>()
    // @ts-expect-error there is no such field
    void refused.error.data.custmer
    // @ts-expect-error the number of seconds is known of a throttled request only
    refused.error.seconds.toFixed()
  }
  // @ts-expect-error an error has no value
  return refused.value
}

const checkMistakes = (client: Shop) => {
  const { orders, customers, settings, tags } = client
  // @ts-expect-error there is no such resource
  void client.order
  // @ts-expect-error the resource has URLs below orders only
  void client.lines
  // @ts-expect-error there is no such filter
  void orders.list({ custmer: 1 })
  // @ts-expect-error the filter compares numbers
  void orders.list({ customer__in: ['a'] })
  // @ts-expect-error it cannot be expanded
  void orders.list({ expand: ['number'] })
  // @ts-expect-error there is no such field
  void orders.list({ fields: ['titel'] })
  // @ts-expect-error the resource has no sparseFields
  void customers.list({ fields: ['name'] })
  // @ts-expect-error a field is missing
  void customers.create({ rating: 1 })
  // @ts-expect-error the value has another type
  void customers.create({ name: 1 })
  // @ts-expect-error there is no such field
  void customers.create({ name: 'Ann', nam: 'Bob' })
  // @ts-expect-error the key is a text
  void orders(7)
  // @ts-expect-error each of many objects needs its key
  void customers.update([{ rating: 1 }])
  // @ts-expect-error orders take one object
  void orders.create([])
  // @ts-expect-error a view takes a body
  void orders('a').ship()
  // @ts-expect-error the date is a text
  void orders('a').ship({ until: 3 })
  // @ts-expect-error the view has no GET
  void orders('a').ship.get()
  // @ts-expect-error the query is required
  void orders.recent.get()
  // @ts-expect-error the parameter is a number
  void orders('a').view('lines/:line/ship', { line: 'b' })
  // @ts-expect-error the view has a path of its own
  void orders('a').line
  // @ts-expect-error a singleton has no list
  void settings.list()
  // @ts-expect-error the resource has no such action
  void tags(1).destroy()
  // @ts-expect-error there is no such view
  void client.view('/stats/')
}

const checkMissingExpand = async ({ orders }: Shop) => {
  const { customer } = await orders('a').retrieve()
  // @ts-expect-error it is a key, because it is not expanded
  return customer.name
}

const checkPages = async () => {
  const api = createApi({
    resources: [
      resource('a', { table: 'a', fields: { id: key() }, pagination: cursor() }),
      resource('b', { table: 'b', fields: { id: key() }, pagination: linkHeader() }),
      resource('c', { table: 'c', fields: { id: key() }, pagination: limitOffset({ count: { atMost: 10 } }) }),
      resource('d', { table: 'd', fields: { id: key() } }),
      resource('e', { table: 'e', fields: { id: key() }, envelope: {} }),
    ],
    envelope: { one: 'thing', many: { results: 'things', count: 'total', next: null } },
    pagination: pageNumber(),
  })
  const client = createClient<typeof api>({ baseUrl: 'http://localhost/' })
  interface Thing {
    readonly id: number
  }
  const { a, b, c, d, e } = client
  same<
    Same<Data<ReturnType<typeof a.list>>, { readonly previous: string | null; readonly things: readonly Flat<Thing>[] }>
  >()
  same<Same<Data<ReturnType<typeof b.list>>, { readonly things: readonly Flat<Thing>[] }>>()
  const capped = await c.list()
  same<Same<(typeof capped)['count_is_exact'], boolean>>()
  const page = await d.list()
  same<Same<(typeof page)['total'], number>>()
  same<Same<Data<ReturnType<typeof e.list>>, Page<Flat<Thing>>>>()
  same<Same<Data<ReturnType<ReturnType<typeof d>['retrieve']>>, { readonly thing: Flat<Thing> }>>()
}

interface Member extends Identity {
  readonly tenant: string
}

// With a type argument, createApi does not know its resources, so the client gets them as a list.
const checkOwnUsers = async () => {
  const { resource } = forTypes<Member>()
  const resources = [resource('notes', { table: 'notes', fields: { id: key(), body: text() } })] as const
  const { notes } = createClient<typeof resources>({ baseUrl: 'http://localhost/' })
  same<Same<Data<ReturnType<ReturnType<typeof notes>['retrieve']>>['body'], string>>()
}

const checkShared = () => objectView({ handlers: { GET: () => ({ status: 204 }) } })

test('the compiler knows the types of a client', () => {
  for (const check of [
    checkResponses,
    checkErrors,
    checkMistakes,
    checkMissingExpand,
    checkPages,
    checkOwnUsers,
    checkShared,
  ])
    if (typeof check !== 'function') throw new Error('the compiler reports mistakes before this')
})

test('an API for callers of a type of their own keeps its resources', () => {
  interface Member extends Identity {
    readonly tenant: string
  }
  const { createApi: createMemberApi, resource: memberResource } = forTypes<Member>()
  const parcels = memberResource('parcels', {
    table: 'parcels',
    fields: { id: key(), title: text() },
    hookColumns: ['tenant'],
    prepare: ({ user }) => ({ tenant: user.tenant }),
  })
  const anonymous = { isAuthenticated: false, id: null, username: '', isStaff: false, tenant: '' } as never
  const options = { anonymous, resources: [parcels], pagination: pageNumber({ pageSize: 20 }) } as const
  const load = () => {
    const api = createMemberApi({ ...options, authentication: [] })
    const client = createClient<typeof api>({ baseUrl: 'http://localhost/' })
    return client.parcels.list()
  }
  same<Same<Awaited<ReturnType<typeof load>>, Page<{ readonly id: number; readonly title: string }>>>()
  // @ts-expect-error the resource is for members
  void (() => createApi({ resources: [parcels] }))
})

test('a body takes files', () => {
  const scans = resource('scans', {
    table: 'scans',
    fields: { id: key(), title: text(), file: file({ store: folder('scans') }) },
  })
  void (() => {
    const { scans: list } = createClient<(typeof scans)[]>({ baseUrl: 'http://localhost/' })
    void list.create({ title: 'One', file: new File(['text'], 'one.txt') })
    void list(1).update({ file: new Blob(['text']) })
    // @ts-expect-error the name of a file is no file
    void list.create({ title: 'One', file: 'one.txt' })
  })
})
