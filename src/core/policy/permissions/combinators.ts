// Combines permissions into one: it allows if all, one or none of them allow.

import { sql } from 'kysely'
import { castTo } from '../../database/expressions.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import { checkCombined } from '../check-policies.ts'
import {
  allowsObject,
  allowsView,
  createRowFilter,
  listObjectColumns,
  listReadObjectPermissions,
  type Permission,
} from './permission.ts'
import { joinFilters, type RowFilter } from './row-filter.ts'

/** Allows if every policy allows. */
export function and<User extends Identity, Column extends string>(
  ...permissions: readonly Permission<User, Column>[]
): Permission<User, Column> {
  checkCombined('and()', permissions)
  const filter = createRowFilter(permissions)
  return Object.freeze({
    negated: () => or(...permissions.map(not)),
    ...completeAll(permissions, completed => and(...completed)),
    allowsSafe: listObjectColumns(listReadObjectPermissions(permissions)) === undefined,
    ...(filter && { filter }),
    ...findStrictest(permissions),
    ...objectLevel(permissions, async (context, object) => {
      for (const permission of permissions) if (!(await allowsObject(permission, context, object))) return false
      return true
    }),
    async allows(context: RequestContext<User>) {
      for (const permission of permissions) if (!(await allowsView(permission, context))) return false
      return true
    },
  })
}

/**
 * Allows if one of the policies allows: for an object, the same policy must allow the view too. Throws if one policy
 * has a filter and another has `allowsObject`, because it is not known which filter the object passed.
 */
export function or<User extends Identity, Column extends string>(
  ...permissions: readonly Permission<User, Column>[]
): Permission<User, Column> {
  checkCombined('or()', permissions)
  const isFiltered = permissions.some(({ filter }) => filter !== undefined)
  checkLevels(permissions)
  return Object.freeze({
    negated: () => and(...permissions.map(not)),
    ...completeAll(permissions, completed => or(...completed)),
    ...findMildest(permissions),
    ...(isFiltered && {
      filter: joinFilters(permissions.map(filterIfAllowed), conditions => sql`(${sql.join(conditions, sql` or `)})`),
    }),
    ...objectLevel(permissions, async (context, object) => {
      for (const permission of permissions) {
        if ((await allowsView(permission, context)) && (await allowsObject(permission, context, object))) return true
      }
      return false
    }),
    async allows(context: RequestContext<User>) {
      for (const permission of permissions) if (await allowsView(permission, context)) return true
      return false
    },
  })
}

/** Allows if the policy refuses, on each level that the policy decides. */
export function not<User extends Identity, Column extends string>(
  permission: Permission<User, Column>,
): Permission<User, Column> {
  checkCombined('not()', [permission])
  const { filter, negated } = permission
  if (negated !== undefined) return negated()
  return Object.freeze({
    negated: () => permission,
    ...completeAll([permission], ([completed]) => not(completed!)),
    ...(permission.allows && {
      allows: async (context: RequestContext<User>) => (await allowsView(permission, context)) === false,
    }),
    ...(filter && { filter: joinFilters([filter], ([condition]) => sql`not coalesce(${condition!}, false)`) }),
    ...objectLevel(
      [permission],
      async (context, object) => (await allowsObject(permission, context, object)) === false,
    ),
  })
}

// Combines the policies again once each is that of a declared table.
const completeAll = <User extends Identity, Column extends string>(
  permissions: readonly Permission<User, Column>[],
  combine: (permissions: readonly Permission<User, Column>[]) => Permission<User, Column>,
): Pick<Permission<User, Column>, 'forTable'> =>
  permissions.some(({ forTable }) => forTable !== undefined)
    ? { forTable: table => combine(permissions.map(each => each.forTable?.(table) ?? each)) }
    : {}

type AuthenticatedCallers = Pick<Permission, 'authenticated'>

const findStrictest = (permissions: readonly AuthenticatedCallers[]): AuthenticatedCallers => {
  const found = permissions.map(({ authenticated }) => authenticated)
  return found.includes('always')
    ? { authenticated: 'always' }
    : found.includes('writes')
      ? { authenticated: 'writes' }
      : {}
}

const findMildest = (permissions: readonly AuthenticatedCallers[]): AuthenticatedCallers => {
  const found = permissions.map(({ authenticated }) => authenticated)
  return found.includes(undefined) ? {} : { authenticated: found.includes('writes') ? 'writes' : 'always' }
}

function checkLevels(permissions: readonly Permission<never>[]): void {
  const objectPolicies = permissions.filter(({ allowsObject }) => allowsObject !== undefined)
  const filtered = permissions.filter(({ filter }) => filter !== undefined)
  if (filtered.some(policy => objectPolicies.some(other => other !== policy)))
    throw new Error('or(): one policy has a filter and another has allowsObject: give a filter to both, or to neither')
}

// The rows that one policy allows: none if it refuses the view.
function filterIfAllowed<User extends Identity>(permission: Permission<User>): RowFilter<User> {
  const { filter } = permission
  const rows = joinFilters(filter === undefined ? [] : [filter], ([condition]) => condition ?? sql`true`)
  return {
    ...(rows.volatile && { volatile: true }),
    where: row => sql`(${castTo(row.value('allowed'), 'boolean')} and ${rows.where(row)})`,
    values: async context => ({
      ...(await rows.values(context)),
      allowed: (await allowsView(permission, context)) === true,
    }),
  }
}

function objectLevel<User extends Identity, Column extends string>(
  permissions: readonly Permission<User, Column>[],
  decide: NonNullable<Permission<User>['allowsObject']>,
): Pick<Permission<User, Column>, 'allowsObject' | 'columns' | 'checksWritten'> {
  const columns = listObjectColumns(permissions)
  const checksWritten = permissions.some(permission => permission.checksWritten)
  return columns === undefined ? {} : { columns, allowsObject: decide, ...(checksWritten && { checksWritten }) }
}
