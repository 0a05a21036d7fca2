// The permissions that groups grant, and the groups that users are in.

import type { Connection } from '../framework/database/database.ts'
import { accountTables } from './tables.ts'

/** The permissions of the members of these groups. */
export async function findGroupGrants(groupIds: readonly number[], connection: Connection): Promise<readonly string[]> {
  if (groupIds.length === 0) return []
  const query = accountTables(connection).selectFrom('group_permissions').select('permission')
  const rows = await query.where('group_id', 'in', groupIds).execute()
  return rows.map(({ permission }) => permission)
}

/** The groups that this user is in. */
export async function findMemberships(userId: number, connection: Connection): Promise<ReadonlySet<number>> {
  const query = accountTables(connection).selectFrom('user_groups').select('group_id')
  const rows = await query.where('user_id', '=', userId).execute()
  return new Set(rows.map(({ group_id }) => Number(group_id)))
}
