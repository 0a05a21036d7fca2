// A custom authentication scheme: programs send an API key in the header field `X-Api-Key`. The table stores only digests
// of the keys, so a leaked table reveals no key.

import { hash, randomBytes } from 'node:crypto'
import { type FastifyInstance, fastify } from 'fastify'
import { authenticated, createApi, key, migrate, openDatabase, resource, text } from 'resource-api'
import { failure, type Scheme, skip, success } from 'resource-api/extend'
import { type TablesOf, table, tables } from 'resource-api/tables'

/** Finds the owner of a key; undefined if the key is unknown. */
export type FindKey = (key: string) => Promise<{ id: number; name: string } | undefined>

/**
 * A request without a key is skipped, and the next scheme is tried; a wrong key ends the request; a valid key identifies the
 * caller and provides the authentication information. With a challenge, refusals are 401; without one they would be 403.
 * `reads` adds the header field to `Vary`, so that caches know that responses depend on the key.
 */
export const apiKeyScheme = (find: FindKey): Scheme => ({
  name: 'api-key',
  challenge: 'ApiKey',
  varyOn: ['x-api-key'],
  async authenticate({ headers }) {
    const key = headers['x-api-key']
    if (key === undefined) return skip
    const owner = await find(String(key))
    if (owner === undefined) return failure('Invalid API key.')
    const user = { isAuthenticated: true, id: owner.id, username: owner.name, isStaff: false }
    return success(user, { kind: 'api-key' })
  },
})

const readingTable = table('readings', {
  columns: { id: key(), station: text({ max: 50 }), value: text({ max: 20 }) },
})

const apiKeys = table('api_keys', {
  columns: { id: key(), name: text(), digest: text({ unique: 'There is such a key.' }) },
})

const schema = tables({ owner: 'station', tables: [readingTable, apiKeys] })

const readings = resource('readings', { table: readingTable, fields: readingTable.pick('station', 'value') })

/** An API to which weather stations send their measurements; `addKey` creates a key for a program. */
export async function createStation(
  databaseUrl: string,
): Promise<{ app: FastifyInstance; addKey(name: string): Promise<string> }> {
  const database = openDatabase<TablesOf<typeof schema>>(databaseUrl)
  await migrate(database, [schema])
  const find: FindKey = key => {
    const keys = database.kysely.selectFrom('api_keys').select(['id', 'name'])
    return keys.where('digest', '=', hash('sha256', key)).executeTakeFirst()
  }
  const app = fastify()
  app.addHook('onClose', () => database.close())
  await app.register(
    createApi({
      database,
      resources: [readings],
      authentication: [apiKeyScheme(find)],
      permissions: [authenticated],
    }),
  )
  return {
    app,
    async addKey(name) {
      const key = randomBytes(32).toString('base64url')
      await database.transaction(({ kysely }) =>
        kysely
          .insertInto('api_keys')
          .values({ name, digest: hash('sha256', key) })
          .execute(),
      )
      return key
    },
  }
}

if (import.meta.main) {
  const { app, addKey } = await createStation('sqlite:station.db')
  console.log(`${await app.listen({ port: 8002 })}, with the key ${await addKey('a program')}`)
}
