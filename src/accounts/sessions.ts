// Login sessions (AUTH-SCH-r3), stored in the database so that they can be ended: at logout, when the password changes,
// and when the account is deleted. Only a digest of the session id is stored, never the id.

import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import {
  type Connection,
  compile,
  type Database,
  formatDateTime,
  InsufficientStorage,
  parameter,
  ServiceUnavailable,
  type Statement,
} from '#core'
import { accountsKysely } from './tables.ts'
import { maxLifetime } from './tokens/named-tokens.ts'
import { toUser, type User, type UserRow, userColumns } from './user.ts'

export interface SessionsOptions {
  readonly database: Database
  /** In seconds; default two weeks. */
  readonly lifetime?: number
  /**
   * Seconds without a request after which a session ends, at least 120. Default: `lifetime`; the time of last use is
   * then not recorded.
   */
  readonly idle?: number | undefined
  readonly clock?: () => Date
}

/** A session is valid if it was created and last used after these times. */
export interface SessionBounds {
  readonly createdAfter: string
  readonly lastUsedAfter: string
}

/** The session of a person at an OpenID Connect provider. */
export interface ProviderSession {
  readonly issuer: string
  readonly subject: string
  /** The key of the session at the provider; null if it has none. */
  readonly sid: string | null
}

export interface Sessions {
  /** In seconds. */
  readonly lifetime: number
  /** In seconds; equal to `lifetime` if the time of last use is not recorded. */
  readonly idle: number
  bounds(): SessionBounds
  /**
   * Starts a session and returns its id; undefined if the user is inactive or deleted. With `passwordHash`, also
   * undefined if that is no longer the user's password hash. With `provider`, the session ends when this provider says so.
   */
  start(userId: number, passwordHash?: string, provider?: ProviderSession): Promise<string | undefined>
  /** Returns the user of a valid session, if the user is active. */
  find(id: string): Promise<User | undefined>
  end(id: string): Promise<void>
  endAll(userId: number, connection: Connection): Promise<void>
}

const twoWeeks = 14 * 24 * 60 * 60
/** In seconds: how often the last use of a session is recorded, and how often expired sessions are deleted. */
const [lastUsedInterval, sweepInterval] = [60, 60 * 60]

/**
 * Creates the sessions of a database with the tables of `accountTables`. Throws a RangeError if a duration is too
 * short, or too long for a date-time column.
 *
 * @example
 * const sessions = createSessions({ database, idle: 60 * 60 })
 * const scheme = sessionScheme({ find: sessions.find, csrf: createCsrf({ secret }) })
 */
export function createSessions(options: SessionsOptions): Sessions {
  const { database, lifetime = twoWeeks, idle = lifetime, clock = () => new Date() } = options
  checkDuration('lifetime', lifetime, 60)
  if (idle !== lifetime) checkDuration('idle', idle, 120)
  const statements = compileStatements(database)
  let lastSweep = Number.NEGATIVE_INFINITY

  const computeTimes = (moment: number) => ({
    now: formatTime(moment),
    createdAfter: formatTime(moment - 1000 * lifetime),
    lastUsedAfter: formatTime(moment - 1000 * idle),
  })
  const deleteExpired = async (moment: number) => {
    if (moment - lastSweep < 1000 * sweepInterval) return
    lastSweep = moment
    const { createdAfter, lastUsedAfter } = computeTimes(moment)
    await database.write(statements.deleteExpired, { createdAfter, lastUsedAfter })
  }

  return {
    lifetime,
    idle,
    bounds: () => computeTimes(clock().getTime()),
    async start(userId, passwordHash, provider) {
      const moment = clock().getTime()
      await deleteExpired(moment)
      const id = randomBytes(32).toString('base64url')
      const { now } = computeTimes(moment)
      return database.transaction(async connection => {
        if (!(await recordLogin(connection, { userId, passwordHash, now }))) return undefined
        const row = { digest: hashId(id), user_id: userId, created: now, last_used: now }
        const tables = accountsKysely(connection)
        const { id: key } = await tables.insertInto('sessions').values(row).returning('id').executeTakeFirstOrThrow()
        if (provider !== undefined)
          await tables
            .insertInto('provider_sessions')
            .values({ session_id: key, ...provider })
            .execute()
        return id
      })
    },
    async find(id) {
      if (!idPattern.test(id)) return undefined
      const moment = clock().getTime()
      const { now, createdAfter, lastUsedAfter } = computeTimes(moment)
      const [digest, dueBefore] = [hashId(id), formatTime(moment - 1000 * lastUsedInterval)]
      const row = await database.latest(statements.find, { digest, createdAfter, lastUsedAfter, dueBefore })
      if (row === undefined) return undefined
      if (idle < lifetime && row.at(-1))
        await database.write(statements.updateLastUsed, { digest, now, dueBefore }).catch(ignoreUnavailable)
      return toUser(row as unknown as UserRow)
    },
    async end(id) {
      if (idPattern.test(id)) await database.write(statements.end, { digest: hashId(id) })
    },
    endAll: endSessions,
  }
}

/** Ends every session of the user. */
export async function endSessions(userId: number, connection: Connection): Promise<void> {
  await accountsKysely(connection).deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** Ends the sessions of an issuer that match `subject` and `sid`; an undefined one matches all. The caller gives at least one. */
export async function endProviderSessions(
  { issuer, subject, sid }: Pick<ProviderSession, 'issuer'> & Readonly<Record<'subject' | 'sid', string | undefined>>,
  connection: Connection,
): Promise<void> {
  const tables = accountsKysely(connection)
  const ofIssuer = tables.selectFrom('provider_sessions').select('session_id').where('issuer', '=', issuer)
  const ofSubject = subject === undefined ? ofIssuer : ofIssuer.where('subject', '=', subject)
  const named = sid === undefined ? ofSubject : ofSubject.where('sid', '=', sid)
  await tables.deleteFrom('sessions').where('id', 'in', named).execute()
}

// If the disk is full or the database is overloaded, the request continues; a later one records the use.
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof InsufficientStorage || error instanceof ServiceUnavailable)) throw error
}

// 256 bits in base64url.
const idPattern = /^[\w-]{43}$/

/** The digest by which a session is stored. */
export const hashId = (id: string): string => hash('sha256', id)

const formatTime = (moment: number): string => formatDateTime(new Date(moment))!

function compileStatements(database: Database) {
  const columns = sql.join(userColumns.map(column => sql.ref(`users.${column}`)))
  const hasDigest = sql`sessions.digest = ${parameter('digest')}`
  const isUpdateDue = sql`sessions.last_used < ${parameter('dueBefore')}`
  const find: Statement<readonly [...UserRow, isUpdateDue: boolean | number]> = compile(
    database,
    sql`select ${columns}, ${isUpdateDue} from sessions join users on users.id = sessions.user_id where ${hasDigest} and users.is_active and sessions.created > ${parameter('createdAfter')} and sessions.last_used > ${parameter('lastUsedAfter')}`,
  )
  return {
    find,
    updateLastUsed: compile(
      database,
      sql`update sessions set last_used = ${parameter('now')} where ${hasDigest} and ${isUpdateDue}`,
    ),
    end: compile(database, sql`delete from sessions where ${hasDigest}`),
    deleteExpired: compile(
      database,
      sql`delete from sessions where created <= ${parameter('createdAfter')} or last_used <= ${parameter('lastUsedAfter')}`,
    ),
  }
}

// Locks the user's row. Waits for a change of the user that is in progress; a later change waits until the session is
// stored, so it can end the session. Returns false if the user cannot log in.
async function recordLogin(
  connection: Connection,
  {
    userId,
    passwordHash,
    now,
  }: { readonly userId: number; readonly passwordHash?: string | undefined; readonly now: string },
): Promise<boolean> {
  const update = accountsKysely(connection).updateTable('users').set({ last_login: now }).where('id', '=', userId)
  const active = update.where('is_active', '=', sql<boolean>`true`)
  const own = passwordHash === undefined ? active : active.where('password', '=', passwordHash)
  return (await own.returning('id').executeTakeFirst()) !== undefined
}

function checkDuration(name: string, seconds: number, minimum: number): void {
  if (Number.isSafeInteger(seconds) && seconds >= minimum && seconds <= maxLifetime) return
  throw new RangeError(
    `createSessions(): ${name} is ${seconds}; use a whole number of seconds from ${minimum} to ${maxLifetime}`,
  )
}
