// Users as the service itself makes and checks them; over HTTP they are a resource of the directory profile.

import { sql } from 'kysely'
import { type Connection, compile, type Database, parameter, type Statement } from '../framework/database/database.ts'
import { formatDateTime } from '../framework/fields/date-time.ts'
import { hashPassword, needsRehash, verifyPassword } from './passwords.ts'
import { endSessions } from './sessions.ts'
import { accountTables } from './tables.ts'
import { toUser, type User, type UserRow, userColumns } from './user.ts'
import { usernameKey } from './username-key.ts'

/** What a new user is made of. */
export interface NewUser {
  readonly id?: number
  readonly username: string
  readonly email?: string
  /** As `hashPassword` makes it; without one, the user cannot log in with a password. */
  readonly passwordHash?: string | undefined
  readonly isActive?: boolean
  readonly isStaff?: boolean
  readonly isSuperuser?: boolean
  /** As a date-time column keeps it; default: now. */
  readonly dateJoined?: string
  /** The web server's name for the user; without one, it never identifies this user. */
  readonly remoteIdentity?: string
}

/** Called in the transaction that makes a user, whichever way the user is made (AUTH-SCH-2). */
export type AfterUserCreated = (userId: number, connection: Connection) => Promise<void>

export interface UsersOptions {
  readonly database: Database
  readonly afterUserCreated?: AfterUserCreated | undefined
  readonly clock?: () => Date
}

/** A user whose password was right. */
export interface Login {
  readonly user: User
  /** What the password was compared with, or what is stored in its place from now on. */
  readonly passwordHash: string
}

export interface Users {
  /** As `verify`, and what has to be the same still when a session begins. */
  login(username: string, password: string): Promise<Login | undefined>
  /** The user with this name and password who may log in; throws ServiceUnavailable when too many ask at once. */
  verify(username: string, password: string): Promise<User | undefined>
  find(username: string): Promise<User | undefined>
  /** The user who is linked to this identity: the same bytes, whatever the username is. */
  findRemote(identity: string): Promise<User | undefined>
  /** Makes a user; throws ConstraintViolation when the name, or one like it, is taken. */
  create(user: NewUser, connection: Connection): Promise<number>
  /** Ends the user's sessions, too. */
  setPassword(userId: number, password: string): Promise<void>
  /**
   * Links the user to an identity of the web server, or to none with null, and ends the user's sessions. Throws
   * ConstraintViolation where another user has it.
   */
  linkRemote(userId: number, identity: string | null): Promise<void>
}

export function createUsers({ database, afterUserCreated, clock = () => new Date() }: UsersOptions): Users {
  const byName: Statement<readonly [...UserRow, password: string | null]> = compile(
    database,
    sql`select ${sql.join([...userColumns, 'password'].map(column => sql.ref(`users.${column}`)))} from users where username = ${parameter('username')}`,
  )
  const byIdentity: Statement<UserRow> = compile(
    database,
    sql`select ${sql.join(userColumns.map(column => sql.ref(`users.${column}`)))} from users where remote_identity = ${parameter('identity')}`,
  )
  const findRow = async (username: string) => {
    const name = username.normalize('NFKC')
    if (!isStorable(name)) return undefined
    const row = await database.latest(byName, { username: name })
    return (
      row && {
        user: toUser(row.slice(0, userColumns.length) as unknown as UserRow),
        password: row.at(-1) as string | null,
      }
    )
  }
  const setPassword = async (userId: number, password: string) => {
    const hash = await hashPassword(password)
    await database.transaction(async connection => {
      await accountTables(connection).updateTable('users').set({ password: hash }).where('id', '=', userId).execute()
      await endSessions(userId, connection)
    })
  }
  // The same password hashed anew. Answers false where it has been changed since it was verified.
  const replaceHash = (userId: number, old: string, password: string) =>
    database.transaction(async connection => {
      const update = accountTables(connection).updateTable('users').set({ password })
      const row = await update.where('id', '=', userId).where('password', '=', old).returning('id').executeTakeFirst()
      return row !== undefined
    })
  const login: Users['login'] = async (username, password) => {
    const row = await findRow(username)
    // An unknown user costs as much as a wrong password.
    if (!(await verifyPassword(password, row?.password ?? null))) return undefined
    if (row === undefined || !row.user.isActive) return undefined
    const { user, password: stored } = row
    if (!needsRehash(stored!)) return { user, passwordHash: stored! }
    const passwordHash = await hashPassword(password)
    return (await replaceHash(user.id, stored!, passwordHash)) ? { user, passwordHash } : login(username, password)
  }

  return {
    login,
    verify: async (username, password) => (await login(username, password))?.user,
    async find(username) {
      return (await findRow(username))?.user
    },
    async findRemote(identity) {
      if (identity === '' || !isStorable(identity)) return undefined
      const row = await database.latest(byIdentity, { identity })
      return row && toUser(row)
    },
    async create(user, connection) {
      const row = await accountTables(connection)
        .insertInto('users')
        .values({
          ...(user.id !== undefined && { id: user.id }),
          username: user.username,
          username_key: usernameKey(user.username),
          email: user.email ?? '',
          password: user.passwordHash ?? null,
          is_active: user.isActive ?? true,
          is_staff: user.isStaff ?? false,
          is_superuser: user.isSuperuser ?? false,
          date_joined: user.dateJoined ?? formatDateTime(clock())!,
          ...(user.remoteIdentity !== undefined && { remote_identity: user.remoteIdentity }),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await afterUserCreated?.(row.id, connection)
      return row.id
    },
    setPassword,
    linkRemote: (userId, identity) =>
      database.transaction(async connection => {
        const update = accountTables(connection).updateTable('users').set({ remote_identity: identity })
        await update.where('id', '=', userId).execute()
        await endSessions(userId, connection)
      }),
  }
}

// No account has such a name or identity, and no database takes it as a parameter.
const isStorable = (text: string): boolean => text.length <= 300 && !text.includes('\0') && text.isWellFormed()
