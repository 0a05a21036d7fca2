// An API of books, mounted in a Fastify application with a SQLite database.

import Fastify from 'fastify'
import {
  browsable,
  createApi,
  fastifyOptions,
  hyperlinkedIdentity,
  jsonRenderer,
  migrate,
  openDatabase,
  pageNumber,
  resource,
} from 'resource-api'
import { drain, stopSignal } from 'resource-api/server'
import { bookTable, schema } from './tables.ts'

const books = resource('books', {
  table: bookTable,
  ordering: ['title'],
  objectName: 'title',
  fields: { url: hyperlinkedIdentity(), ...bookTable.pick('title', 'pages', 'shelf') },
  filters: { shelf: ['exact', 'in'], pages: ['gte', 'lte'] },
})

export async function createApp(databaseUrl: string) {
  const database = openDatabase(databaseUrl)
  await migrate(database, [schema])
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
