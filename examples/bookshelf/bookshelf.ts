import Fastify from 'fastify'
import {
  browsable,
  choice,
  createApi,
  fastifyOptions,
  hyperlinkedIdentity,
  integer,
  jsonRenderer,
  migrate,
  type OwnedMigrations,
  openDatabase,
  pageNumber,
  resource,
  text,
} from 'resource-api'

export const books = resource('books', {
  table: 'books',
  ordering: ['title'],
  fields: {
    url: hyperlinkedIdentity(),
    title: text({ max: 200, unique: 'There is a book with this title.' }),
    pages: integer({ min: 1, nullable: true }),
    shelf: choice(['to read', 'reading', 'read'], { default: 'to read' }),
  },
})

const migrations: OwnedMigrations = {
  owner: 'bookshelf',
  steps: {
    async '0001_books'(kysely, { key, text }) {
      await kysely.schema
        .createTable('books')
        .addColumn('id', key)
        .addColumn('title', text, column => column.notNull().unique())
        .addColumn('pages', 'integer')
        .addColumn('shelf', text, column => column.notNull())
        .execute()
    },
  },
}

export async function createBookshelf(databaseUrl: string) {
  const database = openDatabase(databaseUrl)
  await migrate(database, [migrations])
  const app = Fastify(fastifyOptions())
  app.addHook('onClose', () => database.close())
  const api = createApi({
    database,
    resources: [books],
    renderers: [jsonRenderer, browsable()],
    pagination: pageNumber({ pageSize: 20 }),
  })
  await app.register(api)
  return app
}

if (import.meta.main) {
  const app = await createBookshelf('sqlite:bookshelf.db')
  console.log(await app.listen({ port: 8001 }))
}
