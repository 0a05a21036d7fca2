import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimal, resource, text } from 'resource-api'
import { readRows } from './read-rows.ts'

test('a row of a data file has the declared names of fields, also if they have others on the wire', async () => {
  const { fields } = resource('books', {
    table: 'books',
    wire: 'camelCase',
    fields: { short_title: text(), unit_price: decimal({ maxDigits: 6, decimalPlaces: 2, nullable: true }) },
  })
  const rows = await readRows('books', [{ short_title: 'Emma', unit_price: '9.50' }], { fields, unique: [] })
  assert.deepEqual(rows, [{ short_title: 'Emma', unit_price: '9.50' }])
  await assert.rejects(readRows('books', [{ shortTitle: 'Emma' }], { fields, unique: [] }), /unknown key "shortTitle"/)
})
