// Login sessions (AUTH-SCH-r3), kept by the service, so that it can end them: at logout, when the user's password
// changes, and with the account. At rest there is a digest of the id to find a session by, never the id.

import { hash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { type Connection, compile, type Database, parameter, type Statement } from '../framework/database/database.ts'
import { InsufficientStorage, ServiceUnavailable } from '../framework/errors/exceptions.ts'
import { formatDateTime } from '../framework/fields/date-time.ts'
import { accountTables } from './tables.ts'
import { longestLifetime } from './tokens/named-tokens.ts'
import { toUser, type User, type UserRow, userColumns } from './user.ts'

export interface SessionsOptions {
  readonly database: Database
  /** Seconds after which a session ends; default two weeks. */
  readonly lifetime?: number
  /** Seconds without a request after which it ends, 120 or more; default: its lifetime, so that no request writes. */
  readonly idle?: number | undefined
  readonly clock?: () => Date
}

/** When a session that is still good began, and was last used: later than this. */
export interface SessionBounds {
  readonly oldest: string
  readonly unused: string
}

export interface Sessions {
  /** In seconds. */
  readonly lifetime: number
  /** In seconds; as long as the lifetime where no use is noted. */
  readonly idle: number
  bounds(): SessionBounds
  /**
   * Begins a session and answers its id; undefined where the user may not log in. With `passwordHash`, only while that
   * is the user's: a login that is overtaken by a change of the password has no session.
   */
  start(userId: number, passwordHash?: string): Promise<string | undefined>
  /** The user whose session has this id, if the user is active. */
  find(id: string): Promise<User | undefined>
  end(id: string): Promise<void>
  endAll(userId: number, connection: Connection): Promise<void>
}

const twoWeeks = 14 * 24 * 60 * 60
/** In seconds: last use is written no more often, and what has expired is removed no more often. */
const [minute, hour] = [60, 60 * 60]

/** Throws a RangeError where a time is too short, or beyond what a database can subtract. */
export function createSessions(options: SessionsOptions): Sessions {
  const { database, lifetime = twoWeeks, idle = lifetime, clock = () => new Date() } = options
  checkTime('lifetime', lifetime, minute)
  if (idle !== lifetime) checkTime('idle', idle, 2 * minute)
  const statements = compileStatements(database)
  let swept = Number.NEGATIVE_INFINITY

  const timesAt = (moment: number) => ({
    now: timeOf(moment),
    oldest: timeOf(moment - 1000 * lifetime),
    unused: timeOf(moment - 1000 * idle),
  })
  const sweep = async (moment: number) => {
    if (moment - swept < 1000 * hour) return
    swept = moment
    const { oldest, unused } = timesAt(moment)
    await database.write(statements.sweep, { oldest, unused })
  }

  return {
    lifetime,
    idle,
    bounds: () => timesAt(clock().getTime()),
    async start(userId, passwordHash) {
      const moment = clock().getTime()
      await sweep(moment)
      const id = randomBytes(32).toString('base64url')
      const { now } = timesAt(moment)
      return database.transaction(async connection => {
        if (!(await mayLogIn(database, connection, userId, passwordHash))) return undefined
        const row = { digest: digestOf(id), user_id: userId, created: now, last_used: now }
        await accountTables(connection).insertInto('sessions').values(row).execute()
        return id
      })
    },
    async find(id) {
      if (!format.test(id)) return undefined
      const moment = clock().getTime()
      const { now, oldest, unused } = timesAt(moment)
      const [digest, due] = [digestOf(id), timeOf(moment - 1000 * minute)]
      const row = await database.latest(statements.find, { digest, oldest, unused, due })
      if (row === undefined) return undefined
      if (idle < lifetime && row.at(-1)) await database.write(statements.use, { digest, now, due }).catch(unlessRefused)
      return toUser(row as unknown as UserRow)
    },
    async end(id) {
      if (format.test(id)) await database.write(statements.end, { digest: digestOf(id) })
    },
    endAll: endSessions,
  }
}

/** Ends every session of the user. */
export async function endSessions(userId: number, connection: Connection): Promise<void> {
  await accountTables(connection).deleteFrom('sessions').where('user_id', '=', userId).execute()
}

// On a disk that is full, the request may still read; a later one notes the use.
function unlessRefused(error: unknown): void {
  if (!(error instanceof InsufficientStorage || error instanceof ServiceUnavailable)) throw error
}

// 256 bits in base64url.
const format = /^[\w-]{43}$/

const digestOf = (id: string): string => hash('sha256', id)

const timeOf = (moment: number): string => formatDateTime(new Date(moment))!

function compileStatements(database: Database) {
  const columns = sql.join(userColumns.map(column => sql.ref(`users.${column}`)))
  const isNamed = sql`sessions.digest = ${parameter('digest')}`
  const isDue = sql`sessions.last_used < ${parameter('due')}`
  const find: Statement<readonly [...UserRow, isDue: boolean | number]> = compile(
    database,
    sql`select ${columns}, ${isDue} from sessions join users on users.id = sessions.user_id where ${isNamed} and users.is_active and sessions.created > ${parameter('oldest')} and sessions.last_used > ${parameter('unused')}`,
  )
  return {
    find,
    use: compile(database, sql`update sessions set last_used = ${parameter('now')} where ${isNamed} and ${isDue}`),
    end: compile(database, sql`delete from sessions where ${isNamed}`),
    sweep: compile(
      database,
      sql`delete from sessions where created <= ${parameter('oldest')} or last_used <= ${parameter('unused')}`,
    ),
  }
}

// Where the user is just being changed, the answer waits for it; who changes the user after it sees the session.
async function mayLogIn(
  { dialect }: Database,
  connection: Connection,
  userId: number,
  passwordHash: string | undefined,
): Promise<boolean> {
  const user = accountTables(connection).selectFrom('users').select('password').where('id', '=', userId)
  const active = user.where('is_active', '=', sql<boolean>`true`)
  const row = await active.modifyEnd(dialect.forShare).executeTakeFirst()
  if (row === undefined) return false
  return passwordHash === undefined || (row.password !== null && row.password === passwordHash)
}

function checkTime(name: string, seconds: number, least: number): void {
  if (Number.isSafeInteger(seconds) && seconds >= least && seconds <= longestLifetime) return
  throw new RangeError(
    `createSessions(): ${name} is ${seconds}; give a whole number of seconds, ${least} to ${longestLifetime}`,
  )
}
