// One token per user, without expiry (AUTH-SCH-3). The database stores a digest for lookup, and the token encrypted
// with the service's secret, so that the token endpoint can return the same token again.

import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Connection, compile, type Database, formatDateTime, parameter, type Statement } from '#core'
import { createEncryption, type Secrets } from '../encryption.ts'
import { accountsKysely } from '../tables.ts'
import { toUser, type UserRow, userColumns } from '../user.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface SingleTokensOptions {
  readonly database: Database
  /** The service's secrets, each of at least 32 characters. */
  readonly secrets: Secrets
  readonly clock?: () => Date
}

export interface TokenStore extends TokenIssuer {
  /** Returns the user's token, and creates it if the user has none. */
  getOrCreate(userId: number, connection: Connection): Promise<string>
  /** Replaces the user's token with `token` (set by imports) or a new random token, and returns it. */
  regenerate(userId: number, connection: Connection, token?: string): Promise<string>
}

export function createSingleTokens({ database, secrets, clock = () => new Date() }: SingleTokensOptions): TokenStore {
  const encryption = createEncryption(secrets)
  const findByDigest: Statement<UserRow> = compile(
    database,
    sql`select ${sql.join(userColumns.map(column => sql.ref(`users.${column}`)))} from tokens join users on users.id = tokens.user_id where tokens.digest = ${parameter('digest')}`,
  )
  const createRow = (userId: number, token: string) => ({
    user_id: userId,
    digest: encryption.digest(token),
    sealed: encryption.encrypt(token, String(userId)),
    created: formatDateTime(clock())!,
  })
  const regenerate: TokenStore['regenerate'] = async (userId, connection, token = createRandomToken()) => {
    const { user_id, ...values } = createRow(userId, token)
    await accountsKysely(connection)
      .insertInto('tokens')
      .values({ user_id, ...values })
      .onConflict(conflict => conflict.column('user_id').doUpdateSet(values))
      .execute()
    return token
  }
  const readToken = async (userId: number, connection: Connection) => {
    const row = await accountsKysely(connection)
      .selectFrom('tokens')
      .select('sealed')
      .where('user_id', '=', userId)
      .executeTakeFirst()
    if (row === undefined || row.sealed === lostToken) return undefined
    const token = encryption.decrypt(row.sealed, String(userId))
    if (token === undefined) throw new UnreadableToken(userId)
    return token
  }
  const getOrCreate: TokenStore['getOrCreate'] = async (userId, connection) => {
    const token = await readToken(userId, connection)
    if (token !== undefined) return token
    await accountsKysely(connection)
      .insertInto('tokens')
      .values(createRow(userId, createRandomToken()))
      .onConflict(conflict => conflict.doNothing())
      .execute()
    // If the existing token is marked as lost, the insert did nothing, and the token is regenerated.
    return (await readToken(userId, connection)) ?? regenerate(userId, connection)
  }

  return {
    fields: {},
    find(token) {
      const finding = database.latest(findByDigest, { digest: encryption.digest(token) })
      return finding instanceof Promise ? finding.then(toOwner) : toOwner(finding)
    },
    getOrCreate,
    regenerate,
    issue: async (userId, _values, connection) => ({
      id: userId,
      token: await getOrCreate(userId, connection),
      details: {},
    }),
    reissue: regenerate,
    async revokeAll(userId, connection) {
      await accountsKysely(connection).deleteFrom('tokens').where('user_id', '=', userId).execute()
    },
    settle: async () => undefined,
  }
}

const toOwner = (row: UserRow | undefined) => row && { user: toUser(row), token: { userId: row[0] } }

/**
 * Stored instead of the encrypted token if the secret that encrypted it is lost. The token can no longer be shown, but
 * stays valid until it is regenerated.
 */
export const lostToken = ''

/** The token was encrypted with a secret that this process lacks. Unlike a lost token, it is not regenerated. */
export class UnreadableToken extends Error {
  override name = 'UnreadableToken'
  constructor(userId: number) {
    super(
      `the token of user ${userId} was encrypted with a secret that this process does not have: add that secret to SECRET_KEY_FALLBACKS, or replace the token`,
    )
  }
}

// 40 hexadecimal characters: 160 bits.
const createRandomToken = (): string => randomBytes(20).toString('hex')
