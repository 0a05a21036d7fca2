// A process that serves an API and kills itself on request: after the commit of a write and before its response
// (`X-Crash: after`), or in the transaction of the write (`X-Crash: inside`).

import Fastify from 'fastify'
import {
  createApi,
  fastifyOptions,
  idempotencyMigrations,
  key,
  migrate,
  openDatabase,
  resource,
  text,
} from 'resource-api'
import { libraryMigrations } from './library.ts'

const crash = (request: { readonly headers: object } | undefined, moment: string) => {
  const { 'x-crash': wanted } = (request?.headers ?? {}) as Record<string, unknown>
  if (wanted === moment) process.kill(process.pid, 'SIGKILL')
}

const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text() },
  afterSave: ({ request }) => crash(request, 'inside'),
})

const database = openDatabase(process.argv[2]!)
await migrate(database, [{ owner: 'library', steps: libraryMigrations }, idempotencyMigrations])
const app = Fastify(fastifyOptions())
await app.register(
  createApi({
    database,
    resources: [tags],
    idempotencyKeys: true,
    observe: ({ request }) => crash(request, 'after'),
  }),
)
process.send!(await app.listen({ port: 0 }))
