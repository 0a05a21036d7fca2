// A wrong declaration fails when the API starts, with a message that says what to write instead.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type ApiOptions,
  boolean,
  browsable,
  choice,
  createApi,
  cursor,
  type Database,
  date,
  dateTime,
  decimal,
  duration,
  email,
  hyperlinkedIdentity,
  integer,
  json,
  jsonRenderer,
  key,
  limitOffset,
  list,
  listView,
  multipleChoice,
  nested,
  number,
  object,
  openDatabase,
  pageNumber,
  readOnly,
  related,
  resource,
  slug,
  staff,
  text,
  textKey,
  time,
  url,
  uuid,
} from 'resource-api'
import type { FieldLike } from 'resource-api/extend'
import * as z from 'zod'
import type { IntegerOptions } from '../../src/core/fields/kinds/integer.ts'
import { authors, books, tags } from '../support/library.ts'
import { startApi } from '../support/own-api.ts'
import { createFile, type Storage } from '../support/service.ts'

let storage: Storage
let database: Database
before(async () => {
  storage = await createFile()
  database = openDatabase(storage.url)
})
after(async () => {
  await database.close()
  await storage.remove()
})

const refuses = (declare: () => unknown, message: string) => assert.throws(declare, { message })
const start = async (options: ApiOptions) => (await startApi({ database, ...options })).stop()
const becomeReady = async (options: ApiOptions) => {
  const { app, stop } = await startApi({ database, ...options })
  try {
    await app.ready()
  } finally {
    await stop()
  }
}
const view = { name: 'View', handlers: { GET: () => ({ status: 200 }) } }

test('a resource says what is wrong with it', () => {
  for (const name of ['Books', '_books', 'books/', '', '1', 'é'])
    refuses(
      () => resource(name, { table: 'books', fields: {} }),
      `resource "${name}": the name must be lower-case letters, digits, hyphens and underscores, beginning with a letter`,
    )
  refuses(
    () => resource('books', { table: 'books', fields: { title: text({ required: false }) } }),
    'resource "books": field "title" is optional: give it a default, or set nullable: true',
  )
  refuses(
    // @ts-expect-error bodies write the column
    () => resource('books', { table: 'books', fields: { title: text() }, hookColumns: ['title'] }),
    'resource "books": column "title" belongs to a field and to "hookColumns": remove it from one of them',
  )
  refuses(
    () => resource('books', { table: 'books', fields: { title: text(), name: text({ column: 'title' }) } }),
    'resource "books": fields "title" and "name" both write column "title": wrap one of them in readOnly()',
  )
  refuses(
    () => resource('books', { table: 'books', fields: { id: { ...hyperlinkedIdentity(), readOnly: false } } }),
    'resource "books": field "id" is not stored: wrap it in readOnly()',
  )
})

test('a field that writes the key column is refused: an update could change the key', () => {
  const fixed = ', or set fixed: true if the body that creates an object gives its key'
  refuses(
    () => resource('countries', { table: 'countries', key: textKey({ column: 'code' }), fields: { code: text() } }),
    'resource "countries": field "code" writes the key column "code": write code: key()',
  )
  refuses(
    () => resource('books', { table: 'books', fields: { id: integer() } }),
    `resource "books": field "id" writes the key column "id": write id: key()${fixed}`,
  )
  refuses(
    () => resource('books', { table: 'books', fields: { id: z.int() } }),
    `resource "books": field "id" writes the key column "id": write id: key()${fixed}`,
  )
  resource('books', { table: 'books', fields: { id: integer({ fixed: true }) } })
  resource('books', { table: 'books', fields: { id: readOnly(integer()) } })
  resource('authors', { table: 'authors', fields: { book: related(books, { column: 'id' }) } })
})

test('an error names the nearest field, the table or the list to write', () => {
  const declare = (options: object) => () =>
    resource('books', { table: 'books', fields: { title: text({ max: 9 }) }, ...options } as never)
  const wrong: readonly (readonly [object, string])[] = [
    [{ filters: { titel: true } }, 'filters: "titel": there is no field "titel": write "title"'],
    [{ filters: ['title'] }, 'filters: write an object, such as { title: true }'],
    [{ uniqueTogether: [['titel']] }, 'uniqueTogether: there is no field "titel": write "title"'],
    [{ lookup: 'titel' }, 'lookup: there is no field "titel": write "title"'],
    [{ perAction: { list: { shows: ['titel'] } } }, 'perAction.list.shows: there is no field "titel": write "title"'],
    [{ perAction: { list: { shows: 'title' } } }, 'perAction.list.shows must be a list: write ["title"]'],
    [{ wire: { titel: 'x' } }, 'wire: there is no field "titel": write "title"'],
    [{ wire: 'snake_case' }, 'wire: "snake_case" is not allowed: write "camelCase", or an object with names by field'],
    [{ table: undefined }, 'the option "table" is missing: name the table of its objects, as in table: "books"'],
  ]
  for (const [options, message] of wrong) refuses(declare(options), `resource "books": ${message}`)
  refuses(() => related(books, { shows: 'title' as never }), 'related(): shows must be a list: write ["title"]')
})

test('a resource that does not write may leave open what a write needs, and fields may be read-only', () => {
  resource('books', { table: 'books', actions: ['list'], fields: { title: text({ required: false }) } })
  resource('books', { table: 'books', fields: { title: readOnly(text()), sold: boolean({ default: false }) } })
  const fields = { title: text({ default: '-' }), name: text({ column: 'title', default: '-' }) }
  const perAction = { create: { takes: ['title'] }, update: { takes: ['name'] } } as const
  resource('books', { table: 'books', fields, perAction })
  const staffTitle = text({ column: 'title', default: '-', visible: ({ user }) => user.isStaff })
  resource('books', { table: 'books', fields: { title: text(), staffTitle } })
})

test('a field says what is wrong with it', () => {
  // @ts-expect-error
  refuses(() => choice(['a'], { default: 'b' }), 'choice(): the default "b" is not among the choices')
  const wrong: readonly IntegerOptions[] = [
    { min: 0.5 },
    { max: 2 ** 53 },
    { min: Number.NaN },
    { max: Number.POSITIVE_INFINITY },
  ]
  for (const bounds of wrong)
    refuses(() => integer(bounds), 'integer(): min and max must be whole numbers between -(2^53 - 1) and 2^53 - 1')
})

test('LIM-PAG-r1: page sizes are whole numbers from 1', async () => {
  for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    refuses(() => pageNumber({ pageSize: size }), `pageNumber(): pageSize must be a whole number from 1, not ${size}`)
    refuses(
      () => pageNumber({ maxPageSize: size, pageSizeQueryParam: 'size' }),
      `pageNumber(): maxPageSize must be a whole number from 1, not ${size}`,
    )
    refuses(() => createApi({ pageSize: size }), `createApi(): pageSize must be a whole number from 1, not ${size}`)
  }
})

test('a path that is written as in Django is corrected', () => {
  const fields = { id: key(), author: related(authors, { column: 'author_id' }) }
  for (const [options, where] of [
    [{ filters: { author__name: ['icontains'] } }, 'filters: "author__name"'],
    [{ searchFields: ['author__name'] }, 'searchFields'],
    [{ orderingFields: ['author__name'] }, 'orderingFields'],
  ] as const)
    refuses(
      () => resource('books', { table: 'books', fields, ...(options as object) }),
      `resource "books": ${where}: there is no field "author__name": write "author.name"`,
    )
})

test('a paginator has only options that exist, and parameters of its own', async () => {
  refuses(() => pageNumber({ counts: 'none' } as object), 'pageNumber(): there is no option "counts": write "count"')
  refuses(
    () => limitOffset({ limit: 3 } as object),
    'limitOffset(): there is no option "limit": the options are count, maxOffset, defaultLimit, limitQueryParam, offsetQueryParam, maxLimit',
  )
  refuses(() => cursor({ pagesize: 3 } as object), 'cursor(): there is no option "pagesize": write "pageSize"')
  refuses(
    () => pageNumber({ maxPageSize: 3 }),
    'pageNumber(): maxPageSize has no effect: name the parameter of the size in pageSizeQueryParam',
  )
  refuses(
    () => pageNumber({ pageSizeQueryParam: 'page' }),
    'pageNumber(): two parameters are called "page": rename one',
  )
  refuses(
    () => limitOffset({ limitQueryParam: 'offset' }),
    'limitOffset(): two parameters are called "offset": rename one',
  )
  const queried = resource('tags', {
    ...tags,
    searchFields: ['name'],
    orderingFields: ['name'],
    sparseFields: true,
    renderers: [jsonRenderer, browsable()],
  })
  for (const name of ['search', 'ordering', 'fields', 'new', 'format'])
    await assert.rejects(
      startApi({
        database: openDatabase('sqlite::memory:'),
        resources: [queried],
        pagination: pageNumber({ pageSize: 3, pageQueryParam: name }),
      }),
      {
        message: `resource "tags": pagination: the parameter "${name}" has another meaning too: give the paginator another name for it`,
      },
    )
})

test('resources need a database', async () => {
  const message = 'createApi(): resource "tags" needs the option "database"'
  await assert.rejects(startApi({ resources: [tags] }), { message })
})

test('a mistyped option of an API is an error, so that no permission is ignored', () => {
  refuses(
    () => createApi({ permisions: [] } as object),
    'createApi(): there is no option "permisions": write "permissions"',
  )
})

test('two resources of one name are one too many', async () => {
  const message = 'createApi(): there are two resources named "tags": rename one'
  await assert.rejects(start({ resources: [tags, tags] }), { message })
})

test('a hyperlink needs the resource that it leads to', async () => {
  const fix = 'add it to "resources"; with "actions: []" it has no URL'
  const message = `createApi(): field "author" of "books" refers to "authors": ${fix}`
  await assert.rejects(becomeReady({ resources: [books, tags] }), { message })
  const elsewhere = related(authors, { many: { table: 'a', own: 'b', other: 'c' }, form: 'url' })
  await assert.rejects(becomeReady({ resources: [resource('shelves', { table: 'shelves', fields: { elsewhere } })] }), {
    message: `createApi(): field "elsewhere" of "shelves" refers to "authors": ${fix}`,
  })
})

test('a view stands at a path with slashes around it', async () => {
  for (const path of ['token', '/token', 'token/', ''])
    await assert.rejects(start({ views: { [path]: view } }), {
      message: `createApi(): the path "${path}" of view "View" must begin and end with a slash`,
    })
})

test('the parameters of a path have names of their own', async () => {
  await assert.rejects(start({ views: { '/shelves/:key/books/:key/': view } }), {
    message:
      'createApi(): the path "/shelves/:key/books/:key/" of view "View" has two parameters named "key": rename one',
  })
  await start({ views: { '/shelves/:shelf/books/:key/': view } })
})

test('a handler is named after a method', async () => {
  for (const method of ['get', 'Post', 'FETCH'])
    await assert.rejects(start({ views: { '/x/': { ...view, handlers: { [method]: () => ({ status: 200 }) } } } }), {
      message: `view "View": "${method}" is not an HTTP method; write it in upper case, such as GET`,
    })
})

test('what is declared beside the fields of a resource fits them', () => {
  const fields = {
    title: text(),
    pages: integer({ default: 1 }),
    shelf: readOnly(text()),
    labels: list({ of: text(), default: [] }),
    tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  }
  const declare = (options: object) => () => resource('books', { table: 'books', fields, ...options })
  const handlers = { GET: () => ({ status: 200 }) }
  for (const [options, message] of [
    [{ permission: [staff] }, 'there is no option "permission": write "permissions"'],
    [{ perAction: { list: { Shows: [] } } }, 'perAction.list: there is no option "Shows": write "shows"'],
    [
      { perAction: { list: { x: [] } } },
      'perAction.list: there is no option "x": the options are takes, shows, status, openapi, permissions, throttles, parsers, renderers',
    ],
    [
      { objectViews: { lend: { handlers, permission: [] } } },
      'the view "lend": there is no option "permission": write "permissions"',
    ],
    [
      { listViews: { recent: { handlers: { POST: { handle: handlers.GET, permission: [] } } } } },
      'the view "recent": POST: there is no option "permission": write "permissions"',
    ],
    [
      { actions: [], listMethods: { handlers: { GET: { handle: handlers.GET, throttle: [] } } } },
      'listMethods: GET: there is no option "throttle": write "throttles"',
    ],
    [{ perAction: { list: { shows: ['name'] } } }, 'perAction.list.shows: there is no field "name"'],
    [{ perAction: { list: { takes: ['title'] } } }, 'perAction.list: the action has no request body: remove "takes"'],
    [{ perAction: { destroy: { shows: ['title'] } } }, 'perAction.destroy: the response has no body: remove "shows"'],
    [
      { perAction: { create: { takes: ['pages'] } } },
      'perAction.create.takes: field "title" is missing: add it, or give it a default',
    ],
    [{ uniqueTogether: [['title', 'name']] }, 'uniqueTogether: there is no field "name"'],
    [{ uniqueTogether: [['title', 'tags']] }, 'uniqueTogether: field "tags" has no column of its own'],
    [
      { orderingFields: ['tags'] },
      'orderingFields: field "tags" is a relation to many objects, which have no order of their own: order by a computed field, such as computed(integer(), ({ row }) => sql`select count(*) …`)',
    ],
    [{ orderingFields: ['labels'] }, 'orderingFields: field "labels" is stored as JSON, which cannot be compared'],
    [
      { uniqueTogether: [['title', 'labels']] },
      'uniqueTogether: field "labels" is stored as JSON, which cannot be compared',
    ],
    [{ uniqueTogether: [['title', 'shelf']] }, 'uniqueTogether: field "shelf" is read-only, so callers cannot set it'],
    [
      { nestedUnder: [{ parent: authors, column: 'author_id' }] },
      'nestedUnder: no field stores column "author_id": add one, or name it in "hookColumns"',
    ],
    [
      {
        hookColumns: ['author_id', 'editor_id'],
        nestedUnder: [
          { parent: authors, column: 'author_id' },
          { parent: authors, column: 'editor_id' },
        ],
      },
      'nestedUnder: "authors" is named twice, and both lists would have one URL: remove one',
    ],
    [{ filterLimits: { groups: -1 } }, 'filterLimits: groups must be a whole number from 0, not -1'],
    [{ filterLimits: { filters: 0 } }, 'filterLimits: filters must be a whole number from 1, not 0'],
    [{ filterLimits: { values: '3' } }, 'filterLimits: values must be a whole number from 1, not "3"'],
    [{ filterLimits: { group: 1 } }, 'filterLimits: there is no option "group": write "groups"'],
    [{ listViews: { 'a/b': { handlers } } }, 'the name of view "a/b" must be a valid path segment'],
    [{ objectViews: { '': { handlers } } }, 'the name of view "" must be a valid path segment'],
    [{ objectViews: { '3': { handlers } } }, 'the name of view "3" must be a valid path segment'],
    [
      { listViews: { recent: { handlers: { get: handlers.GET } } } },
      'the view "recent": "get" is not an HTTP method; write it in upper case, such as GET',
    ],
  ] as const)
    refuses(declare(options), `resource "books": ${message}`)
  declare({ perAction: { create: { takes: ['title'] }, update: { takes: ['pages'] } } })()
  declare({ actions: ['list'], perAction: { create: { takes: [] } } })()
})

test('a default is one that its own field takes', async () => {
  const declare = (field: FieldLike) => () => resource('books', { table: 'books', fields: { field } })
  const refuse = (field: FieldLike, initial: string, reason: string) =>
    refuses(
      declare(field),
      `resource "books": field "field": the default ${initial} is rejected by its own field: ${reason}`,
    )
  refuse(text({ default: 'abc', max: 2 }), '"abc"', 'Ensure this field has no more than 2 characters.')
  refuse(text({ default: '' }), '""', 'This field may not be blank.')
  refuse(email({ default: 'ann' }), '"ann"', 'Enter a valid email address.')
  refuse(
    slug({ default: 'a b' }),
    '"a b"',
    'Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.',
  )
  refuse(url({ default: 'example' }), '"example"', 'Enter a valid URL.')
  refuse(uuid({ default: '1' }), '"1"', 'Must be a valid UUID.')
  refuse(integer({ default: 6, max: 5 }), '6', 'Ensure this value is less than or equal to 5.')
  refuse(number({ default: 1, min: 1.5 }), '1', 'Ensure this value is greater than or equal to 1.5.')
  refuse(
    decimal({ maxDigits: 3, decimalPlaces: 1, default: '100.0' }),
    '"100.0"',
    'Ensure that there are no more than 3 digits in total.',
  )
  refuse(boolean({ default: 'maybe' as never }), '"maybe"', 'Must be a valid boolean.')
  refuse(
    duration({ default: '2 00:00:00', max: '1 00:00:00' }),
    '"2 00:00:00"',
    'Ensure this value is less than or equal to 1 00:00:00.',
  )
  refuse(
    date({ default: '2023-02-29' }),
    '"2023-02-29"',
    'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.',
  )
  refuse(
    time({ default: '25:00' }),
    '"25:00"',
    'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].',
  )
  refuse(
    dateTime({ default: 'now' }),
    '"now"',
    'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  )
  refuse(json({ default: 'a\0b' }), '"a\\u0000b"', 'Null characters are not allowed.')
  refuse(z.int().min(1).default(0), '0', 'Too small: expected number to be >=1')
  refuse(z.int().min(1).prefault(0), '0', 'Too small: expected number to be >=1')
  refuse(
    z
      .enum(['a', 'b'])
      .nullable()
      .default('c' as never),
    '"c"',
    'Invalid option: expected one of "a"|"b"',
  )
  refuses(
    declare(related(authors, { column: 'author_id', default: 0 })),
    'resource "books": field "field": the default 0 must be a key',
  )
  const many = { table: 'book_tags', own: 'book_id', other: 'tag_id' }
  refuses(
    declare(related(tags, { many, default: [1, -1], form: 'url' })),
    'resource "books": field "field": the default [1,-1] must be a list of keys',
  )
  // A schema may transform its default into a value that it would not accept as input.
  const length = z.string().transform(given => given.length)
  for (const field of [
    length.pipe(z.int()).default(3),
    z
      .string()
      .refine(async () => false)
      .default('x'),
    integer({ default: 5, max: 5 }),
    text({ default: '', blank: true }),
    related(tags, { many, default: [1, 2], form: 'url' }),
    dateTime({ default: '2024-02-29T12:00:00.000000Z' }),
  ])
    declare(field)()
})

test('a default of which each part is read is one that its own field takes', async () => {
  const of = choice(['a', 'b'] as string[])
  for (const [field, initial, reason] of [
    [list({ of, default: ['c'] }), '["c"]', '{"0":["\\"c\\" is not a valid choice."]}'],
    [list({ of, default: ['a', 'b'], max: 1 }), '["a","b"]', 'Ensure this field has no more than 1 elements.'],
    [
      object({ fields: { n: integer({ max: 5 }) }, default: { n: 6 } }),
      '{"n":6}',
      '{"n":["Ensure this value is less than or equal to 5."]}',
    ],
    [object({ fields: { n: integer({ max: 5, default: 6 }) } }), '6', 'Ensure this value is less than or equal to 5.'],
    [
      multipleChoice(['a'] as string[], { rows: { table: 'a', own: 'b', other: 'c' }, default: ['b'] }),
      '["b"]',
      '{"0":["\\"b\\" is not a valid choice."]}',
    ],
  ] as const) {
    const message = `field "field": the default ${initial} is rejected by its own field: ${reason}`
    const options = { table: 'books', fields: { field } }
    const declare = async () => start({ resources: [resource('books', options)] })
    await assert.rejects(declare(), { message: `resource "books": ${message}` })
    const view = { listViews: { extra: listView({ body: { field }, handlers: { POST: () => ({ status: 200 }) } }) } }
    const inView = async () => start({ resources: [resource('books', { table: 'books', fields: {}, ...view })] })
    await assert.rejects(inView(), { message: `view "extra" of resource "books": ${message}` })
  }
})

test('a minimum above its maximum is refused, in every kind of field', () => {
  const declare = (field: FieldLike) => () => resource('books', { table: 'books', fields: { field } })
  const wrong = { min: 2, max: 1 }
  for (const [field, min, max] of [
    [text(wrong), 2, 1],
    [url(wrong), 2, 1],
    [email(wrong), 2, 1],
    [slug(wrong), 2, 1],
    [integer(wrong), 2, 1],
    [integer({ max: -(2 ** 40) }), -(2 ** 31), -(2 ** 40)],
    [number(wrong), 2, 1],
    [decimal({ maxDigits: 3, decimalPlaces: 1, ...wrong }), 2, 1],
    [duration({ min: '2', max: '1' }), 2, 1],
    [list({ of: text(), ...wrong }), 2, 1],
    [list({ of: integer(wrong) }), 2, 1],
    [object({ fields: { n: number(wrong) } }), 2, 1],
    [z.int().min(2).max(1), 2, 1],
    [z.string().min(2).max(1), 2, 1],
    [z.array(z.string()).min(2).max(1), 2, 1],
  ] as const)
    refuses(
      declare(field),
      `resource "books": field "field": the minimum ${min} exceeds the maximum ${max}: swap them, or set both explicitly`,
    )
  for (const field of [text({ max: -1 }), text({ min: 0.5 }), list({ of: text(), max: Number.NaN })])
    refuses(declare(field), 'resource "books": field "field": lengths must be whole numbers, 0 or greater')
})

test('a relation leads to a resource that the API has, in every kind of relation', async () => {
  const many = { table: 'book_editors', own: 'book_id', other: 'author_id' }
  const fix = 'refers to "authors": add it to "resources"; with "actions: []" it has no URL'
  const declare = (options: object) => resource('books', { table: 'books', fields: { id: key() }, ...options })
  for (const field of [
    related(authors, { column: 'author_id' }),
    related(authors, { many, default: [] }),
    related(authors, { many: { reverse: 'book_id' } }),
    related(authors, { column: 'author_id', form: 'url' }),
    related(authors, { many, default: [], form: 'url' }),
    nested({ of: authors, column: 'author_id' }),
    nested({ of: authors, many }),
  ]) {
    const resources = [declare({ fields: { field } })]
    await assert.rejects(becomeReady({ resources }), { message: `createApi(): field "field" of "books" ${fix}` })
    const complete = [...resources, resource('authors', { table: 'authors', actions: ['retrieve'], fields: {} })]
    // Only the empty database is wrong now.
    await assert.rejects(becomeReady({ resources: complete }), { name: 'DeclarationError' })
  }
  const extra = listView({ body: { field: related(authors) }, handlers: { POST: () => ({ status: 200 }) } })
  await assert.rejects(becomeReady({ resources: [declare({ listViews: { extra } })] }), {
    message: `createApi(): field "field" of view "extra" of "books" ${fix}`,
  })
  const nestedUnder = [{ parent: authors, column: 'author_id' }]
  await assert.rejects(becomeReady({ resources: [declare({ nestedUnder, hookColumns: ['author_id'] })] }), {
    message: `createApi(): "nestedUnder" of "books" ${fix}`,
  })
  const others = resource('authors', { table: 'people', fields: { id: key() } })
  const fields = { author: related(authors) }
  await assert.rejects(becomeReady({ resources: [declare({ fields }), others] }), {
    message:
      'createApi(): field "author" of "books" refers to "authors", and the resource of this name in "resources" has the table "people" and the key "id": use the same resource in both places',
  })
})

test('a relation by URL leads to a resource whose objects have a URL', async () => {
  const listed = resource('authors', { table: 'authors', actions: ['list', 'create'], fields: { id: key() } })
  for (const author of [related(listed, { form: 'url' }), related(listed, { shows: 'url' })]) {
    const books = resource('books', { table: 'books', fields: { id: key(), author } })
    await assert.rejects(becomeReady({ resources: [books, listed] }), {
      message:
        'createApi(): field "author" of "books" refers to "authors" by URL, but it has no URL for its objects: give it the action "retrieve", or remove "form", "takes" and "shows"',
    })
  }
})

test('an action that there is not is refused', () => {
  const known = 'the actions are list, create, retrieve, update, destroy'
  for (const options of [{ actions: ['lists'] }, { perAction: { lists: {} } }])
    refuses(
      () => resource('books', { table: 'books', fields: {}, ...(options as object) }),
      `resource "books": ${Object.keys(options)[0]}: there is no action "lists": ${known}`,
    )
})
