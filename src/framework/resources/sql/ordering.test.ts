import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, key, resource, text } from '../../index.ts'

test('an order names fields, or columns that no field has; the key makes it total', () => {
  const { ordering } = resource('books', {
    table: 'books',
    fields: { id: key(), heading: text({ column: 'title', nullable: true }), pages: integer() },
    hookColumns: ['rank'],
    ordering: ['rank', '-heading'],
  })
  assert.deepEqual(
    ordering.map(({ column, descending, nullable }) => ({ column, descending, nullable })),
    [
      { column: 'rank', descending: false, nullable: false },
      { column: 'title', descending: true, nullable: true },
      { column: 'id', descending: true, nullable: false },
    ],
  )
  // @ts-expect-error there is no such field
  resource('books', { table: 'books', fields: { id: key() }, ordering: ['-titel'] })
})
