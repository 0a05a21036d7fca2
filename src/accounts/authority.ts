// What the administration lets its callers do: a superuser everything, the others of the staff nothing by which they
// would have more than they have. So they reach no superuser, nobody else of the staff, and nobody who may do what they
// may not; and nobody takes the last active superuser away. Rejects with PermissionDenied.

import { sql } from 'kysely'
import type { Identity } from '../framework/authentication/identity.ts'
import type { Connection, Database } from '../framework/database/database.ts'
import { PermissionDenied } from '../framework/errors/exceptions.ts'
import { type GrantedPermissions, grantedToGroups } from './granted-permissions.ts'
import { isSuperuser } from './superuser.ts'
import { accountTables } from './tables.ts'

/** What an account will have; what is left out stays. */
export interface AccountChange {
  readonly is_staff?: boolean
  readonly is_superuser?: boolean
  readonly groups?: readonly number[]
  readonly permissions?: readonly string[]
}

export interface Authority {
  /** May the caller change this account, or a token of it? `userId` is undefined for a new one. */
  checkUser(caller: Identity, userId: number | undefined, change: AccountChange, connection: Connection): Promise<void>
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
  const checkHeld = async (caller: Identity, permissions: readonly string[], connection: Connection) => {
    if (!(await granted.holds(caller, permissions, connection)))
      throw new PermissionDenied('Only a superuser may do this: it takes permissions that you do not have.')
  }
  return {
    async checkUser(caller, userId, change, connection) {
      if (isSuperuser(caller)) return
      const rank = userId === undefined ? outsider : await rankOf(userId, connection)
      if (userId !== caller.id && (rank.is_staff || rank.is_superuser))
        throw new PermissionDenied('Only a superuser may do this to a member of the staff.')
      const { is_staff = rank.is_staff, is_superuser = rank.is_superuser, groups = [], permissions = [] } = change
      if (is_staff !== rank.is_staff || is_superuser !== rank.is_superuser)
        throw new PermissionDenied('Only a superuser may change is_staff and is_superuser.')
      const before = userId === undefined ? [] : await granted.of(userId, connection)
      await checkHeld(caller, [...before, ...permissions, ...(await grantedToGroups(groups, connection))], connection)
    },
    async checkGroup(caller, groupId, permissions, connection) {
      if (isSuperuser(caller)) return
      const before = groupId === undefined ? [] : await grantedToGroups([groupId], connection)
      const touched = [...before, ...permissions]
      await checkHeld(caller, touched, connection)
      if (groupId !== undefined && touched.length > 0 && (await hasOtherStaff(caller, groupId, connection)))
        throw new PermissionDenied('Only a superuser may do this to a group with a member of the staff in it.')
    },
    async checkLastSuperuser(userId, { kysely }) {
      await dialect.lock('superusers')?.execute(kysely)
      const { rows } = await sql<{ id: number }>`select id from users where is_superuser and is_active`.execute(kysely)
      if (rows.length === 1 && rows[0]!.id === userId)
        throw new PermissionDenied('The last active superuser has to stay one.')
    },
  }
}

interface Rank {
  readonly is_staff: boolean
  readonly is_superuser: boolean
}

const outsider: Rank = { is_staff: false, is_superuser: false }

async function rankOf(userId: number, connection: Connection): Promise<Rank> {
  const users = accountTables(connection).selectFrom('users').select(['is_staff', 'is_superuser'])
  const row = await users.where('id', '=', userId).executeTakeFirst()
  return row ? { is_staff: Boolean(row.is_staff), is_superuser: Boolean(row.is_superuser) } : outsider
}

async function hasOtherStaff(caller: Identity, groupId: number, connection: Connection): Promise<boolean> {
  const { rows } =
    await sql`select 1 from users join user_groups on user_id = users.id where group_id = ${groupId} and users.id <> ${caller.id} and (is_staff or is_superuser) limit 1`.execute(
      connection.kysely,
    )
  return rows.length > 0
}
