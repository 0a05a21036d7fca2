// Declarations of an application that imports nothing but 'resource-api', for the compiler: all of their types can be named in a
// declaration file (`declaration: true`).

import { sql } from 'kysely'
import {
  and,
  authenticated,
  boolean,
  browsable,
  choice,
  computed,
  createApi,
  createCsrf,
  cursor,
  decimal,
  defineMessages,
  file,
  filter,
  folder,
  forTypes,
  fullText,
  type Identity,
  image,
  integer,
  json,
  key,
  linkHeader,
  list,
  listView,
  memoryStore,
  multipleChoice,
  nested,
  number,
  object,
  objectView,
  openDatabase,
  ownerOrReadOnly,
  pageNumber,
  publicId,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
  textKey,
  tokenScheme,
  userThrottle,
  uuidKey,
  view,
  writeOnly,
} from 'resource-api'
import * as z from 'zod'

export const authors = resource('authors', {
  table: 'authors',
  key: uuidKey(),
  fields: { id: key(), name: text({ max: 50 }), born: integer({ nullable: true }), height: number({ nullable: true }) },
  bulk: 'each',
})

export const chapters = resource('chapters', {
  table: 'chapters',
  key: publicId('ch'),
  fields: { id: key(), book: related('books'), title: text(), pages: z.int().max(500) },
  nestedUnder: [{ parent: 'books', field: 'book', only: true }],
})

export const fields = {
  isbn: key(),
  title: text({ max: 100, nullable: true }),
  author: related(authors, { shows: ['id', 'name'] }),
  readers: related(authors, { many: { table: 'readers', own: 'book', other: 'author' } }),
  chapters: nested({ of: chapters, many: { reverse: 'book' }, fields: ['id', 'title'], writable: true }),
  state: choice(['open', 'sold'], { default: 'open' }),
  price: decimal({ maxDigits: 9, decimalPlaces: 2 }),
  tags: list({ of: text(), rows: { table: 'tags', own: 'book', other: 'name' } }),
  shelves: multipleChoice(['a', 'b'], { rows: { table: 'shelves', own: 'book', other: 'shelf' } }),
  size: object({ fields: { width: number(), height: number({ required: false, default: 1 }) } }),
  notes: json<{ readonly text: string }>(),
  cover: image({ store: folder('covers') }),
  scan: file({ store: folder('scans'), nullable: true }),
  secret: writeOnly(text({ blank: true, default: '' })),
  loud: computed(text(), ({ row }) => sql`upper(${row.title})`),
  changed: readOnly(text()),
  rating: z.int().nullable(),
}

export const ownRows = rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.id}`)

export const books = resource('books', {
  table: 'books',
  key: textKey({ column: 'isbn' }),
  fields,
  permissions: [and(authenticated, ownRows), ownerOrReadOnly('owner_id')],
  filters: {
    state: ['exact', 'in'],
    title: fullText(['title']),
    cheap: filter(boolean(), ({ row, value }) => sql`(${row.price} < 5) = ${value}`),
  },
  orderingFields: ['title', 'price'],
  expandableFields: ['author'],
  sparseFields: true,
  pagination: cursor({ ordering: '-price' }),
  envelope: { one: 'book', many: 'books' },
  perAction: { list: { shows: ['isbn', 'title'] }, update: { takes: ['title'] } },
  hookColumns: ['owner_id'],
  prepare: ({ user }) => ({ owner_id: user.id }),
  lists: { mine: { rows: ({ row, caller }) => sql`${row.owner_id} = ${caller.id}` } },
  listViews: {
    recent: listView({
      query: { days: integer() },
      response: { count: integer() },
      handlers: { GET: () => ({ count: 1 }) },
    }),
  },
  objectViews: ({ objectView }) => ({
    lend: objectView({ body: { until: text() }, response: 'representation', handlers: { POST: c => c.represent() } }),
  }),
})

export const oldBooks: typeof books = { ...books, put: 'partial' }

export const close = objectView({ handlers: { POST: ({ key }) => ({ status: 200, body: { key } }) } })
export const status = view({ name: 'Status', response: { up: integer() }, handlers: { GET: () => ({ up: 1 }) } })

export const database = openDatabase('sqlite::memory:')
export const csrf = createCsrf({ secret: 'x'.repeat(32) })
export const messages = defineMessages({ 'books.late': 'Too late.' })
export const scheme = tokenScheme({ find: async () => undefined })
export const throttles = [userThrottle({ rates: '1/minute', store: memoryStore() })]
export const renderers = [browsable()]
export const api = createApi({ database, resources: [authors, chapters, books], views: { '/status/': status } })
export const pages = [pageNumber({ pageSize: 20 }), linkHeader({ pageSize: 20 })]

export interface Member extends Identity {
  readonly tenant: string
}
export const declarations = forTypes<Member, { notes: { id: number; text: string; tenant: string } }>()
export const { resource: memberResource, createApi: createMemberApi, view: memberView } = declarations
export const memberNotes = memberResource('notes', {
  table: 'notes',
  fields: { id: key(), text: text() },
  hookColumns: ['tenant'],
  prepare: ({ user }) => ({ tenant: user.tenant }),
})
export const memberApi = createMemberApi({ database, resources: [memberNotes], anonymous: undefined as never })
export const createNote = (body: { text: string }, context: Parameters<typeof memberNotes.create>[1]) =>
  memberNotes.create(body, context)
