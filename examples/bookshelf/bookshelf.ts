import Fastify from 'fastify'
import {
  authenticated,
  basicScheme,
  browsable,
  choice,
  createApi,
  fastifyOptions,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  type Migrations,
  migrate,
  openDatabase,
  ownerOrReadOnly,
  pageNumber,
  resource,
  text,
} from 'resource-api'
import { requireAccountId } from 'resource-api/accounts'

export const books = resource('books', {
  table: 'books',
  fields: {
    url: hyperlinkedIdentity(),
    title: text({ max: 200, unique: 'There is a book with this title.' }),
    pages: integer({ min: 1, nullable: true }),
    shelf: choice(['to read', 'reading', 'read'], { default: 'to read' }),
  },
  ordering: ['title'],
  filters: { shelf: true },
  searchFields: ['title'],
  permissions: [authenticated, ownerOrReadOnly('owner_id')],
  hookColumns: ['owner_id'],
  prepare: ({ action, user }) => (action === 'create' ? { owner_id: requireAccountId(user) } : {}),
})

export const migrations: Migrations = {
  async '0001_books'({ schema }, { key, text, reference }) {
    await schema
      .createTable('books')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull().unique())
      .addColumn('pages', 'integer')
      .addColumn('shelf', text, column => column.notNull())
      .addColumn('owner_id', reference, column => column.notNull())
      .execute()
  },
}

// Your application looks callers up in its own table of users.
const users = ['ann', 'bob'].map((username, id) => ({ isAuthenticated: true, id, username, isStaff: false }))
const verify = async (username: string, password: string) =>
  password === 'secret' ? users.find(user => user.username === username) : undefined

export const bookshelf = {
  resources: [books],
  pagination: pageNumber({ pageSize: 20 }),
  authentication: [basicScheme({ verify })],
  renderers: [jsonRenderer, browsable({ title: 'Bookshelf' })],
}

if (import.meta.main) {
  const database = openDatabase('sqlite:bookshelf.db')
  await migrate(database, [{ owner: 'bookshelf', steps: migrations }])
  const app = Fastify(fastifyOptions())
  await app.register(createApi({ database, ...bookshelf }))
  console.log(await app.listen({ port: 8000 }))
}
