// A small application for the installed package: a resource with fields made with Kysely and Zod, an exception in a view,
// a document, and the example of the README. It prints the responses, and the rows of a query that is built with the
// Kysely of the application.

import Fastify from 'fastify'
import { CamelCasePlugin, expressionBuilder, type Kysely, sql } from 'kysely'
import {
  basicScheme,
  computed,
  createApi,
  Document,
  fastifyOptions,
  htmlDocumentRenderer,
  jsonRenderer,
  type Migrations,
  migrate,
  NotFound,
  openDatabase,
  resource,
  text,
} from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import * as z from 'zod'
import { books, schema as bookshelfSchema } from '../../examples/bookshelf/resource-api.config.ts'

const database = openDatabase('sqlite::memory:')
const steps: Migrations = {
  '0001_notes': async kysely => {
    await sql`create table notes (id integer primary key, title text not null, stars integer not null)`.execute(kysely)
  },
}
await migrate(database, [{ owner: 'notes', steps }, accountTables, bookshelfSchema])
await database.transaction(({ kysely }) =>
  kysely.insertInto('users').values({ username: 'ann', date_joined: '2026-01-31T12:00:00Z' }).execute(),
)

const notes = resource('notes', {
  table: 'notes',
  fields: {
    title: text({ max: 20 }),
    stars: z.int().max(5),
    shout: computed(text(), ({ row }) => sql`upper(${row.title})`),
  },
})

const app = Fastify(fastifyOptions())
app.addHook('onClose', () => database.close())
await app.register(
  createApi({
    database,
    resources: [notes],
    views: {
      '/missing/': { name: 'missing', handlers: { GET: () => Promise.reject(new NotFound()) } },
      '/page/': {
        name: 'page',
        renderers: [htmlDocumentRenderer, jsonRenderer],
        handlers: { GET: () => ({ status: 200, body: new Document('<p>') }) },
      },
    },
  }),
)
const bookshelf = Fastify(fastifyOptions())
const verify = async () => ({ isAuthenticated: true, id: 1, username: 'ann', isStaff: false })
await bookshelf.register(createApi({ database, resources: [books], authentication: [basicScheme({ verify })] }))

const headers = { host: 'localhost' }
const responses = [
  await app.inject({ method: 'POST', url: '/notes/', headers, payload: { title: 'a', stars: 5 } }),
  await app.inject({ method: 'POST', url: '/notes/', headers, payload: { title: 'a', stars: 6 } }),
  await app.inject({ url: '/missing/', headers }),
  await app.inject({ url: '/page/', headers: { ...headers, accept: 'text/html' } }),
  await app.inject({ url: '/nothing/', headers }),
  await bookshelf.inject({
    method: 'POST',
    url: '/books/',
    headers: { ...headers, authorization: `Basic ${btoa('ann:secret')}` },
    payload: { title: 'Emma' },
  }),
]
const rows = await database.transaction(({ kysely }: { kysely: Kysely<{ notes: { title: string; stars: number } }> }) =>
  kysely
    .withPlugin(new CamelCasePlugin())
    .selectFrom('notes')
    .select(sql<string>`${sql.ref('notes.title')} || ${kysely.selectFrom('notes').select('stars')}`.as('title_stars'))
    .where(expressionBuilder<{ notes: { title: string; stars: number } }, 'notes'>()('stars', '=', 5))
    .execute(),
)
console.log(JSON.stringify([...responses.map(({ statusCode, payload }) => [statusCode, payload]), rows]))
await Promise.all([app.close(), bookshelf.close()])
