// The rights that editing accounts could move, in the administration and in the directory: a superuser may do
// everything; nobody else may do what would give or take more rights than the caller has. So a caller reaches no
// superuser, no other member of the staff, and no user with permissions that the caller lacks; and the last active
// superuser stays. Rejects with PermissionDenied.

import { sql } from 'kysely'
import { type Identity, isUser } from '../framework/authentication/identity.ts'
import type { Connection, Database } from '../framework/database/database.ts'
import { PermissionDenied } from '../framework/errors/exceptions.ts'
import type { GrantedPermissions } from './granted-permissions.ts'
import { findGroupGrants, findMemberships } from './group-grants.ts'
import { isSuperuser } from './superuser.ts'
import { accountTables } from './tables.ts'

/** A change of an account; a property that is left out stays. */
export interface AccountChange {
  readonly is_staff?: boolean
  readonly is_superuser?: boolean
  readonly groups?: readonly number[]
  readonly permissions?: readonly string[]
}

/** How people know an account. */
export interface AccountNames {
  readonly username: string
  readonly email: string
}

export interface Authority {
  /** May the caller change this account, or a token of it? `userId` is undefined for a new one. */
  checkUser(caller: Identity, userId: number | undefined, change: AccountChange, connection: Connection): Promise<void>
  /** May the caller give this account these names? The names that it has are always allowed. */
  checkNames(caller: Identity, userId: number, names: AccountNames, connection: Connection): Promise<void>
  /** May the caller leave this user in these groups and in no others? `userId` is undefined for a new user. */
  checkMemberships(
    caller: Identity,
    userId: number | undefined,
    groups: readonly number[],
    connection: Connection,
  ): Promise<void>
  /** May the caller delete this account? */
  checkUserDeletion(caller: Identity, userId: number, connection: Connection): Promise<void>
  /** May the caller give these permissions to this group? `groupId` is undefined for a new one. */
  checkGroup(
    caller: Identity,
    groupId: number | undefined,
    permissions: readonly string[],
    connection: Connection,
  ): Promise<void>
  /** Throws where no superuser would be left without this one; of two that go at once, one stays. */
  checkLastSuperuser(userId: number, connection: Connection): Promise<void>
}

export function createAuthority({ dialect }: Database, granted: GrantedPermissions): Authority {
  const checkHeld = async (
    caller: Identity,
    permissions: readonly string[],
    connection: Connection,
    message = 'Only a superuser may do this: it takes permissions that you do not have.',
  ) => {
    if (!(await granted.holds(caller, permissions, connection))) throw new PermissionDenied(message)
  }
  const checkReach = async (
    caller: Identity,
    userId: number,
    { is_staff, is_superuser }: Rank,
    connection: Connection,
  ) => {
    if (!isUser(caller, userId) && (is_staff || is_superuser))
      throw new PermissionDenied('Only a superuser may do this to a member of the staff.')
    await checkHeld(caller, [...(await granted.of(userId, connection))], connection)
  }
  const checkUser: Authority['checkUser'] = async (caller, userId, change, connection) => {
    if (isSuperuser(caller)) return
    const rank = userId === undefined ? outsider : await lockAccount(userId, connection)
    if (userId !== undefined) await checkReach(caller, userId, rank, connection)
    const { is_staff = rank.is_staff, is_superuser = rank.is_superuser, groups = [], permissions = [] } = change
    if (is_staff !== rank.is_staff || is_superuser !== rank.is_superuser)
      throw new PermissionDenied('Only a superuser may change is_staff and is_superuser.')
    await checkHeld(caller, [...permissions, ...(await findGroupGrants(groups, connection))], connection)
  }
  const checkLastSuperuser: Authority['checkLastSuperuser'] = async (userId, { kysely }) => {
    await dialect.lock('superusers')?.execute(kysely)
    const { rows } = await sql<{ id: number }>`select id from users where is_superuser and is_active`.execute(kysely)
    if (rows.length === 1 && rows[0]!.id === userId)
      throw new PermissionDenied('The last active superuser has to stay one.')
  }
  return {
    checkUser,
    async checkNames(caller, userId, { username, email }, connection) {
      if (isSuperuser(caller)) return
      const account = await lockAccount(userId, connection)
      if (account.username === username && account.email === email) return
      await checkReach(caller, userId, account, connection)
    },
    async checkMemberships(caller, userId, groups, connection) {
      if (isSuperuser(caller)) return
      const before = userId === undefined ? new Set<number>() : await findMemberships(userId, connection)
      const changed = [...before.symmetricDifference(new Set(groups))]
      const message = 'A group grants permissions that you do not have.'
      await checkHeld(caller, await findGroupGrants(changed, connection), connection, message)
    },
    async checkUserDeletion(caller, userId, connection) {
      await checkUser(caller, userId, {}, connection)
      await checkLastSuperuser(userId, connection)
    },
    async checkGroup(caller, groupId, permissions, connection) {
      if (isSuperuser(caller)) return
      const before = groupId === undefined ? [] : await findGroupGrants([groupId], connection)
      const touched = [...before, ...permissions]
      await checkHeld(caller, touched, connection)
      if (groupId !== undefined && touched.length > 0 && (await hasOtherStaff(caller, groupId, connection)))
        throw new PermissionDenied('Only a superuser may do this to a group with a member of the staff in it.')
    },
    checkLastSuperuser,
  }
}

interface Rank {
  readonly is_staff: boolean
  readonly is_superuser: boolean
}

type Account = Rank & AccountNames

const outsider: Account = { is_staff: false, is_superuser: false, username: '', email: '' }

// The row is locked: it gains no rights between the check and the write that the check allows.
async function lockAccount(userId: number, connection: Connection): Promise<Account> {
  const row = await accountTables(connection)
    .updateTable('users')
    .set(({ ref }) => ({ id: ref('id') }))
    .where('id', '=', userId)
    .returning(['username', 'email', 'is_staff', 'is_superuser'])
    .executeTakeFirst()
  return row ? { ...row, is_staff: Boolean(row.is_staff), is_superuser: Boolean(row.is_superuser) } : outsider
}

// A caller without an id is none of the members.
async function hasOtherStaff(caller: Identity, groupId: number, connection: Connection): Promise<boolean> {
  const { rows } =
    await sql`select 1 from users join user_groups on user_id = users.id where group_id = ${groupId} and users.id is distinct from cast(${caller.id} as bigint) and (is_staff or is_superuser) limit 1`.execute(
      connection.kysely,
    )
  return rows.length > 0
}
