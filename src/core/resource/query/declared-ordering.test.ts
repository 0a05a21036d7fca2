import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, key, resource, text } from '../../../index.ts'
import { createOrdering } from './declared-ordering.ts'

test('an order names fields, or columns that no field has; the key makes it total', () => {
  const books = resource('books', {
    table: 'books',
    fields: { id: key(), heading: text({ column: 'title', nullable: true }), pages: integer() },
    hookColumns: ['rank'],
    ordering: ['rank', '-heading'],
  })
  assert.deepEqual(
    createOrdering(books, books.ordering).map(({ column, descending }) => [column, descending]),
    [
      ['rank', false],
      ['title', true],
      ['id', true],
    ],
  )
  assert.deepEqual(
    createOrdering(books, ['-id']).map(({ column, descending }) => [column, descending]),
    [['id', true]],
  )
  // @ts-expect-error there is no such field
  resource('books', { table: 'books', fields: { id: key() }, ordering: ['-titel'] })
})
