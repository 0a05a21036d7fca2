// A group may grant permissions. Whoever puts somebody into one has to hold what it grants, so that editing the directory
// gives nobody more than they have. Rejects with PermissionDenied.

import type { Identity } from '../framework/authentication/identity.ts'
import type { Connection } from '../framework/database/database.ts'
import { PermissionDenied } from '../framework/errors/exceptions.ts'
import { type GrantedPermissions, grantedToGroups } from './granted-permissions.ts'
import { isSuperuser } from './superuser.ts'
import { accountTables } from './tables.ts'

/** Someone is put into groups, beside those that they are in; `userId` is undefined for a new user. */
export type GroupGrants = (
  caller: Identity,
  userId: number | undefined,
  groups: readonly number[],
  connection: Connection,
) => Promise<void>

export function createGroupGrants(granted: GrantedPermissions): GroupGrants {
  return async (caller, userId, groups, connection) => {
    if (isSuperuser(caller) || groups.length === 0) return
    const known = userId === undefined ? [] : await groupsOf(userId, connection)
    const joined = groups.filter(group => !known.includes(group))
    if (!(await granted.holds(caller, await grantedToGroups(joined, connection), connection)))
      throw new PermissionDenied('A group grants permissions that you do not have.')
  }
}

async function groupsOf(userId: number, connection: Connection): Promise<readonly number[]> {
  const query = accountTables(connection).selectFrom('user_groups').select('group_id')
  return (await query.where('user_id', '=', userId).execute()).map(({ group_id }) => Number(group_id))
}
