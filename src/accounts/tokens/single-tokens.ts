// Tokens: one per user, without expiry (AUTH-SCH-3). At rest there is a digest to find a token by, and the token itself,
// encrypted with the service's secret, so that the token endpoint can answer the same token again.

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
import { createEncryption, type Secrets } from '../encryption.ts'
import { accountTables } from '../tables.ts'
import { toUser, type UserRow, userColumns } from '../user.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface TokensOptions {
  readonly database: Database
  /** The service's secrets, each of 32 characters or more. */
  readonly secrets: Secrets
  readonly clock?: () => Date
}

export interface Tokens extends TokenIssuer {
  /** The key of the user's token, which is made when there is none. */
  getOrCreate(userId: number, connection: Connection): Promise<string>
  /** A new key; the one before it is worth nothing from now on. `key` is for data that brings its own. */
  regenerate(userId: number, connection: Connection, key?: string): Promise<string>
}

export function createSingleTokens({ database, secrets, clock = () => new Date() }: TokensOptions): Tokens {
  const encryption = createEncryption(secrets)
  const byDigest: Statement<UserRow> = compile(
    database,
    sql`select ${sql.join(userColumns.map(column => sql.ref(`users.${column}`)))} from tokens join users on users.id = tokens.user_id where tokens.digest = ${parameter('digest')}`,
  )
  const tokenRow = (userId: number, key: string) => ({
    user_id: userId,
    digest: encryption.digest(key),
    sealed: encryption.encrypt(key, String(userId)),
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
    if (row === undefined || row.sealed === notKept) return undefined
    const key = encryption.decrypt(row.sealed, String(userId))
    if (key === undefined) throw new UnreadableToken(userId)
    return key
  }
  const getOrCreate: Tokens['getOrCreate'] = async (userId, connection) => {
    const known = await current(userId, connection)
    if (known !== undefined) return known
    await accountTables(connection)
      .insertInto('tokens')
      .values(tokenRow(userId, newKey()))
      .onConflict(conflict => conflict.doNothing())
      .execute()
    // A token whose secret is lost cannot be shown again: it is replaced.
    return (await current(userId, connection)) ?? regenerate(userId, connection)
  }

  return {
    fields: {},
    async find(key) {
      const row = await database.latest(byDigest, { digest: encryption.digest(key) })
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

/** In the place of a token's text that no secret decrypts any more: the token works until it is replaced. */
export const notKept = ''

/** Another process encrypted the token with a secret that this one does not have; it stays as it is. */
export class UnreadableToken extends Error {
  override name = 'UnreadableToken'
  constructor(userId: number) {
    super(
      `the token of user ${userId} was encrypted with a secret that this process does not have: list that in SECRET_KEY_FALLBACKS, or replace the token`,
    )
  }
}

// 40 hexadecimal characters: 160 bits.
const newKey = (): string => randomBytes(20).toString('hex')
