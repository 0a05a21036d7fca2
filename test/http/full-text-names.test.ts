// Full-text indexes of columns whose names the index uses itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createFullTextIndex, fullText, key, type Migrations, resource, text, textKey } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_tables'(kysely, { text }) {
    await kysely.schema
      .createTable('cells')
      .addColumn('key', text, column => column.primaryKey().notNull())
      .addColumn('row', text)
      .execute()
    await sql`insert into cells ("key", "row") values ('a1', 'green tea')`.execute(kysely)
  },
  async '0002_full_text'(kysely, _, dialect) {
    await createFullTextIndex(kysely, dialect, { table: 'cells', columns: ['row'], key: 'key' })
  },
}

const cells = resource('cells', {
  table: 'cells',
  key: textKey({ column: 'key' }),
  pagination: null,
  fields: { name: key(), row: text() },
  filters: { words: fullText(['row']) },
})

onEachDatabase(
  () => ({ resources: [cells] }),
  api => {
    const count = async (path: string, words: string) => {
      const response = await api().client.get(`/${path}/?words=${words}`)
      assert.equal(response.status, 200, response.text)
      return response.json().length
    }

    test('columns may be named "row" and "key"', async () => {
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
