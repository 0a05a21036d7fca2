// The permissions of users, granted directly and through groups. A permission is a string such as `orders.add`.

import { sql } from 'kysely'
import {
  type Connection,
  compile,
  type Database,
  type Identity,
  parameter,
  type RequestContext,
  type Statement,
} from '#core'
import { findAccountId, type User } from './user.ts'

/** The actions that can be granted for each model; the names are Django's. */
export const grantActions = ['add', 'change', 'delete', 'view'] as const
export type Grant = (typeof grantActions)[number]

/** Formats a permission, such as `orders.add`. */
export const formatPermission = (grant: Grant, model: string): string => `${model}.${grant}`

export interface GrantedPermissions {
  /**
   * Whether the caller has the permission. A superuser has every permission, an inactive user none. The permissions are
   * queried once per request, and not at all for a superuser: `isSuperuser` is what the scheme says of an account.
   */
  has(context: Pick<RequestContext, 'request' | 'user'>, permission: string): boolean | Promise<boolean>
  /** All permissions granted to a user, active or not. */
  findPermissions(userId: number, connection: Connection): Promise<ReadonlySet<string>>
  /** Whether the caller has been granted all of these permissions. */
  hasAll(caller: Identity, permissions: readonly string[], connection: Connection): Promise<boolean>
}

/**
 * Reads the permissions from a database with the tables of `accountTables`.
 *
 * @example
 * const granted = createGrantedPermissions(database)
 * const orders = resource('orders', { table: 'orders', permissions: [modelPermissions(granted, 'orders')], fields })
 */
export function createGrantedPermissions(database: Database): GrantedPermissions {
  const statement: Statement<readonly [permissions: string]> = compile(
    database,
    sql`select ${database.dialect.text(database.dialect.array(selectGrants(parameter('user'))))}`,
  )
  const readPermissions = async (first: Connection['first'], user: number) =>
    new Set(JSON.parse((await first(statement, { user }))![0]) as string[])
  const permissionsByRequest = new WeakMap<RequestContext['request'], Promise<ReadonlySet<string>>>()
  return {
    has({ request, user }, permission) {
      const { isActive, isSuperuser } = user as Partial<User>
      const id = findAccountId(user)
      if (id === null || isActive === false) return false
      if (isSuperuser) return true
      let permissions = permissionsByRequest.get(request)
      if (permissions === undefined) {
        permissions = readPermissions(database.latest, id)
        permissionsByRequest.set(request, permissions)
      }
      return permissions.then(all => all.has(permission))
    },
    findPermissions: (userId, connection) => readPermissions(connection.first, userId),
    async hasAll(caller, permissions, connection) {
      if (permissions.length === 0) return true
      const id = findAccountId(caller)
      const granted = id === null ? undefined : await readPermissions(connection.first, id)
      return permissions.every(permission => granted?.has(permission) ?? false)
    },
  }
}

const selectGrants = (user: ReturnType<typeof parameter>) =>
  sql`select permission as value from user_permissions where user_id = ${user} union select permission from group_permissions where group_id in (select group_id from user_groups where user_id = ${user})`
