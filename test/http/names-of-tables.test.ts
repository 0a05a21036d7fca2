// Tables and columns may have any name, also one that the SQL of lists could use itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cursor, key, type Migrations, pageNumber, readOnly, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const tables = ['page', 'counted', 'related']

const migrations: Migrations = {
  async '0001_tables'(kysely, { key, text }) {
    for (const table of tables)
      await kysely.schema.createTable(table).addColumn('id', key).addColumn('page_row', text).execute()
  },
}

const list = (name: string, table: string, pagination = pageNumber({ pageSize: 1, count: { atMost: 2 } })) =>
  resource(name, {
    table,
    fields: { id: readOnly(key()), page_row: text() },
    filters: { page_row: ['contains'] },
    pagination,
  })

onEachDatabase(
  () => ({
    resources: tables.flatMap((table, index) => [
      list(`numbered-${index}`, table),
      list(`cursors-${index}`, table, cursor({ secret: '-'.repeat(32), pageSize: 1, ordering: 'page_row' })),
    ]),
  }),
  api => {
    for (const [index, table] of tables.entries())
      test(`a table with the name "${table}"`, async () => {
        await api().insert(table, [{ page_row: 'a' }])
        for (const path of ['numbered', 'cursors'])
          for (const query of ['', '?page_row__contains=a', ...(path === 'numbered' ? ['?page=last'] : [])]) {
            const { status, json } = await api().client.get(`/${path}-${index}/${query}`)
            assert.deepEqual([status, json().results], [200, [{ id: 1, page_row: 'a' }]], path + query)
          }
      })
  },
  { migrations },
)
