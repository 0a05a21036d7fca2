// An API of books, mounted in a Fastify application with a SQLite database.

import Fastify from 'fastify'
import {
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
  pageNumber,
  resource,
  text,
} from 'resource-api'
import { drain, stopSignal } from 'resource-api/server'

const books = resource('books', {
  table: 'books',
  ordering: ['title'],
  objectName: 'title',
  fields: {
    url: hyperlinkedIdentity(),
    title: text({ max: 200, unique: 'There is a book with this title.' }),
    pages: integer({ min: 1, nullable: true }),
    shelf: choice(['to read', 'reading', 'read'], { default: 'to read' }),
  },
  filters: { shelf: ['exact', 'in'], pages: ['gte', 'lte'] },
})

/** Each step runs once in each database; add a step for each change. */
const migrations: Migrations = {
  async '0001_books'(kysely, { key, text }) {
    await kysely.schema
      .createTable('books')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull().unique())
      .addColumn('pages', 'integer')
      .addColumn('shelf', text, column => column.notNull())
      .execute()
  },
}

export async function createApp(databaseUrl: string) {
  const database = openDatabase(databaseUrl)
  await migrate(database, [{ owner: 'books', steps: migrations }])
  const app = Fastify(fastifyOptions())
  app.register(drain)
  app.addHook('onClose', () => database.close())
  const api = createApi({
    database,
    resources: [books],
    renderers: [jsonRenderer, browsable()],
    pagination: pageNumber({ pageSize: 20 }),
    strict: true,
  })
  await app.register(api)
  return app
}

if (import.meta.main) {
  const app = await createApp(process.env.DATABASE_URL ?? 'sqlite:app.db')
  console.log(await app.listen({ port: Number(process.env.PORT ?? 8000) }))
  await stopSignal()
  await app.drain()
}
