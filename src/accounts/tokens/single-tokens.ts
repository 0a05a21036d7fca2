// Tokens: one per user, without expiry (AUTH-SCH-3). At rest there is a digest to find a token by, and the key sealed
// under the service's secret, so that the token endpoint can answer the same key again.

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import {
  type Connection,
  compile,
  type Database,
  parameter,
  type Statement,
} from '../../framework/database/database.ts'
import { formatDateTime } from '../../framework/fields/date-time.ts'
import { createEncryption } from '../encryption.ts'
import { accountTables } from '../tables.ts'
import { toUser, type UserRow, userColumns } from '../user.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface TokensOptions {
  readonly database: Database
  /** The service's secret, 32 characters or more. */
  readonly secret: string
  readonly clock?: () => Date
}

export interface Tokens extends TokenIssuer {
  /** The key of the user's token, which is made when there is none. */
  getOrCreate(userId: number, connection: Connection): Promise<string>
  /** A new key; the one before it is worth nothing from now on. `key` is for data that brings its own. */
  regenerate(userId: number, connection: Connection, key?: string): Promise<string>
}

export function createSingleTokens({ database, secret, clock = () => new Date() }: TokensOptions): Tokens {
  const sealer = createEncryption(secret)
  const byDigest: Statement<UserRow> = compile(
    database,
    sql`select ${sql.join(userColumns.map(column => sql.ref(`users.${column}`)))} from tokens join users on users.id = tokens.user_id where tokens.digest = ${parameter('digest')}`,
  )
  const tokenRow = (userId: number, key: string) => ({
    user_id: userId,
    digest: sealer.digest(key),
    sealed: sealer.seal(key, String(userId)),
    created: formatDateTime(clock())!,
  })
  const regenerate: Tokens['regenerate'] = async (userId, connection, key = newKey()) => {
    const { user_id, ...values } = tokenRow(userId, key)
    await accountTables(connection)
      .insertInto('tokens')
      .values({ user_id, ...values })
      .onConflict(conflict => conflict.column('user_id').doUpdateSet(values))
      .execute()
    return key
  }
  const current = async (userId: number, connection: Connection) => {
    const row = await accountTables(connection)
      .selectFrom('tokens')
      .select('sealed')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    return row && sealer.unseal(row.sealed, String(userId))
  }
  const getOrCreate: Tokens['getOrCreate'] = async (userId, connection) => {
    const known = await current(userId, connection)
    if (known !== undefined) return known
    await accountTables(connection)
      .insertInto('tokens')
      .values(tokenRow(userId, newKey()))
      .onConflict(conflict => conflict.doNothing())
      .execute()
    // A key that was sealed under another secret cannot be shown again: it is replaced.
    return (await current(userId, connection)) ?? regenerate(userId, connection)
  }

  return {
    fields: {},
    async find(key) {
      const row = await database.latest(byDigest, { digest: sealer.digest(key) })
      return row && { user: toUser(row), token: { userId: row[0] } }
    },
    getOrCreate,
    regenerate,
    issue: async (userId, _wanted, connection) => ({
      id: userId,
      key: await getOrCreate(userId, connection),
      details: {},
    }),
    reissue: regenerate,
    async revokeAll(userId, connection) {
      await accountTables(connection).deleteFrom('tokens').where('user_id', '=', userId).execute()
    },
    settle: async () => undefined,
  }
}

// 40 hexadecimal characters: 160 bits.
const newKey = (): string => randomBytes(20).toString('hex')
