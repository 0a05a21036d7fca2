// Declarations are compared with the database when Fastify becomes ready: a wrong name ends the start, and says what to
// write.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  type ApiOptions,
  computed,
  createApi,
  cursor,
  type Database,
  integer,
  integerKey,
  key,
  type Migrations,
  migrate,
  multipleChoice,
  nested,
  objectView,
  openDatabase,
  ownerOrReadOnly,
  type Resource,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
  via,
} from 'resource-api'
import type { FilteredRow } from '../../src/core/policy/permissions/row-filter.ts'
import { startApi } from '../support/own-api.ts'
import { createDatabase, createFile, type Storage } from '../support/service.ts'

const migrations: Migrations = {
  async '0001_tables'({ schema }, { key, reference, text }) {
    await schema
      .createTable('authors')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('books')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('shelf', text, column => column.notNull().defaultTo('A1'))
      .addColumn('summary', text)
      .addColumn('author_id', reference, column => column.references('authors.id'))
      .execute()
    await schema
      .createTable('book_editors')
      .addColumn('book_id', reference, column => column.notNull())
      .addColumn('author_id', reference, column => column.notNull())
      .execute()
    await schema
      .createTable('countries')
      .addColumn('code', text, column => column.primaryKey())
      .execute()
    await schema.createView('titles').as(sql`select id, title from books`).execute()
  },
}

const authors = resource('authors', { table: 'authors', fields: { id: key(), name: text() } })

type Fields = Parameters<typeof resource>[1]['fields']

/** A resource of books that is declared right, but for what is given. */
const books = (options: object = {}, fields: object = {}): Resource =>
  resource('books', {
    table: 'books',
    actions: ['list', 'retrieve'],
    fields: { id: key(), title: text(), ...fields } as Fields,
    ...options,
  })

const many = { table: 'book_editors', own: 'book_id', other: 'author_id' }
const noColumn = (table: string, column: string, nearest?: string) =>
  `table "${table}" has no column "${column}": ${nearest === undefined ? '' : `write "${nearest}", or `}add it with a migration, or remove it from the declaration`

/** A declaration, and the error that it causes at start. */
const mistakes: Readonly<Record<string, readonly [declare: () => Resource, problem: string]>> = {
  'a wrong table': [
    () => books({ table: 'boks' }),
    'table: there is no table "boks": write "books", or create it with a migration',
  ],
  'a table that is like no other': [
    () => books({ table: 'shelves' }),
    'table: there is no table "shelves": create it with a migration',
  ],
  'a wrong key': [() => books({ key: integerKey({ column: 'ident' }) }), `key: ${noColumn('books', 'ident')}`],
  'a key that is not an integer': [
    () =>
      resource('countries', {
        table: 'countries',
        key: integerKey({ column: 'code' }),
        fields: { code: readOnly(text()) },
      }),
    'key: column "code" of table "countries" is of type text: declare the key as textKey(), or as uuidKey() if it holds UUIDs',
  ],
  'a wrong column of a field': [
    () => books({}, { name: text({ column: 'titel' }) }),
    `field "name": column: ${noColumn('books', 'titel', 'title')}`,
  ],
  'a field without a column of its name': [
    () => books({}, { subtitle: text() }),
    `field "subtitle": ${noColumn('books', 'subtitle', undefined)}`,
  ],
  'a misspelt ordering': [() => books({ ordering: ['-titel'] }), `ordering: ${noColumn('books', 'titel', 'title')}`],
  'a misspelt ordering of a paginator': [
    () => books({ pagination: cursor({ ordering: '-titel', secret: 's'.repeat(32) }) }),
    'pagination: table "books" has no column "titel": write "title", or order its pages by a column that all its tables have, such as cursor({ ordering: "-id" })',
  ],
  'a wrong column of a relation to one': [
    () => books({}, { author: related(authors, { column: 'autor_id' }) }),
    `field "author": column: ${noColumn('books', 'autor_id', 'author_id')}`,
  ],
  'a wrong column of a relation to many': [
    () => books({}, { editors: related(authors, { many: { ...many, other: 'editor_id' }, form: 'url' }) }),
    `field "editors": many.other: ${noColumn('book_editors', 'editor_id')}`,
  ],
  'a wrong table of a relation to many': [
    () => books({}, { editors: related(authors, { many: { ...many, table: 'book_editor' } }) }),
    'field "editors": many.own: there is no table "book_editor": write "book_editors", or create it with a migration',
  ],
  'a wrong column of a relation from the other side': [
    () => books({}, { written: related(authors, { many: { reverse: 'book_id' } }) }),
    `field "written": many.reverse: ${noColumn('authors', 'book_id')}`,
  ],
  'a wrong column of rows': [
    () => books({}, { tags: multipleChoice(['a'], { rows: { ...many, own: 'bok_id' }, default: [] }) }),
    `field "tags": rows.own: ${noColumn('book_editors', 'bok_id', 'book_id')}`,
  ],
  'a wrong column of nested': [
    () => books({}, { author: nested({ of: authors, column: 'autor_id' }) }),
    `field "author": column: ${noColumn('books', 'autor_id', 'author_id')}`,
  ],
  'a wrong reference of via': [
    () => books({}, { author: text({ source: via('autor_id', 'authors', 'name') }) }),
    `field "author": source.reference: ${noColumn('books', 'autor_id', 'author_id')}`,
  ],
  'a wrong column of via': [
    () => books({}, { author: text({ source: via('author_id', 'authors', 'nam') }) }),
    `field "author": source.column: ${noColumn('authors', 'nam', 'name')}`,
  ],
  'a wrong table of via': [
    () => books({}, { author: text({ source: via('author_id', 'author', 'name') }) }),
    'field "author": source.column: there is no table "author": write "authors", or create it with a migration',
  ],
  'a wrong column of computed': [
    () => books({}, { loud: computed({ columns: ['titel'], value: ({ titel }) => `${titel}!` }) }),
    `field "loud": columns: ${noColumn('books', 'titel', 'title')}`,
  ],
  'a wrong column of computed SQL': [
    () => books({}, { loud: computed(text(), ({ row }) => sql`upper(${row.titel})`) }),
    `field "loud": row: ${noColumn('books', 'titel', 'title')}`,
  ],
  'a wrong column of rowFilter': [
    () => books({ permissions: [rowFilter(({ row, caller }) => sql`${row.autor_id} = ${caller.id}`)] }),
    `permissions: ${noColumn('books', 'autor_id', 'author_id')}`,
  ],
  'a wrong column of ownerOrReadOnly': [
    () => books({ permissions: [ownerOrReadOnly('owner_id')] }),
    `permissions: ${noColumn('books', 'owner_id')}`,
  ],
  'a wrong column of a row filter': [
    () =>
      books({
        permissions: [
          { filter: { where: ({ column }: FilteredRow) => sql`${column('titel')} = 'x'`, values: () => ({}) } },
        ],
      }),
    `permissions: ${noColumn('books', 'titel', 'title')}`,
  ],
  'a wrong column of nestedUnder': [
    () => books({ nestedUnder: [{ parent: authors, column: 'autor_id' }], hookColumns: ['autor_id'] }),
    `hookColumns: ${noColumn('books', 'autor_id', 'author_id')}\nresource "books": nestedUnder: ${noColumn('books', 'autor_id', 'author_id')}`,
  ],
  'a wrong column of uniqueTogether': [
    () => books({ uniqueTogether: [['title', 'author']] }, { author: integer({ column: 'autor_id' }) }),
    `field "author": column: ${noColumn('books', 'autor_id', 'author_id')}`,
  ],
  'a wrong column of hookColumns': [
    () => books({ hookColumns: ['sumary'] }),
    `hookColumns: ${noColumn('books', 'sumary', 'summary')}`,
  ],
  'a wrong column of a view': [
    () =>
      books({
        objectViews: { borrow: objectView({ columns: ['sumary'], handlers: { GET: () => ({ status: 200 }) } }) },
      }),
    `the view "borrow": columns: ${noColumn('books', 'sumary', 'summary')}`,
  ],
  'a NOT NULL column that nothing writes': [
    () => resource('books', { table: 'books', fields: { id: key(), summary: text({ nullable: true }) } }),
    'create: nothing writes column "title" of table "books", which is NOT NULL or the key and has no default: add a field, name it in "hookColumns" and return it from "prepare", or remove the action "create"',
  ],
  'a NOT NULL column that is hookColumns without a hook': [
    () => resource('books', { table: 'books', fields: { id: key() }, hookColumns: ['title', 'shelf'] }),
    'hookColumns: nothing writes columns "title", "shelf" of table "books", which are NOT NULL: return them from "prepare" or "beforeSave"',
  ],
  'a nullable field of a NOT NULL column': [
    () => resource('books', { table: 'books', fields: { id: key(), title: text({ nullable: true }) } }),
    'field "title": nullable, but column "title" is NOT NULL: remove nullable, or make the column nullable',
  ],
}

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase })) {
  suite(name, () => {
    let storage: Storage
    let database: Database
    before(async () => {
      storage = await createStorage()
      database = openDatabase(storage.url)
      await migrate(database, [{ owner: 'library', steps: migrations }])
    })
    after(async () => {
      await database.close()
      await storage.remove()
    })

    const run = (work: string) => database.transaction(({ kysely }) => sql.raw(work).execute(kysely))

    /** Starts an API; rejects as its start does. */
    async function start(resources: readonly Resource[], options: ApiOptions = {}): Promise<void> {
      const { app, stop } = await startApi({ database, resources, ...options })
      try {
        await app.ready()
      } finally {
        await stop()
      }
    }

    for (const [mistake, [declare, problem]] of Object.entries(mistakes))
      test(`${mistake} is an error at start that says what to write`, async () => {
        const declared = declare()
        const message = `resource "${declared.name}": ${problem}`
        await assert.rejects(start([declared, authors]), { name: 'DeclarationError', message })
      })

    test('what is declared right starts', async () => {
      const fields = { author: nested({ of: authors, column: 'author_id' }) }
      await start([books({ ordering: ['-title'], permissions: [ownerOrReadOnly('author_id')] }, fields), authors])
      await start([resource('books', { table: 'books', fields: { id: key(), title: text() } })])
    })

    test('all mistakes are told at once', async () => {
      const wrong = books({ ordering: ['titel'] }, { name: text({ column: 'nam' }) })
      await assert.rejects(start([wrong, resource('authors', { table: 'autors', fields: {} })]), (error: Error) => {
        assert.deepEqual(
          error.message.split('\n').map(line => line.replace(/(?:has no|there is no).*/, '')),
          [
            'resource "books": field "name": column: table "books" ',
            'resource "books": ordering: table "books" ',
            'resource "authors": table: ',
          ],
        )
        return true
      })
    })

    test('a wrong name in the SQL of a computed field is found by the database', async () => {
      const loud = computed(text(), () => sql`upper(books.titel)`)
      await assert.rejects(start([books({}, { loud })]), {
        message: /^resource "books": field "loud": the database rejects its SQL: .*titel/,
      })
      const words = computed(integer(), () => sql`length(books.title)`)
      await start([books({}, { words })])
    })

    test('a wrong name in the SQL of a row filter is found by the database', async () => {
      const filter = (column: string) => ({ where: () => sql`${sql.ref(`books.${column}`)} = 'x'`, values: () => ({}) })
      await assert.rejects(start([books({ permissions: [{ filter: filter('titel') }] })]), {
        message: /^resource "books": the row filter of its permissions: the database rejects its SQL: .*titel/,
      })
      await start([books({ permissions: [{ filter: filter('title') }] })])
    })

    test('a view of the database has no constraints and starts', async () => {
      await start([resource('titles', { table: 'titles', fields: { id: key(), title: text() } })])
      await assert.rejects(start([resource('titles', { table: 'titles', fields: { name: text() } })]), {
        message: `resource "titles": field "name": ${noColumn('titles', 'name')}`,
      })
    })

    test('a key to which the database gives no value needs a field', async () => {
      const type = name === 'SQLite' ? 'int' : 'integer'
      await run(`create table numbered (n ${type} primary key, title text)`)
      const declare = (fields: object) =>
        resource('numbered', { table: 'numbered', key: integerKey({ column: 'n' }), fields: fields as Fields })
      await assert.rejects(start([declare({ title: text() })]), {
        message: /^resource "numbered": create: nothing writes column "n" of table "numbered"/,
      })
      await start([declare({ title: text(), n: integer({ fixed: true }) })])
    })

    test('a column that the database makes cannot be written', async () => {
      const kept = name === 'SQLite' ? '' : 'stored'
      const id = name === 'SQLite' ? 'integer primary key' : 'integer generated by default as identity primary key'
      await run(`create table sums (id ${id}, a integer, twice integer generated always as (a * 2) ${kept})`)
      const declare = (twice: object) => resource('sums', { table: 'sums', fields: { twice } as Fields })
      await assert.rejects(start([declare(integer())]), {
        message: 'resource "sums": field "twice": the database generates column "twice": wrap the field in readOnly()',
      })
      await start([declare(readOnly(integer()))])
    })

    test('a mistake of a resource in several APIs is reported once', async () => {
      const wrong = books({ fields: { id: key(), titel: text(), pages: integer() } })
      const { app, stop } = await startApi(
        { database, resources: [wrong] },
        {
          prefix: '/a',
          prepare: app => void app.register(createApi({ database, resources: [wrong] }), { prefix: '/b' }),
        },
      )
      const problem = (name: string, advice: string) =>
        `resource "books": field "${name}": table "books" has no column "${name}": ${advice}`
      await assert.rejects(async () => app.ready(), {
        message: [
          problem('titel', 'write "title", or add it with a migration, or remove it from the declaration'),
          problem('pages', 'add it with a migration, or remove it from the declaration'),
        ].join('\n'),
      })
      await stop()
    })

    test('APIs of one application share one look at the database', async () => {
      let looks = 0
      const { tables } = database.catalogue
      const count: typeof tables = names => {
        looks++
        return tables(names)
      }
      const catalogue = { ...database.catalogue, tables: count }
      const watched: Database = { ...database, catalogue }
      const { app, stop } = await startApi(
        { database: watched, resources: [authors] },
        {
          prefix: '/a',
          prepare: app => void app.register(createApi({ database: watched, resources: [books()] }), { prefix: '/b' }),
        },
      )
      await app.ready()
      await stop()
      assert.equal(looks, 1)
    })
  })
}

test('PostgreSQL: tables of other schemas are found by their schema and along the search path', async () => {
  const storage = await createDatabase()
  const first = openDatabase(storage.url)
  await first.transaction(({ kysely }) =>
    sql
      .raw(
        'create schema library; create table library.shelves (id bigint generated by default as identity primary key, name text not null)',
      )
      .execute(kysely),
  )
  const shelves = (table: string) => resource('shelves', { table, fields: { id: key(), name: text() } })
  const ready = async (database: Database, table: string) => {
    const { app, client, stop } = await startApi({ database, resources: [shelves(table)] })
    try {
      await app.ready()
      const created = await client.post('/shelves/', { json: { name: 'A1' } })
      assert.equal(created.status, 201, created.text)
    } finally {
      await stop()
    }
  }
  await ready(first, 'library.shelves')
  await assert.rejects(ready(first, 'shelves'), { message: /there is no table "shelves"/ })
  await first.close()
  const second = openDatabase(`${storage.url}?options=-csearch_path%3Dlibrary`)
  await ready(second, 'shelves')
  await second.close()
  await storage.remove()
})

test('a database that cannot be reached ends the start, and says why', async () => {
  const database = openDatabase('postgres://nobody@127.0.0.1:1/none')
  const { app, stop } = await startApi({ database, resources: [authors] })
  await assert.rejects(
    async () => app.ready(),
    (error: Error) => {
      assert.match(error.message, /^cannot check the declarations against the database: .*ECONNREFUSED/)
      assert.equal((error.cause as NodeJS.ErrnoException).code, 'ECONNREFUSED')
      return true
    },
  )
  await stop()
  await database.close()
})
