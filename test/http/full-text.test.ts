// Filters by words, on indexes that a migration creates: the same rows on both databases, whatever the caller types.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  createFullTextIndex,
  dropFullTextIndex,
  fullText,
  integer,
  key,
  type Migrations,
  openDatabase,
  resource,
  rowFilter,
  text,
  textKey,
  writeOnly,
} from 'resource-api'
import { listMissingIndexes } from 'resource-api/extend'
import { anyCharacter } from '../support/any-text.ts'
import { asUser, type LibraryApi, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const migrations: Migrations = {
  async '0001_notes'(kysely, { key, text }) {
    await kysely.schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('title', text)
      .addColumn('body', text)
      .addColumn('private', text)
      .addColumn('owner_id', 'integer')
      .execute()
    await kysely.schema
      .createTable('pages')
      .addColumn('slug', text, column => column.primaryKey())
      .addColumn('content', text)
      .execute()
    await sql`insert into pages (slug, content) values ('about us', 'Who we are'), ('old', 'Who we were')`.execute(
      kysely,
    )
  },
  async '0002_full_text'(kysely, _, dialect) {
    await createFullTextIndex(kysely, dialect, { table: 'notes', columns: ['title'] })
    await createFullTextIndex(kysely, dialect, { table: 'notes', columns: ['private'], name: 'private_words' })
    await createFullTextIndex(kysely, dialect, { table: 'pages', columns: ['content'], key: 'slug' })
  },
  async '0003_more_words'(kysely, _, dialect) {
    await dropFullTextIndex(kysely, dialect, { table: 'notes' })
    await createFullTextIndex(kysely, dialect, { table: 'notes', columns: ['title', 'body'] })
  },
}

const notes = resource('notes', {
  table: 'notes',
  permissions: [rowFilter(({ row, caller }) => sql`${row.owner_id} is null or ${row.owner_id} = ${caller.id}`)],
  pagination: null,
  fields: {
    id: key(),
    title: text({ nullable: true }),
    heading: text({ column: 'body', nullable: true }),
    private: text({ nullable: true, visible: ({ user }) => user.isStaff }),
  },
  filters: {
    words: fullText(['title', 'heading']),
    private_words: fullText(['private'], { index: 'private_words' }),
  },
})

const pages = resource('pages', {
  table: 'pages',
  key: textKey({ column: 'slug' }),
  pagination: null,
  fields: { slug: key(), content: text() },
  filters: { words: fullText(['content']) },
})

const statements: string[] = []

const rows = [
  { title: 'Green Tea', body: 'A leaf of tea—foo_bar 3.14 a.b@c.com x-ray, “quoted”' },
  { title: 'Leaf green', body: null },
  { title: null, body: null },
  { title: '日本 茶', body: '😀 emoji naïve café https://example.com/path?q=1 <b>bold</b> &amp;' },
  { title: 'or and not near', body: 'it’s rock’n’roll 007 12:30' },
  { title: 'Hidden tea', body: 'lure', owner_id: 1 },
]

const found: Readonly<Record<string, readonly number[]>> = {
  tea: [1],
  TEA: [1],
  'green leaf': [1, 2],
  'leaf green': [1, 2],
  '"leaf green"': [2],
  '"tea a leaf"': [1],
  '"green leaf': [],
  foo_bar: [1],
  bar: [1],
  '3.14': [1],
  14: [1],
  'a.b@c.com': [1],
  com: [1, 4],
  'c com': [1],
  ray: [1],
  quoted: [1],
  gree: [],
  日本: [4],
  '日本 茶': [4],
  '😀': [],
  '😀 emoji': [4],
  naïve: [4],
  naive: [],
  'example.com/path': [4],
  bold: [4],
  amp: [4],
  or: [5],
  'tea or leaf': [],
  '-tea': [1],
  'NOT near': [5],
  'near(or and)': [],
  "it's": [5],
  "rock'n'roll": [5],
  '007': [5],
  '12:30': [5],
  'title:tea': [],
  'te*': [],
  '^green': [1, 2],
  'tea & leaf | !x': [1],
  '{green tea}': [1],
  '—': [],
  '""': [],
  '"': [],
  '" " "': [],
  "'; drop table notes; --": [],
  lure: [],
}

const separators = [' ', ' ', ' ', '-', '. ', ', ', '/', '—', '_', "'", '@', ' & ', ' <', '> ']
const anyText = fc
  .array(fc.tuple(fc.constantFrom('a', 'B', 'c1', 'tea', 'Tea', 'é', '12', '茶'), fc.constantFrom(...separators)), {
    minLength: 1,
    maxLength: 6,
  })
  .map(parts => parts.flat().join(''))

const splitWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether the text has all phrases that have words, and there is one. */
function hasPhrases(text: string, phrases: readonly string[]): boolean {
  const words = ` ${splitWords(text).join(' ')} `
  const wanted = phrases.map(phrase => splitWords(phrase)).filter(({ length }) => length > 0)
  return wanted.length > 0 && wanted.every(phrase => words.includes(` ${phrase.join(' ')} `))
}

const byNumber = (first: number, second: number) => first - second

onEachDatabase(
  () => ({ resources: [notes, pages], authentication: [userScheme] }),
  api => {
    let library: LibraryApi
    before(async () => {
      library = api()
      await library.insert(
        'notes',
        rows.map(row => ({ owner_id: null, ...row })),
      )
    })

    const search = async (words: string, path = 'notes', user?: 'ann' | 'bob' | 'sue', name = 'words') =>
      library.client.get(`/${path}/?${new URLSearchParams({ [name]: words })}`, user === undefined ? {} : asUser(user))
    const findKeys = async (words: string, user?: 'ann') => {
      const response = await search(words, 'notes', user)
      assert.equal(response.status, 200, response.text)
      return response.json().map(({ id }: { id: number }) => id)
    }

    for (const [words, keys] of Object.entries(found))
      test(`words: ${words}`, async () => {
        assert.deepEqual((await findKeys(words)).sort(), keys)
      })

    test('the database uses the index', async () => {
      statements.length = 0
      await findKeys('a word that no other test looks for')
      const statement = statements.find(found => found.includes('notes_full_text') || found.includes('@@'))!
      const isSqlite = library.database.dialect.name === 'sqlite'
      const plan = await library.database.transaction(async ({ kysely }) => {
        if (!isSqlite) await sql`set local enable_seqscan = off`.execute(kysely)
        const explain = isSqlite ? 'explain query plan' : 'explain (generic_plan)'
        return (await sql.raw(`${explain} ${statement}`).execute(kysely)).rows
      })
      assert.match(JSON.stringify(plan), isSqlite ? /VIRTUAL TABLE INDEX/ : /Bitmap Index Scan on notes_full_text/)
    })

    test('row filters apply', async () => {
      assert.deepEqual(await findKeys('lure'), [])
      assert.deepEqual(await findKeys('lure', 'ann'), [6])
    })

    test('the index follows the rows', async () => {
      const created = await library.client.post('/notes/', { json: { title: 'Coffee', heading: null } })
      assert.equal(created.status, 201, created.text)
      const { id } = created.json()
      assert.deepEqual(await findKeys('coffee'), [id])
      await library.client.patch(`/notes/${id}/`, { json: { heading: 'Espresso' } })
      assert.deepEqual(await findKeys('coffee espresso'), [id])
      await library.client.patch(`/notes/${id}/`, { json: { title: 'Cocoa' } })
      assert.deepEqual([await findKeys('coffee'), await findKeys('cocoa')], [[], [id]])
      await library.client.delete(`/notes/${id}/`)
      assert.deepEqual(await findKeys('cocoa'), [])
    })

    test('keys may be texts, and rows that existed before the index are found', async () => {
      const keysOf = async (words: string) =>
        (await search(words, 'pages')).json().map(({ slug }: { slug: string }) => slug)
      assert.deepEqual(await keysOf('WHO'), ['about us', 'old'])
      assert.deepEqual(await keysOf('were'), ['old'])
      await library.database.transaction(async ({ kysely }) => {
        await kysely.updateTable('pages').set({ slug: 'older' }).where('slug', '=', 'old').execute()
      })
      assert.deepEqual(await keysOf('were'), ['older'])
      await library.client.delete('/pages/older/')
      assert.deepEqual([await keysOf('were'), await keysOf('who')], [[], ['about us']])
    })

    test('callers search only in fields that they see', async () => {
      await library.insert('notes', [{ title: null, private: 'secret', owner_id: null }])
      assert.equal((await search('secret', 'notes', 'sue', 'private_words')).json().length, 1)
      const others = (await search('secret', 'notes', 'ann', 'private_words')).json()
      assert.equal(others.length, (await library.client.get('/notes/', asUser('ann'))).json().length)
    })

    test('a wrong value is 400, keyed by the parameter', async () => {
      for (const [query, message] of [
        [`words=${'x'.repeat(501)}`, 'Ensure this field has no more than 500 characters.'],
        ['words=a%00', 'Null characters are not allowed.'],
        ['words=a&words=b', 'Give this parameter once: the filter takes one value.'],
      ]) {
        const response = await library.client.get(`/notes/?${query}`)
        assert.deepEqual([response.status, response.json()], [400, { words: [message] }])
      }
    })

    test('the rows are those that plain TypeScript finds', async () => {
      const texts = fc.sample(fc.tuple(fc.option(anyText), fc.option(anyText)), { numRuns: randomCases(60), seed: 7 })
      const keys = await library.insert(
        'notes',
        texts.map(([title, body]) => ({ title, body, owner_id: 2 })),
      )
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), anyText), { minLength: 1, maxLength: 3 }), async parts => {
          const phrases = parts.flatMap(([quoted, part]) => (quoted ? [part] : part.split(' ')))
          const query = parts.map(([quoted, part]) => (quoted ? `"${part}"` : part)).join(' ')
          const expected = keys.filter((_, index) => {
            const [title, body] = texts[index]!
            return hasPhrases(`${title ?? ''} ${body ?? ''}`, phrases)
          })
          const response = await search(query, 'notes', 'bob')
          const found = response.json().map(({ id }: { id: number }) => id)
          assert.deepEqual(found.filter((id: number) => keys.includes(id)).sort(byNumber), expected, query)
        }),
        { numRuns: randomCases(200) },
      )
    })

    test('nothing that a caller types is an error of the database', async () => {
      const parts = fc.constantFrom(
        ...'" \' * ( ) : ^ - + & | ! < > \\ { } ~ , . / = @ # % _ é Ⱥ İ 茶 😀 a OR AND NOT NEAR'.split(' '),
        ' ',
      )
      const words = fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.array(parts, { maxLength: 30 }).map(all => all.join('')),
      )
      await fc.assert(
        fc.asyncProperty(words, async given => {
          const { status, text } = await search(given.toWellFormed())
          assert.ok(status === 200 || (status === 400 && given.includes('\0')), text)
        }),
        { numRuns: randomCases(300) },
      )
      for (const long of ['Ⱥ', 'İ', '茶', '𠀀', 'a ', '" '])
        assert.equal((await search(long.repeat(500 / long.length))).status, 200, long)
    })

    test('no index is missing; PostgreSQL, which starts without one, names it with its reason and its SQL', async () => {
      const { app, database } = library
      assert.deepEqual(await listMissingIndexes(app), [])
      if (database.dialect.name === 'sqlite') return
      await database.transaction(async ({ kysely }) => {
        await dropFullTextIndex(kysely, database.dialect, { table: 'notes' })
        // An index of the same columns in another order does not serve.
        const columns = ['body', 'title']
        await createFullTextIndex(kysely, database.dialect, { table: 'notes', columns, name: 'other_words' })
      })
      const missing = await listMissingIndexes(app)
      assert.equal(missing.length, 1)
      assert.match(
        missing[0]!,
        /^missing index: resource "notes": filters "words": create index "notes_full_text" on "notes" using gin /,
      )
      await database.transaction(({ kysely }) => sql.raw(/create index .*$/.exec(missing[0]!)![0]).execute(kysely))
      assert.deepEqual(await listMissingIndexes(app), [])
    })

    test('long texts are stored and found', async () => {
      const long = Array.from({ length: 60_000 }, (_, index) => `word${index}`).join(' ')
      for (const title of [long, 'Ⱥ'.repeat(1020), '𠀀'.repeat(3000), '茶 '.repeat(200_000)]) {
        const created = await library.client.post('/notes/', { json: { title: null, heading: `longtext ${title}` } })
        assert.equal(created.status, 201, created.text.slice(0, 200))
        assert.deepEqual(await findKeys('longtext'), [created.json().id])
        await library.client.delete(`/notes/${created.json().id}/`)
      }
    })
  },
  { migrations, observe: statement => statements.push(statement) },
)

test('a wrong declaration is an error at start that names the fix', async () => {
  const fields = { id: key(), title: text(), pages: integer(), secret: writeOnly(text()) }
  for (const [names, message] of [
    [['titel'], 'there is no field "titel": write "title"'],
    [['pages'], 'fullText(): field "pages" does not store a text in a column of its own'],
    [['secret'], 'field "secret" is write-only, and this would reveal it'],
    [[], 'fullText(): name at least one field'],
    ['title', 'fullText(): the fields must be a list: write ["title"]'],
  ] as const)
    assert.throws(
      () => resource('books', { table: 'books', fields, filters: { words: fullText(names as never) } } as never),
      { message: `resource "books": filters: "words": ${message}` },
    )
})

test('a missing index is an error at start', async () => {
  const database = openDatabase('sqlite::memory:')
  await database.transaction(async ({ kysely }) => {
    await kysely.schema
      .createTable('books')
      .addColumn('id', 'integer', column => column.primaryKey())
      .addColumn('title', 'text')
      .execute()
  })
  const books = resource('books', {
    table: 'books',
    fields: { id: key(), title: text({ nullable: true }) },
    filters: { words: fullText(['title']) },
  })
  const { app, stop } = await startApi({ database, resources: [books] })
  try {
    await assert.rejects(
      async () => app.ready(),
      /filters: "words": .*books_full_text_keys: create its index in a migration with createFullTextIndex\(\)/,
    )
  } finally {
    await stop()
    await database.close()
  }
})
