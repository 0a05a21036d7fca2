// Full-text indexes of tables with a schema, and names that an index might use itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import {
  createFullTextIndex,
  dropFullTextIndex,
  fullText,
  key,
  type Migrations,
  resource,
  text,
  textKey,
} from 'resource-api'
import { listMissingIndexes } from 'resource-api/extend'
import type { Dialect } from '../../src/core/database/dialect.ts'
import { onEachDatabase } from '../support/own-api.ts'

const schemaOf = ({ name }: Dialect) => (name === 'sqlite' ? 'main' : 'shop')

const migrations: Migrations = {
  async '0001_tables'(kysely, { key, text }, dialect) {
    if (dialect.name !== 'sqlite') await sql`create schema shop`.execute(kysely)
    await kysely.schema
      .withSchema(schemaOf(dialect))
      .createTable('articles')
      .addColumn('id', key)
      .addColumn('title', text)
      .execute()
    await kysely.schema
      .createTable('cells')
      .addColumn('key', text, column => column.primaryKey().notNull())
      .addColumn('row', text)
      .execute()
    await sql`insert into cells ("key", "row") values ('a1', 'green tea')`.execute(kysely)
  },
  async '0002_full_text'(kysely, _, dialect) {
    const table = `${schemaOf(dialect)}.articles`
    await createFullTextIndex(kysely, dialect, { table, columns: ['title'] })
    await createFullTextIndex(kysely, dialect, { table, columns: ['title'], name: 'title_words' })
    await createFullTextIndex(kysely, dialect, { table: 'cells', columns: ['row'], key: 'key', name: 'words' })
  },
  async '0003_indexes_again'(kysely, _, dialect) {
    const table = `${schemaOf(dialect)}.articles`
    await dropFullTextIndex(kysely, dialect, { table, name: 'title_words' })
    await dropFullTextIndex(kysely, dialect, { table })
    await createFullTextIndex(kysely, dialect, { table, columns: ['title'] })
  },
}

const cells = resource('cells', {
  table: 'cells',
  key: textKey({ column: 'key' }),
  pagination: null,
  fields: { name: key(), row: text() },
  filters: { words: fullText(['row'], { index: 'words' }) },
})

const createArticles = (dialect: Dialect) =>
  resource('articles', {
    table: `${schemaOf(dialect)}.articles`,
    pagination: null,
    fields: { id: key(), title: text() },
    filters: { words: fullText(['title']) },
  })

onEachDatabase(
  ({ dialect }) => ({ resources: [createArticles(dialect), cells] }),
  api => {
    const count = async (path: string, words: string) => {
      const response = await api().client.get(`/${path}/?words=${words}`)
      assert.equal(response.status, 200, response.text)
      return response.json().length
    }

    test('the index of a table with a schema follows the rows', async () => {
      const { dialect, transaction } = api().database
      const run = (statement: RawBuilder<unknown>) => transaction(({ kysely }) => statement.execute(kysely))
      const articles = sql.table(`${schemaOf(dialect)}.articles`)
      await run(sql`insert into ${articles} (title) values ('green tea')`)
      assert.equal(await count('articles', 'tea'), 1)
      await run(sql`update ${articles} set title = 'coffee'`)
      assert.deepEqual([await count('articles', 'tea'), await count('articles', 'coffee')], [0, 1])
      await run(sql`delete from ${articles}`)
      assert.equal(await count('articles', 'coffee'), 0)
    })

    test('the index of a table with a schema is in this schema', async () => {
      const { dialect, kysely } = api().database
      const select =
        dialect.name === 'sqlite'
          ? sql<{ name: string }>`select name from main.sqlite_schema where sql like '%fts5%'`
          : sql<{
              name: string
            }>`select indexname as name from pg_indexes where schemaname = 'shop' and indexdef like '% gin %'`
      const names = (await select.execute(kysely)).rows.map(({ name }) => name)
      const expected = dialect.name === 'sqlite' ? ['articles_full_text', 'words'] : ['articles_full_text']
      assert.deepEqual(names.sort(), expected)
    })

    test('a missing index of a table with a schema is named with its SQL on PostgreSQL', async () => {
      const { dialect, transaction } = api().database
      assert.deepEqual(await listMissingIndexes(api().app), [])
      if (dialect.name === 'sqlite') return
      await transaction(({ kysely }) => dropFullTextIndex(kysely, dialect, { table: 'shop.articles' }))
      const [missing] = await listMissingIndexes(api().app)
      assert.match(missing!, /filters "words": create index "articles_full_text" on "shop"."articles" using gin /)
      await transaction(({ kysely }) => sql.raw(/create index .*$/.exec(missing!)![0]).execute(kysely))
      assert.deepEqual(await listMissingIndexes(api().app), [])
    })

    test('columns may be named "row" and "key", and the index "words"', async () => {
      assert.equal(await count('cells', 'green'), 1)
      const created = await api().client.post('/cells/', { json: { name: 'b2', row: 'black tea' } })
      assert.equal(created.status, 201, created.text)
      assert.deepEqual([await count('cells', 'tea'), await count('cells', 'black')], [2, 1])
      await api().client.patch('/cells/b2/', { json: { row: 'coffee' } })
      assert.deepEqual([await count('cells', 'black'), await count('cells', 'coffee')], [0, 1])
      await api().client.delete('/cells/a1/')
      assert.equal(await count('cells', 'green'), 0)
    })
  },
  { migrations },
)
