// Lists of a table with a million rows, as a process: `node million-server.ts <URL of the database> <rows>`. It fills an empty database,
// sends its port, and replies to each message with its memory.

import Fastify from 'fastify'
import { sql } from 'kysely'
import { choice, createApi, fastifyOptions, key, migrate, openDatabase, pageNumber, resource, text } from 'resource-api'

const statuses = ['open', 'paid', 'shipped', 'returned'] as const
const [url, rows] = process.argv.slice(2) as [string, string]

const database = openDatabase(url)
await migrate(database, [
  {
    owner: 'bench',
    steps: {
      async '0001_entries'(kysely, { key, text }) {
        await kysely.schema
          .createTable('entries')
          .addColumn('id', key)
          .addColumn('title', text, column => column.notNull())
          .addColumn('status', text, column => column.notNull())
          .execute()
      },
      async '0002_rows'(kysely) {
        const status = statuses.map((name, index) => `when ${index} then '${name}'`).join(' ')
        await sql
          .raw(`insert into entries (title, status)
            with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${rows})
            select 'Entry ' || n, case n % ${statuses.length} ${status} end from numbers`)
          .execute(kysely)
      },
    },
  },
])
const list = {
  table: 'entries',
  fields: { id: key(), title: text(), status: choice(statuses) },
  filters: { status: true },
} as const
const resources = [
  resource('exact', { ...list, pagination: pageNumber({ pageSize: 10 }) }),
  resource('bounded', { ...list, pagination: pageNumber({ pageSize: 10, count: { atMost: 10_000 } }) }),
  resource('uncounted', { ...list, pagination: pageNumber({ pageSize: 10, count: 'none' }) }),
  resource('all', { ...list, pagination: null }),
]
const app = Fastify(fastifyOptions())
await app.register(createApi({ database, resources }))
process.send!(Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port))
process.on('message', () => process.send!(process.memoryUsage.rss()))
process.on('disconnect', () => process.exit())
