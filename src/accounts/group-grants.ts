// The permissions of groups, and the groups of users.

import type { Connection } from '#core'
import { accountsKysely } from './tables.ts'

/** The permissions that these groups grant to their members. */
export async function findGroupGrants(groupIds: readonly number[], connection: Connection): Promise<readonly string[]> {
  if (groupIds.length === 0) return []
  const query = accountsKysely(connection).selectFrom('group_permissions').select('permission')
  const rows = await query.where('group_id', 'in', groupIds).execute()
  return rows.map(({ permission }) => permission)
}

/** The primary keys of the user's groups. */
export async function findMemberships(userId: number, connection: Connection): Promise<ReadonlySet<number>> {
  const query = accountsKysely(connection).selectFrom('user_groups').select('group_id')
  const rows = await query.where('user_id', '=', userId).execute()
  return new Set(rows.map(({ group_id }) => Number(group_id)))
}
