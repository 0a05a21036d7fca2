// Decides whether the caller may proceed (SVC-3): first for the view, then, once it is found, for the object. A refusal
// is NotAuthenticated for a caller whom no scheme identified, PermissionDenied for any other caller.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import { APIException, NotAuthenticated, PermissionDenied } from '../../errors/exceptions.ts'
import type { RequestContext } from '../../http/context.ts'
import { toCatalogued } from '../../http/errors/host-error.ts'
import type { Identity } from '../../http/identity.ts'
import type { MessageText } from '../../messages/english.ts'
import type { Condition, StoredConditions } from '../../tables/condition.ts'
import { combineFilters, type RowFilter } from './row-filter.ts'

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
// biome-ignore lint/suspicious/noExplicitAny: a permission that does not name its columns fits every table; the start compares them.
export interface Permission<in User extends Identity = Identity, out Column extends string = any> {
  /** Replaces the default message of the refusal. */
  readonly message?: MessageText
  /** Replaces the default code of the refusal. */
  readonly code?: string
  /** Who may do this, for the HTML page of a refusal: `members of the team`; default: not said. */
  readonly audience?: MessageText | ((context: RequestContext) => MessageText)
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
   * Set if `allowsObject` also decides about an object as a create or a change leaves it. It then runs in the transaction, and nothing is
   * written if it refuses.
   */
  readonly checksWritten?: boolean
  /**
   * The rows that exist for this caller. All other rows are left out of lists, counts and choices, and are 404 at their
   * URL.
   */
  readonly filter?: RowFilter<User>
  /**
   * `always`: anonymous callers are refused; `writes`: they may only read. For the OpenAPI document; it does not enforce anything.
   * Default: anonymous callers may be allowed.
   */
  readonly authenticated?: 'always' | 'writes'
  /** The policy that `not` returns; default: the opposite on each level that this policy decides. */
  readonly negated?: () => Permission<User, Column>
  /**
   * Creates the policy for a resource with a declared table; undefined if the policy needs none. A policy of an API has none, and fails at
   * start.
   */
  readonly forTable?: (table: PermissionTable) => Permission<User, Column>
}

/** What a policy needs of the declared table of its resource. */
export interface PermissionTable {
  /** The row filter of a condition. */
  createFilter(condition: Condition | StoredConditions): RowFilter
  /** The check that an object meets a condition. */
  createCheck(condition: Condition | StoredConditions): ConditionCheck
  /** The column with the owner. */
  findOwner(): string
}

/** Asks the database whether an object meets a condition. */
export interface ConditionCheck {
  /** The columns that it reads. */
  readonly columns: readonly string[]
  readonly meets: (context: RequestContext, object: PermissionObject) => Promise<boolean>
}

/** Throws an Error for a policy that needs a declared table and has none. */
export function checkComplete(permissions: readonly Permission[]): void {
  const refuse = (message: string) => (): never => {
    throw new Error(message)
  }
  const refuseCondition = refuse(
    'rowFilter(): a condition is for a resource with a declared table, its actions and its lists: write SQL for others',
  )
  const noTable = {
    createFilter: refuseCondition,
    createCheck: refuseCondition,
    findOwner: refuse(
      'ownerOrReadOnly(): without a column, it is for a resource with a declared table, its actions and its views: name the column for others',
    ),
  }
  for (const { forTable } of permissions) forTable?.(noTable)
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
export function isPermitted(
  context: RequestContext,
  permissions: readonly Permission[],
  object?: PermissionObject,
): MaybePromise<boolean> {
  const refuse = (error: unknown): false => {
    if (toCatalogued(error, context.request) instanceof APIException) return false
    throw error
  }
  const checkObject = async (refusal: MaybeRefusal): Promise<boolean> => {
    if (refusal !== undefined) return false
    if (object !== undefined) await checkObjectPermissions(context, permissions, object)
    return true
  }
  try {
    const deciding = findRefusal(context, permissions)
    if (deciding instanceof Promise) return deciding.then(checkObject).catch(refuse)
    return object === undefined ? deciding === undefined : checkObject(deciding).catch(refuse)
  } catch (error) {
    return refuse(error)
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

/** The rows that all policies together allow, of a resource's own rows; undefined for all rows. */
export const createRowFilter = <User extends Identity>(
  permissions: readonly Permission<User>[],
  ownRows?: RowFilter<User>,
): RowFilter<User> | undefined =>
  combineFilters([...(ownRows ? [ownRows] : []), ...permissions.flatMap(({ filter }) => filter ?? [])])

/** The policies whose object level applies to reads. */
export const listReadObjectPermissions = <User extends Identity>(
  permissions: readonly Permission<User>[],
): readonly Permission<User>[] => permissions.filter(({ allowsSafe = false }) => !allowsSafe)

/** The decision of one policy on the view. If the policy returns undefined, the caller is refused. */
export const allowsView = <User extends Identity>(
  permission: Permission<User>,
  context: RequestContext<User>,
): Decision => permission.allows === undefined || permission.allows(context)

/** The decision of one policy on an object. */
export const allowsObject = <User extends Identity>(
  permission: Permission<User>,
  context: RequestContext<User>,
  object: PermissionObject,
): Decision => permission.allowsObject === undefined || permission.allowsObject(context, object)

// Created once: it has no stack and is always the same, and it is the most frequent refusal.
const notAuthenticated = new NotAuthenticated()

function createRefusal(context: RequestContext, { message, code, challenge, audience }: Permission): PermissionRefusal {
  if (context.view.hasSchemes && !context.user.isAuthenticated) return notAuthenticated
  const whoMay = typeof audience === 'function' ? audience(context) : audience
  return new PermissionDenied(message, code, challenge?.(context), whoMay)
}
