// Creates users and verifies their passwords. The administration shows them as a resource.

import { sql } from 'kysely'
import {
  AuthenticationFailed,
  type Connection,
  ConstraintViolation,
  compile,
  type Database,
  formatDateTime,
  parameter,
  readValue,
  type Statement,
  ValidationError,
} from '#core'
import { usernameField, usernameTaken } from './fields.ts'
import { hashPassword, needsRehash, verifyPassword } from './passwords/passwords.ts'
import { endSessions } from './sessions.ts'
import { accountsKysely } from './tables.ts'
import { toUser, type User, type UserRow, userColumns } from './user.ts'
import { toUsernameKey } from './username-key.ts'

export interface NewUser {
  readonly id?: number
  readonly username: string
  readonly email?: string
  /** The result of `hashPassword`; without it, the user cannot log in with a password. */
  readonly passwordHash?: string | undefined
  readonly isActive?: boolean
  readonly isStaff?: boolean
  readonly isSuperuser?: boolean
  /** In the format of a date-time column; default: now. */
  readonly dateJoined?: string
  /** The web server's name for the user; without it, the user is not linked. */
  readonly remoteIdentity?: string
}

/** Called in every transaction that creates a user (AUTH-SCH-2). */
export type AfterUserCreated = (userId: number, connection: Connection) => Promise<void>

export interface UsersOptions {
  readonly database: Database
  readonly afterUserCreated?: AfterUserCreated | undefined
  readonly clock?: () => Date
}

/** The result of a successful login. */
export interface Login {
  readonly user: User
  /** The hash that is now stored: the verified one, or the new one after a rehash. */
  readonly passwordHash: string
}

export interface Users {
  /** Like `verify`, but also returns the password hash, which `Sessions.start` compares again. */
  login(username: string, password: string): Promise<Login | undefined>
  /**
   * Returns the active user with this username and password. Rejects with ServiceUnavailable if too many logins wait.
   */
  verify(username: string, password: string): Promise<User | undefined>
  find(username: string): Promise<User | undefined>
  /** Returns the active user with this primary key. */
  findById(id: number | string): Promise<User | undefined>
  /** Returns the user who is linked to this identity, compared byte for byte. */
  findByRemoteIdentity(identity: string): Promise<User | undefined>
  /**
   * The same, but creates a user with this username for a new identity (AUTH-SCH-5); undefined if the username is invalid. Rejects
   * with AuthenticationFailed if another account has the username, or an equivalent one.
   */
  findOrCreateByRemoteIdentity(identity: string, username: string): Promise<User | undefined>
  /**
   * Creates a user and returns the primary key. Rejects with ConstraintViolation if the username, or an equivalent one,
   * is taken.
   */
  create(user: NewUser, connection: Connection): Promise<number>
  /**
   * Sets the password and ends the user's sessions. With `currentHash`, only if that is still the password hash of the user, and the
   * user is active. Resolves to whether it did.
   */
  setPassword(userId: number, password: string, currentHash?: string): Promise<boolean>
  /**
   * Links the user to an identity of the web server, or unlinks the user with null, and ends the user's sessions.
   * Rejects with ConstraintViolation if another user has the identity.
   */
  linkRemoteIdentity(userId: number, identity: string | null): Promise<void>
}

/**
 * Creates the users of a database with the tables of `accountTables`.
 *
 * @example
 * const users = createUsers({ database })
 * const passwordHash = await hashPassword('correct horse battery staple')
 * await database.transaction(connection => users.create({ username: 'ann', passwordHash }, connection))
 * const ann = await users.verify('ann', 'correct horse battery staple')
 */
export function createUsers(options: UsersOptions): Users {
  const { database } = options
  const findRow = createRowFinder(database)
  const login: Users['login'] = async (username, password) => {
    const row = await findRow(username)
    // Verifies a dummy hash for an unknown user, so that the response time does not reveal which usernames exist.
    if (!(await verifyPassword(password, row?.password ?? null))) return undefined
    if (row === undefined || !row.user.isActive) return undefined
    const { user, password: storedHash } = row
    if (!needsRehash(storedHash!)) return { user, passwordHash: storedHash! }
    const passwordHash = await hashPassword(password)
    const isReplaced = await replaceHash(database, user.id, { from: storedHash!, to: passwordHash })
    return isReplaced ? { user, passwordHash } : login(username, password)
  }
  const findByRemoteIdentity = createIdentityFinder(database)
  const create: Users['create'] = (user, connection) => insertUser(user, connection, options)
  return {
    login,
    verify: async (username, password) => (await login(username, password))?.user,
    find: async username => (await findRow(username))?.user,
    findById: createIdFinder(database),
    findByRemoteIdentity,
    async findOrCreateByRemoteIdentity(remoteIdentity, name) {
      const found = await findByRemoteIdentity(remoteIdentity)
      if (found !== undefined || remoteIdentity === '' || !isStorable(remoteIdentity)) return found
      const username = await parseUsername(name)
      if (username === undefined) return undefined
      try {
        await database.transaction(connection => create({ username, remoteIdentity }, connection))
      } catch (error) {
        if (!(error instanceof ConstraintViolation)) throw error
      }
      const user = await findByRemoteIdentity(remoteIdentity)
      // Another account, not linked to this identity, already has this username or an equivalent one.
      if (user === undefined) throw new AuthenticationFailed(usernameTaken, AuthenticationFailed.code)
      return user
    },
    create,
    setPassword: async (userId, password, currentHash) =>
      changeLogin(database, userId, { password: await hashPassword(password) }, currentHash),
    async linkRemoteIdentity(userId, identity) {
      await changeLogin(database, userId, { remote_identity: identity })
    },
  }
}

interface StoredUser {
  readonly user: User
  /** The hash; null if the user cannot log in with a password. */
  readonly password: string | null
}

function createRowFinder(database: Database): (username: string) => Promise<StoredUser | undefined> {
  const statement: Statement<readonly [...UserRow, password: string | null]> = compile(
    database,
    sql`${selectUsers([...userColumns, 'password'])} where username = ${parameter('username')}`,
  )
  return async username => {
    const name = username.normalize('NFKC')
    if (!isStorable(name)) return undefined
    const row = await database.latest(statement, { username: name })
    return (
      row && {
        user: toUser(row.slice(0, userColumns.length) as unknown as UserRow),
        password: row.at(-1) as string | null,
      }
    )
  }
}

function createIdentityFinder(database: Database): Users['findByRemoteIdentity'] {
  const statement: Statement<UserRow> = compile(
    database,
    sql`${selectUsers(userColumns)} where remote_identity = ${parameter('identity')}`,
  )
  return async identity => {
    if (identity === '' || !isStorable(identity)) return undefined
    const row = await database.latest(statement, { identity })
    return row && toUser(row)
  }
}

function createIdFinder(database: Database): Users['findById'] {
  const statement: Statement<UserRow> = compile(
    database,
    sql`${selectUsers(userColumns)} where id = ${parameter('id')}`,
  )
  return async id => {
    const row = typeof id === 'number' ? await database.latest(statement, { id }) : undefined
    const user = row && toUser(row)
    return user?.isActive ? user : undefined
  }
}

const selectUsers = (columns: readonly string[]) =>
  sql`select ${sql.join(columns.map(column => sql.ref(`users.${column}`)))} from users`

// Stores a new hash of the same password. Returns false if the password was changed since it was verified.
const replaceHash = (
  database: Database,
  userId: number,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> =>
  database.transaction(async connection => {
    const update = accountsKysely(connection).updateTable('users').set({ password: to })
    const row = await update.where('id', '=', userId).where('password', '=', from).returning('id').executeTakeFirst()
    return row !== undefined
  })

async function insertUser(
  user: NewUser,
  connection: Connection,
  { afterUserCreated, clock = () => new Date() }: UsersOptions,
): Promise<number> {
  const row = await accountsKysely(connection)
    .insertInto('users')
    .values({
      ...(user.id !== undefined && { id: user.id }),
      username: user.username,
      username_key: toUsernameKey(user.username),
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
}

// Changes how the user logs in, and ends the user's sessions. `currentHash`: only if that is still the password hash of an active user.
const changeLogin = (
  database: Database,
  userId: number,
  columns: { readonly password: string } | { readonly remote_identity: string | null },
  currentHash?: string,
): Promise<boolean> =>
  database.transaction(async connection => {
    const any = accountsKysely(connection).updateTable('users').set(columns).where('id', '=', userId)
    const update =
      currentHash === undefined
        ? any
        : any.where('password', '=', currentHash).where('is_active', '=', sql<boolean>`true`)
    const row = await update.returning('id').executeTakeFirst()
    if (row !== undefined) await endSessions(userId, connection)
    return row !== undefined
  })

// False for names that no user can have. The databases reject some of them even as parameters.
const isStorable = (text: string): boolean => text.length <= 300 && !text.includes('\0') && text.isWellFormed()

/** Validates the username of a new account; undefined if it is invalid. */
export async function parseUsername(text: string): Promise<string | undefined> {
  try {
    return await readValue(usernameField, text, { baseUrl: '', route: () => undefined })
  } catch (error) {
    if (error instanceof ValidationError) return undefined
    throw error
  }
}
