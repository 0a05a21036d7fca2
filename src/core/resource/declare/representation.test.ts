// The types of representations, bodies and queries follow from the declaration.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { z } from 'zod'
import { type Flat, type ListParameter, type Same, same } from '../../../../test/support/same-types.ts'
import {
  boolean,
  type CreateBody,
  choice,
  computed,
  dateTime,
  decimal,
  filter,
  fullText,
  integer,
  json,
  key,
  list,
  multipleChoice,
  object,
  type PatchBody,
  type Query,
  type Representation,
  readOnly,
  resource,
  rowFilter,
  text,
  type UpdateBody,
  writeOnly,
  zodField,
} from '../../../index.ts'

const books = resource('books', {
  table: 'books',
  fields: {
    id: key(),
    title: text({ max: 200 }),
    subtitle: text({ nullable: true }),
    pages: integer({ min: 1, default: 100 }),
    price: decimal({ maxDigits: 6, decimalPlaces: 2 }),
    kind: choice(['novel', 'essay'], { default: 'novel' }),
    state: choice({ open: 'Open', sold: 'Sold' }),
    level: choice(
      [
        [1, 'Low'],
        [2, 'High'],
      ],
      { nullable: true },
    ),
    grade: choice(new Map([[1, 'Bad']]), { default: 1 }),
    tags: list({ of: text(), default: [] }),
    themes: list({ of: text(), rows: { table: 'themes', own: 'book_id', other: 'theme' }, default: [] }),
    labels: multipleChoice(['new', 'used'], { rows: { table: 'labels', own: 'book_id', other: 'label' } }),
    size: object({ fields: { width: integer(), height: integer({ nullable: true }) } }),
    stars: z.int().nullable().default(null),
    extra: json<{ readonly shelf: string }>({ nullable: true }),
    secret: writeOnly(text({ blank: true, default: '' })),
    isOpen: boolean(),
    created: readOnly(dateTime()),
    margin: integer({ default: 0, visible: ({ user }) => user.isStaff }),
    seen: readOnly(integer({ nullable: true, visible: ({ user }) => user.isAuthenticated })),
    note: zodField(z.string().default(''), { visible: ({ user }) => user.isStaff }),
    loudly: computed({ columns: ['title'], value: ({ title }) => `${title}!`, visible: ({ user }) => user.isStaff }),
    isMine: computed(boolean({ visible: ({ user }) => user.isStaff }), ({ row }) => sql`${row.pages} > 1000`),
    loud: computed({ columns: ['title'], value: ({ title }) => `${title}!` }),
    rating: computed({ columns: ['id'], values: async rows => rows.map(({ id }) => Number(id)) }),
    isLong: computed(boolean(), ({ row }) => sql`${row.pages} > 1000`),
    mine: computed(integer({ nullable: true }), ({ caller }) => sql`nullif(${caller.id}, 0)`),
  },
  perAction: { list: { shows: ['id', 'title'] }, update: { takes: ['title', 'pages'] } },
  filters: {
    kind: ['exact', 'in', 'isnull'],
    subtitle: ['icontains'],
    id: true,
    pages: ['range', 'gt'],
    created: ['date', 'year'],
    tags: ['contains'],
    long: filter(boolean(), ({ row, value }) => sql`(${row.pages} > 1000) = ${value}`),
    words: fullText(['title', 'subtitle']),
  },
  orderingFields: ['title'],
})

interface Book {
  readonly id: number
  readonly title: string
  readonly subtitle: string | null
  readonly pages: number
  readonly price: string
  readonly kind: 'novel' | 'essay'
  readonly state: 'open' | 'sold'
  readonly level: 1 | 2 | null
  readonly grade: number
  readonly tags: readonly string[]
  readonly themes: readonly string[]
  readonly labels: readonly ('new' | 'used')[]
  readonly size: { readonly width: number; readonly height: number | null }
  readonly stars: number | null
  readonly extra: { readonly shelf: string } | null
  readonly isOpen: boolean
  readonly created: string
  readonly loud: string
  readonly rating: number
  readonly isLong: boolean
  readonly mine: number | null
  readonly loudly?: string
  readonly isMine?: boolean
  readonly margin?: number
  readonly seen?: number | null
  readonly note?: string
}

interface NewBook {
  readonly title: string
  readonly price: string
  readonly state: 'open' | 'sold'
  readonly labels: readonly ('new' | 'used')[]
  readonly size: { readonly width: number; readonly height?: number | null }
  readonly isOpen: boolean
  readonly subtitle?: string | null
  readonly pages?: number
  readonly kind?: 'novel' | 'essay'
  readonly level?: 1 | 2 | null
  readonly grade?: number
  readonly tags?: readonly string[]
  readonly themes?: readonly string[]
  readonly stars?: number | null
  readonly extra?: { readonly shelf: string } | null
  readonly secret?: string
  readonly margin?: number
  readonly note?: string
}

test('a representation contains what responses show', () => {
  same<Same<Representation<typeof books>, Flat<Book>>>()
  same<Same<Representation<typeof books, 'list'>, { readonly id: number; readonly title: string }>>()
  assert.ok(books)
})

test('a body contains what requests set', () => {
  same<Same<CreateBody<typeof books>, Flat<NewBook>>>()
  same<Same<UpdateBody<typeof books>, { readonly title: string; readonly pages?: number }>>()
  same<Same<PatchBody<typeof books>, { readonly title?: string; readonly pages?: number }>>()
})

interface BookFilters {
  readonly kind?: 'novel' | 'essay'
  readonly kind__in?: readonly ('novel' | 'essay')[]
  readonly kind__isnull?: boolean
  readonly subtitle__icontains?: string
  readonly id?: number
  readonly pages__range?: readonly [number, number]
  readonly pages__gt?: number
  readonly created__date?: string
  readonly created__year?: number
  readonly tags__contains?: string
  readonly long?: boolean
  readonly words?: string
}

test('a query contains the filters and the parameters of lists', () => {
  same<Same<Flat<Omit<Query<typeof books>, ListParameter>>, Flat<BookFilters>>>()
  const query: Query<typeof books> = { kind: 'essay', id: 3, search: 'a', ordering: '-title', page: 2 }
  // @ts-expect-error not a choice
  const wrongValue: Query<typeof books> = { kind: 'poem' }
  // @ts-expect-error not a filter
  const wrongName: Query<typeof books> = { title: 'a' }
  // @ts-expect-error not a lookup of the filter
  const wrongLookup: Query<typeof books> = { kind__icontains: 'a' }
  assert.ok([query, wrongValue, wrongName, wrongLookup])
})

test('names that do not exist are compile errors', () => {
  const options = { table: 'books', fields: { id: key(), title: text() } }
  const mistakes = [
    // @ts-expect-error
    () => resource('books', { ...options, filters: { titel: true } }),
    // @ts-expect-error
    () => resource('books', { ...options, expandableFields: ['titel'] }),
    // @ts-expect-error
    () => resource('books', { ...options, expandableFields: ['titel.author'] }),
    // @ts-expect-error
    () => resource('books', { ...options, sparseFields: ['title'] }),
    // @ts-expect-error
    () => resource('books', { ...options, filters: { 'titel.name': true } }),
    // @ts-expect-error
    () => resource('books', { ...options, filters: { title: ['week'] } }),
    // @ts-expect-error
    () => resource('books', { ...options, filters: ['title'] }),
    // @ts-expect-error
    () => resource('books', { ...options, filters: { words: fullText(['titel']) } }),
    // @ts-expect-error
    () => filter(boolean(), ({ caller }) => sql`${caller.tenant}`),
    // @ts-expect-error
    () => resource('books', { ...options, orderingFields: ['titel'] }),
    // @ts-expect-error
    () => resource('books', { ...options, searchFields: ['titel'] }),
    // @ts-expect-error
    () => resource('books', { ...options, objectName: 'titel' }),
    // @ts-expect-error
    () => resource('books', { ...options, uniqueTogether: [['titel', 'id']] }),
    // @ts-expect-error
    () => resource('books', { ...options, perAction: { list: { shows: ['titel'] } } }),
    // @ts-expect-error
    () => resource('books', { ...options, perAction: { list: { show: ['title'] } } }),
    // @ts-expect-error
    () => resource('books', { ...options, perAction: { lists: { shows: ['title'] } } }),
    // @ts-expect-error
    () => text({ maximum: 3 }),
    // @ts-expect-error
    () => integer({ max: '3' }),
    // @ts-expect-error
    () => choice(['a', 'b'], { default: 'c' }),
    // @ts-expect-error
    () => computed({ columns: ['title'], value: ({ titel }) => titel }),
    // @ts-expect-error
    () => computed(text(), ({ caller }) => sql`${caller.tenant}`),
    // @ts-expect-error
    () => rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.ident}`),
  ]
  assert.equal(mistakes.length, 22)
})
