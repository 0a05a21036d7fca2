// Several tokens per user, each with a name, and with an end where it is given one. Their keys are shown once: at rest
// there is only a digest. A user's one specified token (tokens.ts) goes on working beside them.

import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { createBoundedMap } from '../../framework/bounded-map.ts'
import {
  type Connection,
  compile,
  type Database,
  parameter,
  type Statement,
} from '../../framework/database/database.ts'
import { NotFound, ValidationError } from '../../framework/errors/exceptions.ts'
import { formatDateTime } from '../../framework/fields/date-time.ts'
import { integer } from '../../framework/fields/integer.ts'
import { text } from '../../framework/fields/text.ts'
import { accountTables } from '../tables.ts'
import { toUser, type UserRow, userColumns } from '../user.ts'
import type { Tokens } from './single-tokens.ts'
import { createTokenKey, isTokenKey } from './token-format.ts'
import type { Token } from './token-issuer.ts'

/** A named token as authentication information. */
export interface NamedToken extends Token {
  readonly id: number
  readonly name: string
}

export interface NamedTokensOptions {
  readonly database: Database
  /** The tokens beside them, one per user. */
  readonly single: Tokens
  /** What keys begin with: letters, digits and `_` at the end. Keys of another prefix go on working. */
  readonly prefix: string
  /** In seconds: how long a token is good for, and the most that a caller may ask for; null for no end. */
  readonly lifetime: number | null
  /** The most tokens of one user; those that have expired do not count. */
  readonly most: number
  readonly clock?: () => Date
}

/** A hundred years, in seconds: an end that every date-time column holds. */
export const longestLifetime = 3_155_760_000
// In milliseconds.
const notedEvery = 60_000

/** The tokens of users who have several. */
export function createNamedTokens(options: NamedTokensOptions): Tokens {
  const { database, single, prefix, lifetime, most, clock = () => new Date() } = options
  const byDigest = compileSearch(database)
  const uses = createUses(database)
  /** The moment, or one so many milliseconds after it, as a date-time column keeps it. */
  const moment = (after = 0) => formatDateTime(new Date(clock().getTime() + after))!
  const newRow = (seconds: number | null) => {
    const key = createTokenKey(prefix)
    const expires = seconds === null ? null : moment(seconds * 1000)
    return { key, row: { digest: digest(key), created: moment(), expires, last_used: null } }
  }
  const findNamed: Tokens['find'] = async key => {
    const row = await database.latest(byDigest, { digest: digest(key) })
    if (row === undefined) return undefined
    const [id, name, expires, lastUsed, ...user] = row
    if (expires !== null && expires <= moment()) return undefined
    if (lastUsed === null || lastUsed <= moment(-notedEvery)) uses.note(id, moment(), moment(-notedEvery))
    const token: NamedToken = { userId: user[0], id, name }
    return { user: toUser(user), token }
  }

  return {
    ...single,
    fields: {
      name: text({ max: 100, blank: true, default: '' }),
      expires_in: integer({
        min: 1,
        max: lifetime ?? longestLifetime,
        nullable: true,
        label: 'Seconds until it expires',
      }),
    },
    async find(key) {
      if (isTokenKey(key)) return findNamed(key)
      // Its checksum is wrong: the database need not be asked.
      return key.startsWith(prefix) ? undefined : single.find(key)
    },
    async issue(userId, wanted: Wanted, connection) {
      const { name = '', expires_in: seconds } = wanted
      const { key, row } = newRow(seconds ?? lifetime)
      const table = accountTables(connection)
      await lockUser(userId, connection)
      // Nobody misses those that have expired.
      await table.deleteFrom('named_tokens').where('user_id', '=', userId).where('expires', '<=', moment()).execute()
      if ((await countTokens(userId, connection)) >= most) throw tooMany(most)
      const { id } = await table
        .insertInto('named_tokens')
        .values({ ...row, user_id: userId, name })
        .returning('id')
        .executeTakeFirstOrThrow()
      return { id, key, details: { id, name, created: row.created, expires: row.expires } }
    },
    async reissue(id, connection) {
      const { key, row } = newRow(lifetime)
      const update = accountTables(connection).updateTable('named_tokens').set(row).where('id', '=', id)
      await update.returning('id').executeTakeFirstOrThrow(() => new NotFound())
      return key
    },
    async revokeAll(userId, connection) {
      await accountTables(connection).deleteFrom('named_tokens').where('user_id', '=', userId).execute()
      await single.revokeAll(userId, connection)
    },
    settle: uses.settle,
  }
}

// Tokens of one user are made one after the other, so that none is counted twice.
async function lockUser(userId: number, connection: Connection): Promise<void> {
  const update = accountTables(connection).updateTable('users')
  await update
    .set(({ ref }) => ({ id: ref('id') }))
    .where('id', '=', userId)
    .execute()
}

async function countTokens(userId: number, connection: Connection): Promise<number> {
  const tokens = accountTables(connection).selectFrom('named_tokens').where('user_id', '=', userId)
  const { count } = await tokens.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

const tooMany = (most: number): ValidationError =>
  new ValidationError(
    most === 1
      ? 'A user has at most 1 token: revoke it first.'
      : `A user has at most ${most} tokens: revoke one first.`,
    'max_tokens',
  )

interface Wanted {
  readonly name?: string
  readonly expires_in?: number | null
}

type FoundRow = readonly [id: number, name: string, expires: string | null, lastUsed: string | null, ...user: UserRow]

const digest = (key: string): string => hash('sha256', key)

function compileSearch(database: Database): Statement<FoundRow> {
  const shown = (column: string) => database.dialect.dateTime(sql.ref(`named_tokens.${column}`))
  const user = sql.join(userColumns.map(column => sql.ref(`users.${column}`)))
  return compile(
    database,
    sql`select named_tokens.id, named_tokens.name, ${shown('expires')}, ${shown('last_used')}, ${user} from named_tokens join users on users.id = named_tokens.user_id where named_tokens.digest = ${parameter('digest')}`,
  )
}

interface Uses {
  /** Notes that a token was used `now`, unless that is known of a moment after `before`. Nobody waits for it. */
  note(id: number, now: string, before: string): void
  settle(): Promise<void>
}

const mostRemembered = 10_000

function createUses(database: Database): Uses {
  const noted = compile(
    database,
    sql`update named_tokens set last_used = ${parameter('now')} where id = ${parameter('id')} and (last_used is null or last_used <= ${parameter('before')})`,
  )
  // A request may have read the token before another one noted it.
  const known = createBoundedMap<number, string>({ most: mostRemembered })
  const writing = new Set<Promise<void>>()
  const write = async (id: number, now: string, before: string) => {
    try {
      await database.write(noted, { id, now, before })
    } catch {
      // A later use is noted instead.
    }
  }
  return {
    note(id, now, before) {
      if ((known.get(id) ?? '') > before) return
      known.set(id, now)
      const written = write(id, now, before).finally(() => writing.delete(written))
      writing.add(written)
    },
    settle: async () => {
      await Promise.all(writing)
    },
  }
}
