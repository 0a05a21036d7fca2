// Decides whether the caller may proceed (SVC-3): first for the view, then, once it is found, for the object. A refusal
// is NotAuthenticated for a caller whom no scheme identified, PermissionDenied for any other caller.

import { sql } from 'kysely'
import type { Identity } from '../authentication/identity.ts'
import type { RequestContext } from '../context.ts'
import { APIException, NotAuthenticated, PermissionDenied } from '../errors/exceptions.ts'
import { toCatalogued } from '../errors/host-error.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { MessageText } from '../messages/english.ts'
import { combineFilters, joinFilters, type RowFilter } from './row-filter.ts'

/** The columns of the object that the view's permissions declare. */
export type PermissionObject = Readonly<Record<string, unknown>>

type Decision = MaybePromise<boolean>

/**
 * A permission policy for callers of the type `User`. Without `allows`, it allows every view; without `allowsObject`,
 * every object.
 *
 * @example
 * const sameTenant: Permission<Member> = {
 *   columns: ['tenant'],
 *   allowsObject: ({ user }, object) => object.tenant === user.tenant,
 * }
 */
export interface Permission<in User extends Identity = Identity, out Column extends string = string> {
  /** Replaces the default message of the refusal. */
  readonly message?: MessageText
  /** Replaces the default code of the refusal. */
  readonly code?: string
  /** The value of `WWW-Authenticate` of the 403, such as the scopes that it needs (RFC 6750 §3.1); default: none. */
  readonly challenge?: (context: RequestContext) => string | undefined
  /** Whether the caller may use this view. */
  readonly allows?: (context: RequestContext<User>) => Decision
  /** Whether the caller may use this method on this object. */
  readonly allowsObject?: (context: RequestContext<User>, object: PermissionObject) => Decision
  /** The columns of the object that `allowsObject` reads. */
  readonly columns?: readonly Column[]
  /** Set if `allowsObject` always allows safe methods: reads then neither fetch the columns nor call it. */
  readonly allowsSafe?: boolean
  /**
   * The rows that exist for this caller. All other rows are left out of lists, counts and choices, and are 404 at their
   * URL.
   */
  readonly filter?: RowFilter<User>
  /** The policy that `not` returns; default: the opposite on each level that this policy decides. */
  readonly negated?: () => Permission<User, Column>
}

/** Whether the method only reads (END-SNIP-5, RFC 9110 §9.2.1). */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** The refusal of a caller without permission: 401 or 403. */
export type PermissionRefusal = NotAuthenticated | PermissionDenied

/**
 * The view level: returns the refusal of the first policy that refuses; undefined if all allow. The refusal is returned
 * and not thrown because it is frequent, and throwing makes a 401 about 10% slower. A policy that decides
 * synchronously costs no promise.
 */
export const findRefusal = (context: RequestContext, permissions: readonly Permission[]): MaybePromise<MaybeRefusal> =>
  findFrom(0, context, permissions)

type MaybeRefusal = PermissionRefusal | undefined

function findFrom(
  start: number,
  context: RequestContext,
  permissions: readonly Permission[],
): MaybePromise<MaybeRefusal> {
  for (let index = start; index < permissions.length; index++) {
    const permission = permissions[index]!
    const decision = allowsView(permission, context)
    if (typeof decision !== 'boolean')
      return Promise.resolve(decision).then(allowed =>
        allowed ? findFrom(index + 1, context, permissions) : createRefusal(context, permission),
      )
    if (!decision) return createRefusal(context, permission)
  }
  return undefined
}

/** Whether every policy would allow this. For display only, not for enforcement. */
export async function isPermitted(
  context: RequestContext,
  permissions: readonly Permission[],
  object?: PermissionObject,
): Promise<boolean> {
  try {
    if ((await findRefusal(context, permissions)) !== undefined) return false
    if (object !== undefined) await checkObjectPermissions(context, permissions, object)
    return true
  } catch (error) {
    if (toCatalogued(error, context.request) instanceof APIException) return false
    throw error
  }
}

/** The object level: throws if a policy refuses. */
export async function checkObjectPermissions(
  context: RequestContext,
  permissions: readonly Permission[],
  object: PermissionObject,
): Promise<void> {
  for (const permission of permissions) {
    if (permission.allowsSafe && isSafe(context.method)) continue
    if (!(await allowsObject(permission, context, object))) throw createRefusal(context, permission)
  }
}

/** The columns that object permissions read; undefined if there are no object permissions. */
export function listObjectColumns<Column extends string>(
  permissions: readonly Permission<never, Column>[],
): readonly Column[] | undefined {
  const objectPolicies = permissions.filter(permission => permission.allowsObject !== undefined)
  return objectPolicies.length === 0
    ? undefined
    : [...new Set(objectPolicies.flatMap(permission => permission.columns ?? []))]
}

/** The rows that all policies together allow; undefined for all rows. */
export const createRowFilter = <User extends Identity>(
  permissions: readonly Permission<User>[],
): RowFilter<User> | undefined => combineFilters(permissions.flatMap(({ filter }) => filter ?? []))

/** The policies whose object level applies to reads. */
export const listReadObjectPermissions = <User extends Identity>(
  permissions: readonly Permission<User>[],
): readonly Permission<User>[] => permissions.filter(({ allowsSafe = false }) => !allowsSafe)

/** Allows if every policy allows. */
export function and<User extends Identity, Column extends string>(
  ...permissions: readonly Permission<User, Column>[]
): Permission<User, Column> {
  const filter = createRowFilter(permissions)
  return Object.freeze({
    negated: () => or(...permissions.map(not)),
    allowsSafe: listObjectColumns(listReadObjectPermissions(permissions)) === undefined,
    ...(filter && { filter }),
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
  const isFiltered = permissions.some(({ filter }) => filter !== undefined)
  checkLevels(permissions)
  return Object.freeze({
    negated: () => and(...permissions.map(not)),
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
  const { filter, negated } = permission
  if (negated !== undefined) return negated()
  return Object.freeze({
    negated: () => permission,
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
    where: row => sql`(cast(${row.value('allowed')} as boolean) and ${rows.where(row)})`,
    values: async context => ({
      ...(await rows.values(context)),
      allowed: (await allowsView(permission, context)) === true,
    }),
  }
}

function objectLevel<User extends Identity, Column extends string>(
  permissions: readonly Permission<User, Column>[],
  decide: NonNullable<Permission<User>['allowsObject']>,
): Pick<Permission<User, Column>, 'allowsObject' | 'columns'> {
  const columns = listObjectColumns(permissions)
  return columns === undefined ? {} : { columns, allowsObject: decide }
}

// If the policy returns undefined, the caller is refused.
const allowsView = <User extends Identity>(permission: Permission<User>, context: RequestContext<User>): Decision =>
  permission.allows === undefined || permission.allows(context)

const allowsObject = <User extends Identity>(
  permission: Permission<User>,
  context: RequestContext<User>,
  object: PermissionObject,
): Decision => permission.allowsObject === undefined || permission.allowsObject(context, object)

// Created once: it has no stack and is always the same, and it is the most frequent refusal.
const notAuthenticated = new NotAuthenticated()

function createRefusal(context: RequestContext, { message, code, challenge }: Permission): PermissionRefusal {
  if (context.view.hasSchemes && !context.user.isAuthenticated) return notAuthenticated
  return new PermissionDenied(message, code, challenge?.(context))
}
