// A shop whose orders have a filter of each kind, and row filters at every relation. Its rows are small, so that random
// filters often find some.

import { sql } from 'kysely'
import {
  boolean,
  choice,
  computed,
  cursor,
  type Database,
  date,
  dateTime,
  decimal,
  duration,
  filter,
  integer,
  key,
  limitOffset,
  linkHeader,
  list,
  type Migrations,
  nested,
  number,
  pageNumber,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
  textKey,
  time,
  uuid,
  uuidKey,
} from 'resource-api'
import type { Lookup } from '../../src/core/resource/declare/filters.ts'

export const shopMigrations: Migrations = {
  async '0001_shop'(kysely, types) {
    const { key, reference, text } = types
    await kysely.schema
      .createTable('countries')
      .addColumn('code', text, column => column.primaryKey())
      .addColumn('name', text)
      .addColumn('owner_id', 'integer')
      .execute()
    await kysely.schema
      .createTable('customers')
      .addColumn('id', types.uuid, column => column.primaryKey())
      .addColumn('name', text)
      .addColumn('country_code', text)
      .addColumn('owner_id', 'integer')
      .execute()
    await kysely.schema
      .createTable('tags')
      .addColumn('id', key)
      .addColumn('slug', text, column => column.notNull().unique())
      .addColumn('owner_id', 'integer')
      .execute()
    await kysely.schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('number', text)
      .addColumn('total', types.decimal(8, 2))
      .addColumn('weight', types.number)
      .addColumn('pieces', 'integer')
      .addColumn('paid', types.boolean)
      .addColumn('status', text, column => column.notNull())
      .addColumn('due', types.date)
      .addColumn('at', types.time)
      .addColumn('placed', types.dateTime)
      .addColumn('took', types.duration)
      .addColumn('ref', types.uuid)
      .addColumn('labels', types.json)
      .addColumn('customer_id', types.uuid)
      .addColumn('owner_id', 'integer')
      .execute()
    await kysely.schema
      .createTable('lines')
      .addColumn('id', key)
      .addColumn('order_id', reference)
      .addColumn('product', text)
      .addColumn('price', types.decimal(8, 2))
      .addColumn('owner_id', 'integer')
      .execute()
    await kysely.schema
      .createTable('order_tags')
      .addColumn('order_id', reference)
      .addColumn('tag_id', reference)
      .execute()
  },
}

const permissions = [rowFilter(({ row, caller }) => sql`${row.owner_id} is null or ${row.owner_id} = ${caller.id}`)]

const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code' }),
  permissions,
  fields: { code: key(), name: text({ nullable: true }) },
})

const customers = resource('customers', {
  table: 'customers',
  key: uuidKey(),
  permissions,
  fields: {
    id: key(),
    name: text({ nullable: true }),
    country: related(countries, { column: 'country_code', nullable: true }),
  },
})

const tags = resource('tags', {
  table: 'tags',
  permissions,
  fields: { id: key(), slug: text({ unique: 'This field must be unique.' }) },
})

const lines = resource('lines', {
  table: 'lines',
  permissions,
  fields: {
    id: key(),
    product: text({ nullable: true }),
    price: decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true }),
  },
})

const texts = [
  'exact',
  'in',
  'isnull',
  'iexact',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
  'regex',
  'iregex',
  'not__regex',
  'not',
  'not__in',
  'not__icontains',
] as const satisfies readonly Lookup[]
const ordered = [
  'exact',
  'in',
  'isnull',
  'gt',
  'gte',
  'lt',
  'lte',
  'range',
  'not',
  'not__range',
] as const satisfies readonly Lookup[]
const keys = ['exact', 'in', 'isnull', 'not', 'not__in'] as const satisfies readonly Lookup[]

const optional = { nullable: true } as const

const orderOptions = {
  table: 'orders',
  permissions,
  actions: ['list'],
  filterLimits: { groups: 2 },
  fields: {
    id: key(),
    number: text({ nullable: true, blank: true }),
    total: decimal({ maxDigits: 8, decimalPlaces: 2, ...optional }),
    weight: number(optional),
    pieces: integer(optional),
    paid: boolean(optional),
    status: choice(['open', 'paid', 'late']),
    due: date(optional),
    at: time(optional),
    placed: dateTime(optional),
    took: duration(optional),
    ref: uuid(optional),
    labels: list({ of: text(), nullable: true }),
    customer: related(customers, { nullable: true }),
    open_customer: readOnly(related(customers, { column: 'customer_id', nullable: true, ignoreRowFilter: true })),
    customer_name: text({ source: 'customer.name' }),
    tags: related(tags, { many: { table: 'order_tags', own: 'order_id', other: 'tag_id' }, by: 'slug' }),
    lines: related(lines, { many: { reverse: 'order_id' } }),
    lines_in_full: nested({ of: lines, many: { reverse: 'order_id' } }),
    lines_total: computed(
      decimal({ maxDigits: 8, decimalPlaces: 2 }),
      ({ row }) => sql`select coalesce(sum(price), 0) from lines where order_id = ${row.id} and owner_id is null`,
    ),
    is_mine: computed(boolean(), ({ row, caller }) => sql`coalesce(${row.owner_id} = ${caller.id}, false)`),
    access: computed(
      text({ nullable: true }),
      ({ row, caller }) =>
        sql`case when ${row.owner_id} = ${caller.id} then 'my own' when ${row.owner_id} is null then null else 'other' end`,
    ),
  },
  sparseFields: true,
  expandableFields: ['customer.country', 'tags', 'lines'],
  searchFields: [
    'number',
    'status',
    'access',
    'customer',
    'customer.name',
    'customer.country.name',
    'open_customer.country.name',
    'tags',
    'lines.product',
  ],
  orderingFields: [
    'id',
    'number',
    'total',
    'weight',
    'pieces',
    'paid',
    'status',
    'due',
    'at',
    'took',
    'ref',
    'customer',
    'customer.name',
    'customer.country',
    'customer.country.name',
    'open_customer.name',
    'open_customer.country',
    'customer_name',
    'lines_total',
    'is_mine',
    'access',
  ],
  filters: {
    id: ['exact', 'in', 'gte'],
    number: texts,
    total: ordered,
    weight: ordered,
    pieces: ordered,
    paid: ['exact', 'isnull'],
    status: keys,
    due: [...ordered, 'year'],
    at: ordered,
    placed: ['exact', 'isnull', 'gt', 'gte', 'lt', 'lte', 'range', 'date', 'year', 'not', 'not__date', 'not__gt'],
    took: ordered,
    ref: keys,
    labels: ['contains', 'isnull'],
    customer: keys,
    'customer.name': texts,
    'customer.country': keys,
    'customer.country.name': texts,
    open_customer: keys,
    'open_customer.name': texts,
    'open_customer.country.name': ['exact', 'isnull', 'not'],
    customer_name: texts,
    tags: keys,
    'tags.slug': texts,
    lines: keys,
    'lines.product': texts,
    'lines_in_full.product': ['in'],
    'lines.price': ordered,
    lines_total: ordered,
    is_mine: true,
    late: filter(boolean(), ({ row, value, now }) => sql`(${row.placed} < ${now}) = ${value}`),
    owned: filter(
      boolean(),
      ({ row, value, caller }) => sql`coalesce(${row.owner_id} = ${caller.id}, false) = ${value}`,
    ),
    late_or: filter(text(), ({ row, value }) => sql`${row.status} = 'late' or ${row.status} = ${value}`),
  },
} as const

/** The declared ordering of the lists "walked" and "arranged". */
export const shopOrdering = ['-customer.country.name', 'is_mine', '-lines_total', 'customer.name'] as const

export const shopResources = [
  countries,
  customers,
  tags,
  lines,
  resource('orders', { ...orderOptions, pagination: null }),
  resource('numbered', { ...orderOptions, pagination: pageNumber({ pageSize: 5 }) }),
  resource('linked', { ...orderOptions, pagination: linkHeader({ pageSize: 5 }) }),
  resource('walked', {
    ...orderOptions,
    pagination: cursor({ pageSize: 5, secret: 's'.repeat(32), ordering: shopOrdering }),
  }),
  resource('arranged', { ...orderOptions, ordering: shopOrdering, pagination: null }),
  resource('pages', { ...orderOptions, pagination: limitOffset({ defaultLimit: 3 }) }),
]

/** The time of every request to the shop. */
export const shopTime = new Date('2026-01-31T18:00:00Z')

const uuidOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`

/** The texts of the rows, and parts of them. */
export const sampleTexts = [
  'Emma',
  'emma',
  'EMMA',
  'Ünder',
  'ünder',
  '100%_',
  'back\\s',
  'é',
  '日本',
  '😀x',
  'm',
  'x',
  'a,"b"',
]

const pick = <Value>(values: readonly Value[], index: number): Value => values[index % values.length]!

const numbers = [...sampleTexts, null, '']
/** The rows of the shop. Ann is the owner 1, Bob the owner 2; rows without an owner are visible to everyone. */
export const shopRows = {
  countries: [
    { code: 'dk', name: 'Emma', owner_id: null },
    { code: 'no', name: 'emma', owner_id: 1 },
    { code: 'se', name: null, owner_id: 2 },
  ],
  customers: Array.from({ length: 8 }, (_, index) => ({
    id: uuidOf(index),
    name: pick(['Emma', null, 'EMMA x', 'Ünder'], index),
    country_code: pick(['dk', 'no', null, 'se', 'dk'], index),
    owner_id: pick([null, 1, 2], index),
  })),
  tags: ['red', 'Red', 'blue', 'x'].map((slug, index) => ({
    id: index + 1,
    slug,
    owner_id: pick([null, 1, 2], index),
  })),
  orders: Array.from({ length: 42 }, (_, index) => ({
    id: index + 1,
    number: pick(numbers, index),
    total: pick(['-1.50', '0.00', '0.10', '0.30', '10.00', '9.99', null], index),
    weight: pick([-1.5, 0, 0.1, 0.3, 1e21, null], index),
    pieces: pick([-3, 0, 2147483647, null, 7], index),
    paid: pick([true, false, null], index),
    status: pick(['open', 'paid', 'late'], index >> 1),
    due: pick(['2026-02-28', '2026-03-01', '2025-12-31', null], index),
    at: pick(['12:00:00', '12:00:00.500000', '00:00:00', null], index),
    placed: pick(
      [
        '2026-01-31T12:00:00.000000Z',
        '2026-01-31T23:59:59.999999Z',
        '2026-02-01T00:00:00.000000Z',
        null,
        '2025-12-31T23:30:00.000000Z',
      ],
      index,
    ),
    took: pick([-1_000_000, 0, 86_400_000_000, null], index),
    ref: pick([uuidOf(1), uuidOf(2), null], index),
    labels: pick([['Emma', 'x'], [], null, ['emma']], index),
    customer_id: pick([null, ...Array.from({ length: 8 }, (_, number) => uuidOf(number))], index),
    owner_id: pick([null, null, 1, 2], index),
  })),
  lines: Array.from({ length: 40 }, (_, index) => ({
    id: index + 1,
    order_id: ((index * 7) % 30) + 1,
    product: pick(['Emma', 'emma', null, 'x'], index),
    price: pick(['0.10', '0.20', null, '10.00'], index),
    owner_id: pick([null, null, 1, 2], index),
  })),
  order_tags: Array.from({ length: 30 }, (_, index) => ({ order_id: ((index * 5) % 36) + 1, tag_id: (index % 4) + 1 })),
} as const

/** Inserts the rows. SQLite also gets date-times in the format that its own functions write. */
export async function insertShop({ dialect, transaction }: Database): Promise<void> {
  const isSqlite = dialect.name === 'sqlite'
  const store = (row: object) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => {
        if (name === 'labels') return [name, value === null ? null : JSON.stringify(value)]
        if (!isSqlite) return [name, value]
        if (name === 'placed' && value?.endsWith('.000000Z'))
          return [name, value.replace('T', ' ').replace('.000000Z', '')]
        return [name, typeof value === 'boolean' ? Number(value) : value]
      }),
    )
  await transaction(async ({ kysely }) => {
    for (const [table, rows] of Object.entries(shopRows))
      await kysely.insertInto(table).values(rows.map(store)).execute()
  })
}
