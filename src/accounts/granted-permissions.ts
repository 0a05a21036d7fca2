// What users have been granted, themselves and through their groups: permissions are texts such as `snippets.add`.

import { sql } from 'kysely'
import type { Identity } from '../framework/authentication/identity.ts'
import type { RequestContext } from '../framework/context.ts'
import { type Connection, compile, type Database, parameter, type Statement } from '../framework/database/database.ts'
import type { User } from './user.ts'

/** What can be granted for each model, as Django names it. */
export const grants = ['add', 'change', 'delete', 'view'] as const
export type Grant = (typeof grants)[number]

/** The permission to do this to the objects of a model: `snippets.add`. */
export const permissionTo = (grant: Grant, model: string): string => `${model}.${grant}`

export interface GrantedPermissions {
  /**
   * May this caller do what the permission names? A superuser may do everything, an inactive user nothing. A request
   * asks the database once, however many of its policies ask here; a superuser's not at all.
   */
  has(context: Pick<RequestContext, 'request' | 'user'>, permission: string): boolean | Promise<boolean>
  /** All that a user has been granted, whether the user may use it or not. */
  of(userId: number, connection: Connection): Promise<ReadonlySet<string>>
  /** Has the caller been granted every one of these? */
  holds(caller: Identity, permissions: readonly string[], connection: Connection): Promise<boolean>
}

export function createGrantedPermissions(database: Database): GrantedPermissions {
  const granted: Statement<readonly [permissions: string]> = compile(
    database,
    sql`select ${database.dialect.text(database.dialect.array(grantedTo(parameter('user'))))}`,
  )
  const read = async (first: Connection['first'], user: number) =>
    new Set(JSON.parse((await first(granted, { user }))![0]) as string[])
  const known = new WeakMap<RequestContext['request'], Promise<ReadonlySet<string>>>()
  return {
    has({ request, user }, permission) {
      const { id, isActive, isSuperuser } = user as Partial<User>
      if (!user.isAuthenticated || id == null || isActive === false) return false
      if (isSuperuser) return true
      let permissions = known.get(request)
      if (permissions === undefined) {
        permissions = read(database.latest, id)
        known.set(request, permissions)
      }
      return permissions.then(all => all.has(permission))
    },
    of: (userId, connection) => read(connection.first, userId),
    async holds(caller, permissions, connection) {
      if (permissions.length === 0) return true
      const held = caller.id === null ? undefined : await read(connection.first, caller.id)
      return permissions.every(permission => held?.has(permission) ?? false)
    },
  }
}

const grantedTo = (user: ReturnType<typeof parameter>) =>
  sql`select permission as value from user_permissions where user_id = ${user} union select permission from group_permissions where group_id in (select group_id from user_groups where user_id = ${user})`
