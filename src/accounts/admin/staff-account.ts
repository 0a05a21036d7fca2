// Restricts the administration to callers whose account is staff. The rights come from the account and not from the
// properties of the caller, because an application's own scheme may set those for callers without an account.

import { sql } from 'kysely'
import {
  compile,
  type Database,
  type ObjectView,
  type Permission,
  parameter,
  type RequestContext,
  type Resource,
  type Statement,
} from '#core'
import { pageMessages } from '#pages'
import { accountMessages } from '../messages.ts'
import { isSuperuser } from '../superuser.ts'
import { findAccountId } from '../user.ts'

/**
 * Allows only callers whose account is active and staff. The caller's own properties can restrict these rights, but not
 * extend them: a caller is also refused if `isStaff` is false, or if `isSuperuser` is true and the account is none. The
 * account is read once per request.
 */
export function staffAccount(database: Database): Permission {
  const findStaff: Statement<readonly [isSuperuser: boolean | number]> = compile(
    database,
    sql`select is_superuser from users where id = ${parameter('id')} and is_staff and is_active`,
  )
  const decide = async ({ user }: RequestContext) => {
    const id = findAccountId(user)
    if (id === null || !user.isStaff) return false
    const account = await database.latest(findStaff, { id })
    return account !== undefined && (!isSuperuser(user) || Boolean(account[0]))
  }
  const decisions = new WeakMap<RequestContext['request'], Promise<boolean>>()
  return Object.freeze<Permission>({
    authenticated: 'always',
    audience: pageMessages('page.who_staff'),
    allows(context) {
      const decision = decisions.get(context.request) ?? decide(context)
      decisions.set(context.request, decision)
      return decision
    },
  })
}

/** Refuses accounts that log in with a password alone. */
export function secondFactorRequired(database: Database): Permission {
  const findWithout: Statement<readonly [id: number]> = compile(
    database,
    sql`select users.id from users where users.id = ${parameter('id')} and users.password is not null and not exists (select 1 from second_factors where second_factors.user_id = users.id) and not exists (select 1 from passkeys where passkeys.user_id = users.id)`,
  )
  return Object.freeze<Permission>({
    message: accountMessages('factor.required'),
    async allows({ user }) {
      const id = findAccountId(user)
      return id === null || (await database.latest(findWithout, { id })) === undefined
    },
  })
}

/** Puts `permission` before all permissions of the resource, and before those of its views and their methods. */
export function addPermission(resource: Resource, permission: Permission): Resource {
  const { permissions = [], objectViews } = resource
  return {
    ...resource,
    permissions: [permission, ...permissions],
    ...(objectViews && { objectViews: mapValues(objectViews, view => addToView(view, permission)) }),
  }
}

// A view or method without permissions has those of the resource.
const addToView = (view: ObjectView, permission: Permission): ObjectView => ({
  ...addToOwn(view, permission),
  handlers: mapValues(view.handlers, handler =>
    typeof handler === 'function' ? handler : addToOwn(handler, permission),
  ),
})

const addToOwn = <Policies extends { readonly permissions?: readonly Permission[] }>(
  policies: Policies,
  permission: Permission,
): Policies => (policies.permissions ? { ...policies, permissions: [permission, ...policies.permissions] } : policies)

const mapValues = <Value>(
  entries: Readonly<Record<string, Value>>,
  transform: (value: Value) => Value,
): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, transform(value)]))
