// Several tokens per user, each with a name and optionally an expiry. A token is shown once; the database stores only
// its digest. Tokens of single-tokens.ts stay valid.

import { hash } from 'node:crypto'
import { sql } from 'kysely'
import {
  type Connection,
  compile,
  createBoundedMap,
  type Database,
  formatDateTime,
  integer,
  isPromise,
  NotFound,
  parameter,
  type Statement,
  text,
  ValidationError,
} from '#core'
import { accountMessages } from '../messages.ts'
import { accountsKysely } from '../tables.ts'
import { toUser, type UserRow, userColumns } from '../user.ts'
import type { TokenStore } from './single-tokens.ts'
import { createNamedToken, isNamedToken } from './token-format.ts'
import type { Token } from './token-issuer.ts'

/** A named token as authentication information. */
export interface NamedToken extends Token {
  readonly id: number
  readonly name: string
}

export interface NamedTokensOptions {
  readonly database: Database
  /** The single tokens of users, which stay valid. */
  readonly singleTokens: TokenStore
  /** Letters and digits, followed by `_`. Tokens with an earlier prefix stay valid. */
  readonly prefix: string
  /** The default and maximum lifetime in seconds; null for tokens that do not expire. */
  readonly lifetime: number | null
  /** The maximum number of tokens per user; expired tokens do not count. */
  readonly maxTokens: number
  readonly clock?: () => Date
}

/** In seconds: a hundred years, so that every date-time column can store the expiry. */
export const maxLifetime = 3_155_760_000
/** In milliseconds: `last_used` is written at most this often per token. */
const lastUsedInterval = 60_000

export function createNamedTokens(options: NamedTokensOptions): TokenStore {
  const { database, singleTokens: single, prefix, lifetime, maxTokens, clock = () => new Date() } = options
  const findByDigest = compileFindByDigest(database)
  const lastUsedWriter = createLastUsedWriter(database)
  /** Formats the current time plus `offset` milliseconds for a date-time column. */
  const formatNow = (offset = 0) => formatDateTime(new Date(clock().getTime() + offset))!
  const createRow = (seconds: number | null) => {
    const token = createNamedToken(prefix)
    const expires = seconds === null ? null : formatNow(seconds * 1000)
    return { token, row: { digest: hashToken(token), created: formatNow(), expires, last_used: null } }
  }
  const toOwner = (row: FoundRow | undefined) => {
    if (row === undefined) return undefined
    const [id, name, expires, lastUsed, ...user] = row
    if (expires !== null && expires <= formatNow()) return undefined
    const cutoff = formatNow(-lastUsedInterval)
    if (lastUsed === null || lastUsed <= cutoff) lastUsedWriter.record(id, formatNow(), cutoff)
    const namedToken: NamedToken = { userId: user[0], id, name }
    return { user: toUser(user), token: namedToken }
  }
  const findNamed: TokenStore['find'] = token => {
    const finding = database.latest(findByDigest, { digest: hashToken(token) })
    return isPromise(finding) ? finding.then(toOwner) : toOwner(finding)
  }

  return {
    ...single,
    fields: {
      name: text({ max: 100, blank: true, default: '', label: accountMessages('label.name') }),
      expires_in: integer({
        min: 1,
        max: lifetime ?? maxLifetime,
        nullable: true,
        label: accountMessages('label.expires_in'),
      }),
    },
    find(token) {
      if (isNamedToken(token)) return findNamed(token)
      // A token with this prefix and a wrong checksum needs no query.
      return token.startsWith(prefix) ? undefined : single.find(token)
    },
    async issue(userId, values: TokenValues, connection) {
      const { name = '', expires_in: seconds } = values
      const { token, row } = createRow(seconds ?? lifetime)
      const table = accountsKysely(connection)
      await lockUser(userId, connection)
      await table.deleteFrom('named_tokens').where('user_id', '=', userId).where('expires', '<=', formatNow()).execute()
      if ((await countTokens(userId, connection)) >= maxTokens) throw createTooManyError(maxTokens)
      const { id } = await table
        .insertInto('named_tokens')
        .values({ ...row, user_id: userId, name })
        .returning('id')
        .executeTakeFirstOrThrow()
      return { id, token, details: { id, name, created: row.created, expires: row.expires } }
    },
    async reissue(id, connection) {
      const { token, row } = createRow(lifetime)
      const update = accountsKysely(connection).updateTable('named_tokens').set(row).where('id', '=', id)
      await update.returning('id').executeTakeFirstOrThrow(() => new NotFound())
      return token
    },
    async revokeAll(userId, connection) {
      await accountsKysely(connection).deleteFrom('named_tokens').where('user_id', '=', userId).execute()
      await single.revokeAll(userId, connection)
    },
    settle: lastUsedWriter.settle,
  }
}

// Locks the user's row, so that concurrent requests cannot exceed the maximum number of tokens.
async function lockUser(userId: number, connection: Connection): Promise<void> {
  const update = accountsKysely(connection).updateTable('users')
  await update
    .set(({ ref }) => ({ id: ref('id') }))
    .where('id', '=', userId)
    .execute()
}

async function countTokens(userId: number, connection: Connection): Promise<number> {
  const tokens = accountsKysely(connection).selectFrom('named_tokens').where('user_id', '=', userId)
  const { count } = await tokens.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

const createTooManyError = (maxTokens: number): ValidationError =>
  new ValidationError(
    maxTokens === 1 ? accountMessages('max_tokens.one') : accountMessages('max_tokens.many', { max: maxTokens }),
  )

interface TokenValues {
  readonly name?: string
  readonly expires_in?: number | null
}

type FoundRow = readonly [id: number, name: string, expires: string | null, lastUsed: string | null, ...user: UserRow]

const hashToken = (token: string): string => hash('sha256', token)

function compileFindByDigest(database: Database): Statement<FoundRow> {
  const selectDateTime = (column: string) => database.dialect.dateTime(sql.ref(`named_tokens.${column}`))
  const user = sql.join(userColumns.map(column => sql.ref(`users.${column}`)))
  return compile(
    database,
    sql`select named_tokens.id, named_tokens.name, ${selectDateTime('expires')}, ${selectDateTime('last_used')}, ${user} from named_tokens join users on users.id = named_tokens.user_id where named_tokens.digest = ${parameter('digest')}`,
  )
}

interface LastUsedWriter {
  /** Writes `last_used` in the background, unless a use later than `cutoff` is already recorded. */
  record(id: number, now: string, cutoff: string): void
  settle(): Promise<void>
}

const maxCachedUses = 10_000

function createLastUsedWriter(database: Database): LastUsedWriter {
  const update = compile(
    database,
    sql`update named_tokens set last_used = ${parameter('now')} where id = ${parameter('id')} and (last_used is null or last_used <= ${parameter('cutoff')})`,
  )
  // Avoids a second write by a concurrent request that read the token before the first write.
  const recorded = createBoundedMap<number, string>({ maxSize: maxCachedUses })
  const pending = new Set<Promise<void>>()
  const write = async (id: number, now: string, cutoff: string) => {
    try {
      await database.write(update, { id, now, cutoff })
    } catch {
      // The use is not recorded; a later use will be.
    }
  }
  return {
    record(id, now, cutoff) {
      if ((recorded.get(id) ?? '') > cutoff) return
      recorded.set(id, now)
      const done = write(id, now, cutoff).finally(() => pending.delete(done))
      pending.add(done)
    },
    settle: async () => {
      await Promise.all(pending)
    },
  }
}
