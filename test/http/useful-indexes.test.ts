// Which existing indexes serve a list: those with its directions, or the opposite ones, that compare as its columns do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { integer, key, type Migrations, pageNumber, readOnly, resource, text } from 'resource-api'
import { listMissingIndexes } from 'resource-api/extend'
import { onEachDatabase } from '../support/own-api.ts'

// With the names of columns, it is longer than the names of PostgreSQL.
const longName = 'items'.repeat(11)

const migrations: Migrations = {
  async '0001_items'(kysely, { key, text }) {
    for (const table of ['same', 'opposite', 'plain', 'texts', 'hashes', longName])
      await kysely.schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('a', 'integer', column => column.notNull())
        .addColumn('b', 'integer', column => column.notNull())
        .addColumn('name', text, column => column.notNull())
        .execute()
    await sql`create index same_mixed on same (a desc, b)`.execute(kysely)
    await sql`create index opposite_mixed on opposite (a, b desc)`.execute(kysely)
    await sql`create index plain_both on plain (a, b)`.execute(kysely)
  },
}

const list = (table: string, ordering: readonly ('a' | '-a' | 'b' | 'name')[]) =>
  resource(table, {
    table,
    actions: ['list'],
    fields: { id: readOnly(key()), a: integer(), b: integer(), name: text() },
    ordering,
  })

onEachDatabase(
  () => ({
    resources: [
      list('same', ['-a', 'b']),
      list('opposite', ['-a', 'b']),
      list('plain', ['-a', 'b']),
      list('texts', ['name']),
      list('hashes', ['a']),
      list(longName, ['b', 'name']),
    ],
    pagination: pageNumber({ pageSize: 10 }),
  }),
  api => {
    const findMissing = async () =>
      (await listMissingIndexes(api().app))
        .map(line => /^missing index: resource "(\w+)"/.exec(line)![1])
        .filter(name => name !== longName)
        .toSorted()

    test('an index with other directions, another collation or no order does not count', async () => {
      const { database } = api()
      const isPostgres = database.dialect.name === 'postgres'
      assert.deepEqual(await findMissing(), ['hashes', 'plain', 'texts'])
      await database.transaction(async ({ kysely }) => {
        const collated = isPostgres ? sql`name text_pattern_ops` : sql`name collate nocase`
        await sql`create index texts_collated on texts (${collated})`.execute(kysely)
        if (isPostgres) await sql`create index hashes_a on hashes using hash (a)`.execute(kysely)
      })
      assert.deepEqual(await findMissing(), ['hashes', 'plain', 'texts'])
      await database.transaction(async ({ kysely }) => {
        await sql`create index texts_name on texts (name desc)`.execute(kysely)
        await sql`create index plain_mixed on plain (a desc, b)`.execute(kysely)
        await sql`create index hashes_order on hashes (a)`.execute(kysely)
      })
      assert.deepEqual(await findMissing(), [])
    })

    test('the SQL for an index of a table with a long name creates the index', async () => {
      const { app, database } = api()
      const create = async () => {
        const lines = await listMissingIndexes(app)
        return lines.find(line => line.includes(`"${longName}"`))?.replace(/^.*: (?=create index)/, '')
      }
      const statement = await create()
      await database.transaction(({ kysely }) => sql.raw(statement!).execute(kysely))
      assert.equal(await create(), undefined)
    })
  },
  { migrations },
)
