// Conduit, the API of RealWorld (https://github.com/gothinkster/realworld): a blog with users, articles, comments, favorites and
// a feed. Start it with `node examples/conduit/conduit.ts`; in production, with a SECRET_KEY.

import Fastify from 'fastify'
import { createApi, type Database, fastifyOptions, limitOffset, migrate, openDatabase, tokenScheme } from 'resource-api'
import { articles, comments } from './articles.ts'
import { handleException, messages } from './errors.ts'
import { type Caller, type Member, schema } from './tables.ts'
import { tags } from './tags.ts'
import { findByToken } from './tokens.ts'
import { profiles, user, users } from './users.ts'

/** Creates the application, whose API is below `/api`. */
export async function createConduit(database: Database) {
  await migrate(database, [schema])

  async function find(token: string) {
    const columns = ['id', 'username', 'password_hash'] as const
    const found = await findByToken(token, id =>
      database.kysely.selectFrom('users').select(columns).where('id', '=', id).executeTakeFirst(),
    )
    if (found === undefined) return undefined
    const { id, username } = found
    return { user: { id, username, isAuthenticated: true, isActive: true, isStaff: false } satisfies Member, token }
  }

  const app = Fastify(fastifyOptions())
  const api = createApi<Caller>({
    database,
    resources: [users, user, profiles, articles, comments],
    views: { '/tags': tags },
    trailingSlash: false,
    openapi: { title: 'Conduit', license: { name: 'MIT', identifier: 'MIT' } },
    authentication: [tokenScheme({ find })],
    pagination: limitOffset({ defaultLimit: 20, maxLimit: 100 }),
    exceptionHandler: handleException,
    nonFieldErrorsKey: 'body',
    messages,
  })
  await app.register(api, { prefix: '/api' })
  return app
}

if (import.meta.main) {
  const { DATABASE_URL = 'sqlite:conduit.db', PORT = '3000' } = process.env
  const app = await createConduit(openDatabase(DATABASE_URL))
  console.log(`${await app.listen({ port: Number(PORT) })}/api`)
}
