// A wrong declaration fails when the API starts, with a message that says what to write instead.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  type ApiOptions,
  boolean,
  choice,
  createApi,
  type Database,
  hyperlinkedRelated,
  integer,
  key,
  openDatabase,
  pageNumber,
  primaryKeyRelated,
  readOnly,
  resource,
  text,
} from '../../src/framework/index.ts'
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
const view = { name: 'View', handlers: {} }

test('a resource says what is wrong with it', () => {
  for (const name of ['Books', 'my_books', 'books/', '', '1', 'é'])
    refuses(
      () => resource(name, { table: 'books', fields: {} }),
      `resource "${name}": the name must be lower-case letters, digits and hyphens, as in a path`,
    )
  refuses(
    () => resource('books', { table: 'books', fields: { title: text({ required: false }) } }),
    'resource "books": field "title" is optional: give it a default, or say nullable: true',
  )
  refuses(
    () => resource('books', { table: 'books', fields: { title: text() }, hookColumns: ['title'] }),
    'resource "books": column "title" is a field and hidden as well: leave one out',
  )
  refuses(
    () => resource('books', { table: 'books', fields: { id: { ...key(), readOnly: false } } }),
    'resource "books": field "id" is kept nowhere: wrap it in readOnly()',
  )
})

test('a resource that does not write may leave open what a write needs, and fields may be read-only', () => {
  resource('books', { table: 'books', actions: ['list'], fields: { title: text({ required: false }) } })
  resource('books', { table: 'books', fields: { title: readOnly(text()), sold: boolean({ default: false }) } })
})

test('a field says what is wrong with it', () => {
  refuses(() => choice(['a'], { default: 'b' }), 'choice(): the default "b" is not among the choices')
  for (const bounds of [{ min: 0.5 }, { max: 2 ** 53 }, { min: Number.NaN }, { max: Number.POSITIVE_INFINITY }])
    refuses(() => integer(bounds), 'integer(): min and max must be whole numbers between -(2^53 - 1) and 2^53 - 1')
})

test('LIM-PAG-r1: page sizes are whole numbers from 1', async () => {
  for (const size of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    refuses(() => pageNumber({ pageSize: size }), `pageNumber(): pageSize must be a whole number from 1, not ${size}`)
    refuses(
      () => pageNumber({ maxPageSize: size }),
      `pageNumber(): maxPageSize must be a whole number from 1, not ${size}`,
    )
    refuses(() => createApi({ pageSize: size }), `createApi(): pageSize must be a whole number from 1, not ${size}`)
  }
})

test('resources need a database', async () => {
  const message = 'createApi(): resource "tags" needs the option "database"'
  await assert.rejects(startApi({ resources: [tags] }), { message })
})

test('two resources of one name are one too many', async () => {
  const message = 'createApi(): there are two resources named "tags": rename one'
  await assert.rejects(start({ resources: [tags, tags] }), { message })
})

test('a hyperlink needs the resource that it leads to', async () => {
  const message = 'createApi(): field "author" of "books" links to "authors": add it to "resources"'
  await assert.rejects(start({ resources: [books, tags] }), { message })
  const elsewhere = hyperlinkedRelated({ to: authors, many: { table: 'a', own: 'b', other: 'c' } })
  await assert.rejects(start({ resources: [resource('shelves', { table: 'shelves', fields: { elsewhere } })] }), {
    message: 'createApi(): field "elsewhere" of "shelves" links to "authors": add it to "resources"',
  })
  const fields = { author: primaryKeyRelated({ to: authors, column: 'author_id' }) }
  await start({ resources: [resource('drafts', { table: 'books', fields })] })
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
      message: `view "View": "${method}" is no method; write it in upper case, such as GET`,
    })
})

test('what is declared beside the fields of a resource fits them', () => {
  const fields = {
    title: text(),
    pages: integer({ default: 1 }),
    shelf: readOnly(text()),
    tags: primaryKeyRelated({ to: tags, many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  }
  const declare = (options: object) => () => resource('books', { table: 'books', fields, ...options })
  const handlers = { GET: () => ({ status: 200 }) }
  for (const [options, message] of [
    [{ perAction: { list: { fields: ['name'] } } }, 'perAction.list: there is no field "name"'],
    [
      { perAction: { create: { fields: ['pages'] } } },
      'perAction.create: field "title" is missing: add it, or give it a default',
    ],
    [{ uniqueTogether: [['title', 'name']] }, 'uniqueTogether: there is no field "name"'],
    [{ uniqueTogether: [['title', 'tags']] }, 'uniqueTogether: field "tags" has no column of its own'],
    [{ uniqueTogether: [['title', 'shelf']] }, 'uniqueTogether: field "shelf" is read-only, so no body gives it'],
    [
      { nestedUnder: [{ parent: authors, column: 'author_id' }] },
      'nestedUnder: no field keeps column "author_id": add one, or name it in "hidden"',
    ],
    [{ listViews: { 'a/b': { handlers } } }, 'the view "a/b" must be named as one part of a path'],
    [{ objectViews: { '': { handlers } } }, 'the view "" must be named as one part of a path'],
    [{ objectViews: { '3': { handlers } } }, 'the view "3" must be named as one part of a path'],
    [
      { listViews: { recent: { handlers: { get: handlers.GET } } } },
      'the view "recent": "get" is no method; write it in upper case, such as GET',
    ],
  ] as const)
    refuses(declare(options), `resource "books": ${message}`)
  declare({ perAction: { create: { fields: ['title'] }, update: { fields: ['pages'] } } })()
  declare({ actions: ['list'], perAction: { create: { fields: [] } } })()
})
