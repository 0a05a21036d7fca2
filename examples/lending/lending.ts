import Fastify from 'fastify'
import { sql } from 'kysely'
import {
  authenticated,
  authenticatedOrReadOnly,
  createApi,
  date,
  hyperlinkedIdentity,
  jsonRenderer,
  migrate,
  objectView,
  openDatabase,
  related,
  staff,
  type TokenOptions,
  tokenScheme,
  ValidationError,
  type ViewOptions,
} from 'resource-api'
import { z } from 'zod'
import { AlreadyLent, csv, daily } from './policies.ts'
import { authorTable, bookTable, listView, resource, schema } from './tables.ts'

const authors = resource('authors', {
  table: authorTable,
  fields: { url: hyperlinkedIdentity(), ...authorTable.pick('name', 'born') },
})

const books = (today: () => string) =>
  resource('books', {
    table: bookTable,
    ordering: ['title'],
    fields: {
      url: hyperlinkedIdentity(),
      ...bookTable.pick('title'),
      isbn: z.string().regex(/^97[89]\d{10}$/, 'An ISBN has 13 digits.'),
      ...bookTable.pick('year'),
      author: related(authors),
      ...bookTable.pick('due'),
    },
    perAction: { list: { shows: ['url', 'title'] } },
    nestedUnder: [{ parent: authors, column: 'author_id' }],
    async validate({ values: { year, author }, connection: { kysely } }) {
      const found = await kysely.selectFrom('authors').select('born').where('id', '=', author).executeTakeFirst()
      if (found && year < found.born) throw new ValidationError({ year: `The author was born in ${found.born}.` })
    },
    listViews: { overdue: overdue(today) },
    objectViews: { borrow: borrow(today) },
  })

const overdue = (today: () => string) =>
  listView({
    permissions: [staff],
    renderers: [jsonRenderer, csv],
    handlers: {
      async GET({ database: { kysely } }) {
        const columns = ['title', 'borrower', sql<string>`cast(due as text)`.as('due')] as const
        const late = kysely.selectFrom('books').select(columns).where('due', '<', today()).orderBy('due')
        return { status: 200, body: await late.execute() }
      },
    },
  })

const borrow = (today: () => string) =>
  objectView({
    permissions: [authenticated],
    body: { until: date() },
    handlers: {
      POST: {
        throttles: [daily(3, today)],
        async handle({ database, key, user, body: { until }, represent }) {
          if (until! < today()) throw new ValidationError({ until: 'That day has passed.' })
          const lent = await database.transaction(({ kysely }) => {
            const change = { due: until, borrower: user.username }
            const free = kysely.updateTable('books').set(change).where('id', '=', key).where('due', 'is', null)
            return free.returning('id').execute()
          })
          if (lent.length === 0) throw new AlreadyLent()
          return { status: 200, body: await represent(key) }
        },
      },
    },
  })

/** A sign at the door, which staff can turn around. */
function sign(): ViewOptions {
  let open = false
  const turn = (side: boolean) => () => {
    open = side
    return { status: 204 }
  }
  return {
    name: 'Sign',
    handlers: {
      GET: () => ({ status: 200, body: { open } }),
      PUT: { permissions: [staff], handle: turn(true) },
      DELETE: { permissions: [staff], handle: turn(false) },
    },
  }
}

export async function createLending(databaseUrl: string, find: TokenOptions['find'], clock = () => new Date()) {
  const database = openDatabase(databaseUrl)
  await migrate(database, [schema])
  const app = Fastify()
  app.addHook('onClose', () => database.close())
  const resources = [authors, books(() => clock().toISOString().slice(0, 10))]
  const [authentication, permissions] = [[tokenScheme({ find })], [authenticatedOrReadOnly]]
  await app.register(
    createApi({ database, resources, views: { '/sign/': sign() }, authentication, permissions, clock }),
  )
  return app
}
