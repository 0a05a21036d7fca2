// The tables of the library, and the functions that declare resources of these tables.

import { date, forTypes, type Identity, integer, key, readOnly, text } from 'resource-api'
import { reference, table, tables } from 'resource-api/tables'

export const authorTable = table('authors', { columns: { id: key(), name: text(), born: integer() } })

export const bookTable = table('books', {
  columns: {
    id: key(),
    title: text({ max: 200 }),
    isbn: text(),
    year: integer(),
    author: reference('authors'),
    due: readOnly(date({ nullable: true })),
    borrower: text({ nullable: true }),
  },
  unique: [['title', 'author']],
})

export const schema = tables({ owner: 'lending', tables: [authorTable, bookTable] })

export const { resource, listView } = forTypes<Identity, typeof schema>()
