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
  key,
  migrate,
  openDatabase,
  ownerOrReadOnly,
  pageNumber,
  resource,
  text,
} from 'resource-api'
import { owner, table, tables } from 'resource-api/tables'

const bookTable = table('books', {
  columns: {
    id: key(),
    title: text({ max: 200, unique: 'There is a book with this title.' }),
    pages: integer({ min: 1, nullable: true }),
    shelf: choice(['to read', 'reading', 'read'], { default: 'to read' }),
    owner: owner(integer()),
  },
})

export const schema = tables({ owner: 'bookshelf', tables: [bookTable] })

export const books = resource('books', {
  table: bookTable,
  fields: { url: hyperlinkedIdentity(), ...bookTable.pick('title', 'pages', 'shelf') },
  ordering: ['title'],
  filters: { shelf: true },
  searchFields: ['title'],
  permissions: [authenticated, ownerOrReadOnly('owner_id')],
})

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
  await migrate(database, [schema])
  const app = Fastify(fastifyOptions())
  await app.register(createApi({ database, ...bookshelf }))
  console.log(await app.listen({ port: 8000 }))
}
