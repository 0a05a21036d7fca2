import { authenticated, choice, hyperlinkedIdentity, integer, key, ownerOrReadOnly, resource, text } from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { defineService, profile } from 'resource-api/service'
import { owner, table, tables } from 'resource-api/tables'

const bookTable = table('books', {
  columns: {
    id: key(),
    title: text({ max: 200, unique: 'There is a book with this title.' }),
    pages: integer({ min: 1, nullable: true }),
    shelf: choice(['to read', 'reading', 'read'], { default: 'to read' }),
    owner: owner('users'),
  },
})
export const schema = tables({ owner: 'bookshelf', tables: [bookTable], uses: [accountTables] })

export const books = resource('books', {
  table: bookTable,
  fields: { url: hyperlinkedIdentity(), ...bookTable.pick('title', 'pages', 'shelf') },
  ordering: ['title'],
  filters: { shelf: true },
  searchFields: ['title'],
  permissions: [authenticated, ownerOrReadOnly()],
})

const bookshelf = profile('bookshelf', { resources: [books], tables: schema, admin: { books: {} } })
export default defineService({ profiles: [bookshelf] })
