// Wrong declarations of `expandableFields` and `sparseFields`, and expansions across APIs.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  allowAny,
  computed,
  filter,
  integer,
  key,
  nested,
  openDatabase,
  ownerOrReadOnly,
  type Permission,
  related,
  resource,
  text,
  writeOnly,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import type { ResourceOptions } from '#core'
import { tags } from '../support/library.ts'
import { startApi } from '../support/own-api.ts'

type Options = ResourceOptions<Record<string, Field>, string>

const declareAuthors = (options: Partial<Options>) =>
  resource('authors', { table: 'authors', fields: { id: key(), name: text() }, ...options } as Options)

const authors = declareAuthors({})

const fields = {
  id: key(),
  title: text(),
  secret: writeOnly(text({ nullable: true })),
  author: related('authors', { nullable: true }),
  author_name: text({ source: 'author.name' }),
  author_in_full: nested({ of: authors, column: 'author_id' }),
  loud: computed({ columns: ['title'], value: ({ title }) => title }),
}

async function start(options: object, target: Partial<Options> = {}): Promise<void> {
  const books = resource('books', { table: 'books', actions: ['list', 'retrieve'], fields, ...options } as Options)
  const { app, stop } = await startApi({
    database: openDatabase('sqlite::memory:'),
    resources: [declareAuthors(target), tags, books],
  })
  try {
    await app.ready()
  } finally {
    await stop()
  }
}

const evenRows: Permission = { columns: ['id'], allowsObject: (_context, { id }) => Number(id) % 2 === 0 }

suite('a wrong declaration is an error at start that names the fix', () => {
  for (const [options, message, target] of [
    [{ sparseFields: ['title'] }, 'sparseFields must be true or false'],
    [{ expandableFields: 'author' }, 'expandableFields must be a list: write ["author"]'],
    [{ expandableFields: ['autor'] }, 'expandableFields: "autor": there is no field "autor": write "author"'],
    [{ expandableFields: ['constructor'] }, 'expandableFields: "constructor": there is no field "constructor"'],
    [{ expandableFields: [''] }, 'expandableFields: "": there is no field ""'],
    [
      { expandableFields: ['secret'] },
      'expandableFields: "secret": field "secret" is write-only, so no response shows it',
    ],
    [{ expandableFields: ['title'] }, 'expandableFields: "title": field "title" is not a relation: remove it'],
    [
      { expandableFields: ['author_name'] },
      'expandableFields: "author_name": field "author_name" is not a relation: remove it',
    ],
    [
      { expandableFields: ['author.name'] },
      'expandableFields: "author.name": field "name" is not a relation: remove it',
    ],
    [
      { expandableFields: ['author.nam'] },
      'expandableFields: "author.nam": there is no field "nam" in the response: write "name"',
    ],
    [
      { expandableFields: ['author.name'] },
      'expandableFields: "author.name": there is no field "name" in the response',
      { perAction: { retrieve: { shows: ['id'] } } },
    ],
    [
      { expandableFields: ['author.a.b.c'] },
      'expandableFields: "author.a.b.c": the path follows 4 relations: at most 3 are possible',
    ],
    [
      { expandableFields: ['author_in_full'] },
      'expandableFields: "author_in_full": field "author_in_full" shows objects already: remove it, or name a relation inside it, such as "author_in_full.country"',
    ],
    [
      { expandableFields: ['author'], perAction: { list: { shows: ['id'] }, retrieve: { shows: ['id'] } } },
      'expandableFields: "author": neither lists nor objects show field "author": add it to "shows"',
    ],
    [
      { expandableFields: ['author'] },
      'expandableFields: "author": the resource "authors" has no action "retrieve": add it, or show the objects with nested()',
      { actions: ['list'] },
    ],
    [
      { expandableFields: ['author'] },
      'expandableFields: "author": the resource "authors" has a permission with "allowsObject", which lists do not ask about each object: give it a row filter instead',
      { permissions: [allowAny, evenRows] },
    ],
    [
      { expandableFields: ['author'] },
      'expandableFields: "author": the resource "authors" has a permission with "allowsObject", which lists do not ask about each object: give it a row filter instead',
      { perAction: { retrieve: { permissions: [evenRows] } } },
    ],
    ...['fields', 'omit', 'expand'].map(
      name =>
        [
          {
            filters: { [name]: filter(integer(), () => sql`1 = 1`) },
            sparseFields: true,
            expandableFields: ['author'],
          },
          `filters: lists use the parameter "${name}" themselves: filter by another name, such as filter(…) under "${name}_is"`,
        ] as const,
    ),
  ] as readonly (readonly [object, string, Partial<Options>?])[])
    test(`${JSON.stringify(options)} ${Object.keys(target ?? {})}`, async () => {
      await assert.rejects(start(options, target), { message: `resource "books": ${message}` })
    })

  test('an object permission that allows every read is possible', async () => {
    const database = openDatabase('sqlite::memory:')
    const books = resource('books', { table: 'books', actions: ['list'], fields, expandableFields: ['author'] })
    const target = declareAuthors({ permissions: [ownerOrReadOnly('id')] })
    const { app, stop } = await startApi({ database, resources: [target, books] })
    // The database is empty, so the declarations are right if only its tables are missing.
    await assert.rejects(Promise.resolve(app.ready()), /there is no table "books"/)
    await stop()
  })
})
