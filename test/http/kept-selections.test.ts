// The statements of what queries choose of the fields are compiled once and kept, except those unused for longest.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { computed, key, readOnly, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

let compiled = 0
const authors = resource('authors', {
  table: 'authors',
  fields: {
    id: readOnly(key()),
    name: text(),
    loud: computed(text(), ({ row }) => {
      compiled++
      return sql`upper(${row.name})`
    }),
  },
  sparseFields: true,
})

onEachDatabase(
  () => ({ resources: [authors] }),
  api => {
    test('a selection that is used often does not evict the others', async () => {
      const read = async (fields: string) =>
        assert.equal((await api().client.get(`/authors/?fields=${fields}`)).status, 200)
      await read('loud')
      for (let count = 0; count < 200; count++) await read('id')
      compiled = 0
      await read('loud')
      assert.equal(compiled, 0)
    })
  },
)
