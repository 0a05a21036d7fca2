// The tables of this application. After a change, `npx resource-api migrations make --from tables.ts` writes the step that makes it.

import { choice, integer, key, text } from 'resource-api'
import { table, tables } from 'resource-api/tables'

export const bookTable = table('books', {
  columns: {
    id: key(),
    title: text({ max: 200, unique: 'There is a book with this title.' }),
    pages: integer({ min: 1, nullable: true }),
    shelf: choice(['to read', 'reading', 'read'], { default: 'to read' }),
  },
})

const migrations = new URL('./migrations/', import.meta.url)
export const schema = tables({ owner: 'books', tables: [bookTable], migrations })
