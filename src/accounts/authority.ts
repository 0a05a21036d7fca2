// Prevents privilege escalation through resources of users and groups. A superuser may change every account.
// Other callers may only grant or revoke permissions that they have: they cannot change a superuser, another staff
// user, or a user with permissions that they lack. The last active superuser cannot be removed. Every check rejects
// with PermissionDenied. Rights come from the caller's account: an application's own scheme may set `isSuperuser` for
// callers without an account.

import { type RawBuilder, sql } from 'kysely'
import { type Connection, type Database, type Identity, isSameUser, PermissionDenied } from '#core'
import type { GrantedPermissions } from './granted-permissions.ts'
import { findGroupGrants, findMemberships } from './group-grants.ts'
import { accountMessages } from './messages.ts'
import { isSuperuser } from './superuser.ts'
import { accountsKysely } from './tables.ts'
import { findAccountId } from './user.ts'

/** A change of an account; an absent property stays unchanged. */
export interface AccountChange {
  readonly is_staff?: boolean
  readonly is_superuser?: boolean
  readonly groups?: readonly number[]
  readonly permissions?: readonly string[]
}

/** The names that identify an account to people. */
export interface AccountNames {
  readonly username: string
  readonly email: string
}

export interface Authority {
  /** Checks that the caller may change this account or its tokens. `userId` is undefined for a new account. */
  checkUser(caller: Identity, userId: number | undefined, change: AccountChange, connection: Connection): Promise<void>
  /** Checks that the caller may give this account these names. Unchanged names are always allowed. */
  checkNames(caller: Identity, userId: number, names: AccountNames, connection: Connection): Promise<void>
  /** Checks that the caller may set the groups of this user. `userId` is undefined for a new user. */
  checkMemberships(
    caller: Identity,
    userId: number | undefined,
    groups: readonly number[],
    connection: Connection,
  ): Promise<void>
  /** Checks that the caller may delete this account. */
  checkUserDeletion(caller: Identity, userId: number, connection: Connection): Promise<void>
  /** Checks that the caller may set the permissions of this group. `groupId` is undefined for a new group. */
  checkGroup(
    caller: Identity,
    groupId: number | undefined,
    permissions: readonly string[],
    connection: Connection,
  ): Promise<void>
  /**
   * Rejects if this user is the last active superuser. A lock serialises concurrent removals, so that one superuser
   * always remains.
   */
  checkLastSuperuser(userId: number, connection: Connection): Promise<void>
}

/**
 * Creates the checks for resources that change users or groups.
 *
 * @example
 * const authority = createAuthority(database, grantedPermissions)
 * const beforeDestroy = ({ key, user, connection }) => authority.checkUserDeletion(user, key, connection)
 */
export function createAuthority({ dialect }: Database, granted: GrantedPermissions): Authority {
  const checkHasPermissions = async (
    caller: Identity,
    permissions: readonly string[],
    connection: Connection,
    message = accountMessages('permission_denied.lacked'),
  ) => {
    if (!(await granted.hasAll(caller, permissions, connection))) throw new PermissionDenied(message)
  }
  const checkCanManage = async (
    caller: Identity,
    userId: number,
    { is_staff, is_superuser }: AccountFlags,
    connection: Connection,
  ) => {
    if (!isSameUser(caller, userId) && (is_staff || is_superuser))
      throw new PermissionDenied(accountMessages('permission_denied.staff_user'))
    await checkHasPermissions(caller, [...(await granted.findPermissions(userId, connection))], connection)
  }
  const checkUser: Authority['checkUser'] = async (caller, userId, change, connection) => {
    if (await hasSuperuserAccount(caller, connection)) return
    const account = userId === undefined ? missingAccount : await lockAccount(userId, connection)
    if (userId !== undefined) await checkCanManage(caller, userId, account, connection)
    const { is_staff = account.is_staff, is_superuser = account.is_superuser, groups = [], permissions = [] } = change
    if (is_staff !== account.is_staff || is_superuser !== account.is_superuser)
      throw new PermissionDenied(accountMessages('permission_denied.flags'))
    await checkHasPermissions(caller, [...permissions, ...(await findGroupGrants(groups, connection))], connection)
  }
  const checkLastSuperuser: Authority['checkLastSuperuser'] = async (userId, { kysely }) => {
    await dialect.lock('superusers')?.execute(kysely)
    // Most users are no superusers, and finding others would read the whole table.
    const exists = async (condition: RawBuilder<unknown>) => {
      const query = sql`select 1 from users where is_superuser and is_active and ${condition} limit 1`
      return (await query.execute(kysely)).rows.length > 0
    }
    if ((await exists(sql`id = ${userId}`)) && !(await exists(sql`id <> ${userId}`)))
      throw new PermissionDenied(accountMessages('permission_denied.last_superuser'))
  }
  return {
    checkUser,
    async checkNames(caller, userId, { username, email }, connection) {
      if (await hasSuperuserAccount(caller, connection)) return
      const account = await lockAccount(userId, connection)
      if (account.username === username && account.email === email) return
      await checkCanManage(caller, userId, account, connection)
    },
    async checkMemberships(caller, userId, groups, connection) {
      if (await hasSuperuserAccount(caller, connection)) return
      const currentGroups = userId === undefined ? new Set<number>() : await findMemberships(userId, connection)
      const changedGroups = [...currentGroups.symmetricDifference(new Set(groups))]
      const message = accountMessages('permission_denied.group_grant')
      await checkHasPermissions(caller, await findGroupGrants(changedGroups, connection), connection, message)
    },
    async checkUserDeletion(caller, userId, connection) {
      await checkUser(caller, userId, {}, connection)
      await checkLastSuperuser(userId, connection)
    },
    async checkGroup(caller, groupId, permissions, connection) {
      if (await hasSuperuserAccount(caller, connection)) return
      const currentPermissions = groupId === undefined ? [] : await findGroupGrants([groupId], connection)
      const allPermissions = [...currentPermissions, ...permissions]
      await checkHasPermissions(caller, allPermissions, connection)
      if (groupId !== undefined && allPermissions.length > 0 && (await hasOtherStaff(caller, groupId, connection)))
        throw new PermissionDenied(accountMessages('permission_denied.staff_group'))
    },
    checkLastSuperuser,
  }
}

async function hasSuperuserAccount(caller: Identity, connection: Connection): Promise<boolean> {
  const id = findAccountId(caller)
  if (id === null || !isSuperuser(caller)) return false
  const query = accountsKysely(connection).selectFrom('users').select(['is_active', 'is_superuser'])
  const account = await query.where('id', '=', id).executeTakeFirst()
  return Boolean(account?.is_active && account.is_superuser)
}

interface AccountFlags {
  readonly is_staff: boolean
  readonly is_superuser: boolean
}

type Account = AccountFlags & AccountNames

const missingAccount: Account = { is_staff: false, is_superuser: false, username: '', email: '' }

// Locks the row with an update that changes nothing, so that the account gains no permissions between the check and the
// write.
async function lockAccount(userId: number, connection: Connection): Promise<Account> {
  const row = await accountsKysely(connection)
    .updateTable('users')
    .set(({ ref }) => ({ id: ref('id') }))
    .where('id', '=', userId)
    .returning(['username', 'email', 'is_staff', 'is_superuser'])
    .executeTakeFirst()
  return row ? { ...row, is_staff: Boolean(row.is_staff), is_superuser: Boolean(row.is_superuser) } : missingAccount
}

async function hasOtherStaff(caller: Identity, groupId: number, connection: Connection): Promise<boolean> {
  const id = findAccountId(caller)
  const andOther = id === null ? sql`` : sql` and users.id <> ${id}`
  const { rows } =
    await sql`select 1 from users join user_groups on user_id = users.id where group_id = ${groupId}${andOther} and (is_staff or is_superuser) limit 1`.execute(
      connection.kysely,
    )
  return rows.length > 0
}
