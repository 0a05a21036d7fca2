// Creates the accounts of a test, with what they need to authenticate.

import { type Accounts, accountsKysely, checkUsername, hashPassword } from '#accounts'
import type { Connection } from '#core'
import { testPassword } from './test-password.ts'

export interface NewTestUser {
  readonly staff?: boolean
  readonly superuser?: boolean
  /** Default true. */
  readonly active?: boolean
  /** The names of groups; those that do not exist are created. */
  readonly groups?: readonly string[]
  /** Such as `orders.view`. */
  readonly permissions?: readonly string[]
  readonly email?: string
  /** Default {@link testPassword}. */
  readonly password?: string
  /** The web server's name for the user. */
  readonly remoteIdentity?: string
}

export interface TestUser {
  readonly id: number
  readonly username: string
  readonly password: string
  readonly token: string
}

/** Rejects if the username, or an equivalent one, is taken. */
export async function createUser(
  { database, accounts }: { readonly database: { transaction: Transaction }; readonly accounts: Accounts },
  username: string,
  options: NewTestUser,
): Promise<TestUser> {
  const { password = testPassword, groups = [], permissions = [] } = options
  for (const permission of permissions) checkPermission(permission)
  const passwordHash = await (password === testPassword ? hashTestPassword() : hashPassword(password))
  return database.transaction(async connection => {
    await checkUsername(username, { connection }).catch(error => {
      throw new Error(`api.user(): there is already a user "${username}"`, { cause: error })
    })
    const id = await accounts.users.create({ username, passwordHash, ...toColumns(options) }, connection)
    await grant(id, permissions, connection)
    for (const group of groups) await join(id, group, connection)
    return { id, username, password, token: await accounts.tokens.getOrCreate(id, connection) }
  })
}

type Transaction = <Result>(work: (connection: Connection) => Promise<Result>) => Promise<Result>

let testPasswordHash: Promise<string> | undefined

// Hashing is slow on purpose, so a test run does it once for all users.
function hashTestPassword(): Promise<string> {
  testPasswordHash ??= hashPassword(testPassword)
  return testPasswordHash
}

const toColumns = ({ staff = false, superuser = false, active = true, email = '', remoteIdentity }: NewTestUser) => ({
  isStaff: staff,
  isSuperuser: superuser,
  isActive: active,
  email,
  ...(remoteIdentity !== undefined && { remoteIdentity }),
})

function checkPermission(permission: string): void {
  if (!/^[a-z][a-z0-9-]*\.[a-z]+$/.test(permission))
    throw new Error(`api.user(): the permission "${permission}" is not written as model and action: orders.view`)
}

async function grant(user: number, permissions: readonly string[], connection: Connection): Promise<void> {
  if (permissions.length === 0) return
  const rows = permissions.map(permission => ({ user_id: user, permission }))
  await accountsKysely(connection).insertInto('user_permissions').values(rows).execute()
}

async function join(user: number, name: string, connection: Connection): Promise<void> {
  const tables = accountsKysely(connection)
  const found = await tables.selectFrom('groups').select('id').where('name', '=', name).executeTakeFirst()
  const { id } = found ?? (await tables.insertInto('groups').values({ name }).returning('id').executeTakeFirstOrThrow())
  await tables.insertInto('user_groups').values({ user_id: user, group_id: id }).execute()
}
