// SQL that depends on the time or on random values: with `volatile: true`, responses are not cached; without it, the
// API refuses to start.

import assert from 'node:assert/strict'
import { after, beforeEach, suite, test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import {
  and,
  computed,
  cursor,
  type Database,
  integer,
  key,
  nested,
  not,
  openSqlite,
  or,
  type Permission,
  pageNumber,
  related,
  resource,
  staff,
  text,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import { openPostgres } from '#core'
import { bookRow } from '../support/library.ts'
import { onEachDatabase, startApi } from '../support/own-api.ts'

// A different number for each query, which shows whether a response is cached.
const randomNumber = (database: Database) => (database.dialect.name === 'sqlite' ? sql`random()` : sql`random() * 1e9`)

const createResources = (database: Database) => {
  const random = computed(text(), () => sql`cast(${randomNumber(database)} as text)`, { volatile: true })
  const actions = ['list', 'retrieve'] as const
  const authors = resource('authors', { table: 'authors', actions, fields: { id: key(), lucky: random } })
  const fields = { id: key(), title: text() }
  const isRandomlyVisible = database.dialect.name === 'sqlite' ? sql`random() % 2 = 0` : sql`random() < 0.5`
  const randomRows: Permission = { filter: { volatile: true, where: () => isRandomlyVisible, values: () => ({}) } }
  const table = 'books'
  const tags = resource('tags', {
    table: 'tags',
    actions,
    permissions: [randomRows],
    fields: { id: key(), name: text() },
  })
  const tagIds = related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' } })
  return [
    authors,
    tags,
    resource('paged', {
      table,
      actions,
      fields: { ...fields, lucky: random },
      pagination: pageNumber({ pageSize: 5 }),
    }),
    resource('by-cursor', {
      table,
      actions,
      fields: { ...fields, lucky: random },
      pagination: cursor({ pageSize: 5, ordering: 'id' }),
    }),
    resource('streamed', { table, actions, fields: { ...fields, lucky: random } }),
    resource('nesting', {
      table,
      actions,
      fields: { ...fields, author: nested({ of: authors, column: 'author_id' }) },
    }),
    resource('filtered', {
      table,
      actions,
      fields,
      permissions: [randomRows],
      pagination: pageNumber({ pageSize: 1 }),
    }),
    resource('combined', {
      ...{ table, actions, fields, permissions: [or(staff, and(not(not(randomRows)), randomRows))] },
      pagination: pageNumber({ pageSize: 1 }),
    }),
    resource('tagged', { table, actions, fields: { ...fields, tags: tagIds } }),
    resource('queried', {
      ...{ table, actions, fields: { ...fields, tags: tagIds } },
      filters: { tags: ['isnull'], 'tags.name': ['exact', 'isnull'] },
      searchFields: ['tags.name'],
      pagination: pageNumber({ pageSize: 1 }),
    }),
  ]
}

onEachDatabase(
  () => ({}),
  api => {
    beforeEach(async () => {
      const { database, insert } = api()
      await database.transaction(async ({ kysely }) => {
        for (const name of ['books', 'authors', 'tags']) await kysely.deleteFrom(name).execute()
      })
      const [author_id] = await insert('authors', [{ name: 'Ann' }])
      const rows = Array.from({ length: 40 }, () => ({ ...bookRow, author_id }))
      const books = await insert('books', rows)
      const tags = await insert('tags', [{ name: 'a' }, { name: 'b' }])
      const pairs = books.flatMap(book_id => tags.map(tag_id => ({ book_id, tag_id })))
      await database.transaction(({ kysely }) => kysely.insertInto('book_tags').values(pairs).execute())
    })
    const start = () =>
      startApi({ database: api().database, resources: createResources(api().database), secret: 'x'.repeat(40) })

    for (const name of ['paged', 'by-cursor', 'streamed', 'nesting', 'tagged'])
      test(`a list with volatile SQL is not cached: ${name}`, async () => {
        const { client, stop } = await start()
        const texts = new Set<string>()
        // Requests in the same turn of the event loop, and in different ones.
        for (let turn = 0; turn < 3; turn++) {
          const responses = await Promise.all([1, 2, 3].map(() => client.get(`/${name}/`)))
          for (const { status, text } of responses) {
            assert.equal(status, 200, text)
            texts.add(text)
          }
        }
        assert.equal(texts.size, 9)
        await stop()
      })

    for (const path of [
      'filtered/',
      'combined/',
      'queried/?tags__isnull=true',
      'queried/?tags__name=a',
      'queried/?tags__name__isnull=true',
      'queried/?search=a',
    ])
      test(`the count of rows with a volatile row filter is not cached: ${path}`, async () => {
        const { client, stop } = await start()
        const counts = new Set<number>()
        for (let request = 0; request < 20; request++) counts.add((await client.get(`/${path}`)).json().count)
        assert.ok(counts.size > 1, `the count was always ${[...counts]}`)
        await stop()
      })
  },
)

interface Declared {
  readonly fields?: Readonly<Record<string, Field>>
  readonly permissions?: readonly Permission[]
}

suite('checks at start', () => {
  const databases = {
    SQLite: openSqlite({ path: ':memory:' }),
    PostgreSQL: openPostgres({ url: 'postgres://127.0.0.1:1/none' }),
  }
  after(() => Promise.all(Object.values(databases).map(database => database.close())))
  const startError = async (database: Database, declared: Declared) => {
    const fields = { id: key(), pages: integer(), ...declared.fields }
    const books = resource('books', { table: 'books', ...declared, fields })
    return startApi({ database, resources: [books] }).then(
      async ({ stop }) => {
        await stop()
        return undefined
      },
      (error: Error) => error.message,
    )
  }
  const volatileExpressions: readonly (readonly [expression: RawBuilder<unknown>, found: string, where?: string])[] = [
    [sql`current_timestamp`, 'current_timestamp'],
    [sql`coalesce(CURRENT_DATE, 'x')`, 'CURRENT_DATE'],
    [sql`random ()`, 'random()'],
    [sql`datetime('now', '-1 day')`, "'now'", 'SQLite'],
    [sql`datetime(${'now'})`, "'now'", 'SQLite'],
    [sql`unixepoch()`, 'unixepoch()', 'SQLite'],
    [sql`strftime('%Y')`, "strftime('')", 'SQLite'],
    [sql`now() - interval '1 day'`, 'now()', 'PostgreSQL'],
    [sql`clock_timestamp()`, 'clock_timestamp()', 'PostgreSQL'],
    [sql`gen_random_uuid()`, 'gen_random_uuid()', 'PostgreSQL'],
    [sql`localtime`, 'localtime', 'PostgreSQL'],
  ]
  for (const [name, database] of Object.entries(databases)) {
    for (const [expression, found, where = name] of volatileExpressions.filter(([, , only = name]) => only === name)) {
      test(`refuses ${found} in a computed field or row filter that is not declared volatile, on ${where}`, async () => {
        const reason = `depends on more than data (${found})`
        assert.equal(
          await startError(database, { fields: { lucky: computed(text(), () => expression) } }),
          `resource "books": field "lucky": its SQL ${reason}: declare it as computed(…, { volatile: true }), so that no response with it is cached`,
        )
        const filter = { where: () => sql`${expression} is not null`, values: () => ({}) }
        assert.equal(
          await startError(database, { permissions: [{ filter }] }),
          `resource "books": a row filter ${reason}: take it from "values", or add "volatile: true" to the filter, so that no response with it is cached`,
        )
        assert.equal(
          await startError(database, { fields: { lucky: computed(text(), () => expression, { volatile: true }) } }),
          undefined,
        )
        assert.equal(
          await startError(database, { permissions: [{ filter: { ...filter, volatile: true } }] }),
          undefined,
        )
      })
    }

    test(`accepts names and texts that only look like volatile SQL, on ${name}`, async () => {
      const stable = computed(
        text(),
        ({ row }) => sql`coalesce(${row.current_date}, 'random() now()', date('2026-01-01'), ${'random()'}, knows(1))`,
      )
      assert.equal(await startError(database, { fields: { same: stable } }), undefined)
    })
  }
})
