// Decides whether the identified caller may proceed (SVC-3): first for the view, then, once it is found, for the
// object. A refusal is NotAuthenticated for a caller whom no scheme identified, PermissionDenied for the others.

import { sql } from 'kysely'
import type { RequestContext } from '../context.ts'
import { APIException, NotAuthenticated, PermissionDenied } from '../errors/exceptions.ts'
import { fromHost } from '../errors/host-error.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import { everyFilter, joinFilters, type RowFilter } from './row-filter.ts'

/** The columns of the object that the view's policies asked for. */
export type PermissionObject = Readonly<Record<string, unknown>>

type Decision = MaybePromise<boolean>

/** A permission policy. A level that is left out allows everything. */
export interface Permission {
  /** Replaces the text of the refusal. */
  readonly message?: string
  /** Replaces the code of the refusal. */
  readonly code?: string
  /** May this caller use this view at all? */
  readonly allows?: (context: RequestContext) => Decision
  /** May this caller do this with this object? */
  readonly allowsObject?: (context: RequestContext, object: PermissionObject) => Decision
  /** The columns of the object that `allowsObject` reads. */
  readonly columns?: readonly string[]
  /** `allowsObject` always allows safe methods: a read need not bring the columns, and does not ask. */
  readonly allowsSafe?: boolean
  /** The rows that exist for this caller: the others are in no list, no count and no choice, and 404 at their URL. */
  readonly filter?: RowFilter
  /** What `not` makes of it; default: its opposite on each level that it decides. */
  readonly negated?: () => Permission
}

/** Methods that only read (END-SNIP-5, RFC 9110 §9.2.1). */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** An answer to a caller who may not: 401 or 403. */
export type PermissionRefusal = NotAuthenticated | PermissionDenied

/**
 * The view level: the refusal of the first policy that refuses; undefined where all of them allow. It is not thrown,
 * because strangers get it most, and thrown it makes a 401 a tenth dearer. A policy that decides at once costs no promise.
 */
export const findRefusal = (context: RequestContext, permissions: readonly Permission[]): MaybePromise<Found> =>
  findFrom(0, context, permissions)

type Found = PermissionRefusal | undefined

function findFrom(from: number, context: RequestContext, permissions: readonly Permission[]): MaybePromise<Found> {
  for (let index = from; index < permissions.length; index++) {
    const permission = permissions[index]!
    const decision = allowsView(permission, context)
    if (typeof decision !== 'boolean')
      return Promise.resolve(decision).then(allowed =>
        allowed ? findFrom(index + 1, context, permissions) : refusal(context, permission),
      )
    if (!decision) return refusal(context, permission)
  }
  return undefined
}

/** Would every policy let this caller do this? For saying so, not for letting it happen. */
export async function permits(
  context: RequestContext,
  permissions: readonly Permission[],
  object?: PermissionObject,
): Promise<boolean> {
  try {
    if ((await findRefusal(context, permissions)) !== undefined) return false
    if (object !== undefined) await checkObjectPermissions(context, permissions, object)
    return true
  } catch (error) {
    if (fromHost(error, context.request) instanceof APIException) return false
    throw error
  }
}

/** The object level: throws where a policy refuses. */
export async function checkObjectPermissions(
  context: RequestContext,
  permissions: readonly Permission[],
  object: PermissionObject,
): Promise<void> {
  for (const permission of permissions) {
    if (permission.allowsSafe && isSafe(context.method)) continue
    if (!(await allowsObject(permission, context, object))) throw refusal(context, permission)
  }
}

/** The columns that object permissions read; undefined where there is no object permission. */
export function objectColumns(permissions: readonly Permission[]): readonly string[] | undefined {
  const judges = permissions.filter(permission => permission.allowsObject !== undefined)
  return judges.length === 0 ? undefined : [...new Set(judges.flatMap(permission => permission.columns ?? []))]
}

/** What the policies together leave of the rows; undefined for all of them. */
export const rowsFor = (permissions: readonly Permission[]): RowFilter | undefined =>
  everyFilter(permissions.flatMap(({ filter }) => filter ?? []))

/** Those whose object level has a say in reading. */
export const objectPermissionsOfReads = (permissions: readonly Permission[]): readonly Permission[] =>
  permissions.filter(({ allowsSafe = false }) => !allowsSafe)

/** Allowed where every one of the policies allows. */
export function and(...permissions: readonly Permission[]): Permission {
  const filter = rowsFor(permissions)
  return Object.freeze({
    negated: () => or(...permissions.map(not)),
    allowsSafe: objectColumns(objectPermissionsOfReads(permissions)) === undefined,
    ...(filter && { filter }),
    ...objectLevel(permissions, async (context, object) => {
      for (const permission of permissions) if (!(await allowsObject(permission, context, object))) return false
      return true
    }),
    async allows(context: RequestContext) {
      for (const permission of permissions) if (!(await allowsView(permission, context))) return false
      return true
    },
  })
}

/**
 * Allowed where one of the policies allows: for an object, the same policy must allow the view as well. Throws where one
 * of them has a filter and another one judges objects: no object says through whose filter it came.
 */
export function or(...permissions: readonly Permission[]): Permission {
  const isFiltered = permissions.some(({ filter }) => filter !== undefined)
  checkLevels(permissions)
  return Object.freeze({
    negated: () => and(...permissions.map(not)),
    ...(isFiltered && {
      filter: joinFilters(permissions.map(whereAllowed), conditions => sql`(${sql.join(conditions, sql` or `)})`),
    }),
    ...objectLevel(permissions, async (context, object) => {
      for (const permission of permissions) {
        if ((await allowsView(permission, context)) && (await allowsObject(permission, context, object))) return true
      }
      return false
    }),
    async allows(context: RequestContext) {
      for (const permission of permissions) if (await allowsView(permission, context)) return true
      return false
    },
  })
}

/** Allowed where the policy refuses, on each level that the policy decides. */
export function not(permission: Permission): Permission {
  const { filter, negated } = permission
  if (negated !== undefined) return negated()
  return Object.freeze({
    negated: () => permission,
    ...(permission.allows && {
      allows: async (context: RequestContext) => (await allowsView(permission, context)) === false,
    }),
    ...(filter && { filter: joinFilters([filter], ([condition]) => sql`not coalesce(${condition!}, false)`) }),
    ...objectLevel(
      [permission],
      async (context, object) => (await allowsObject(permission, context, object)) === false,
    ),
  })
}

function checkLevels(permissions: readonly Permission[]): void {
  const judges = permissions.filter(({ allowsObject }) => allowsObject !== undefined)
  const filtered = permissions.filter(({ filter }) => filter !== undefined)
  if (filtered.some(own => judges.some(other => other !== own)))
    throw new Error(
      'or(): one policy has a filter and another one allowsObject: give both of them a filter, or neither',
    )
}

// The rows of one policy among several: none where it refuses the view.
function whereAllowed(permission: Permission): RowFilter {
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

function objectLevel(
  permissions: readonly Permission[],
  decide: NonNullable<Permission['allowsObject']>,
): Pick<Permission, 'allowsObject' | 'columns'> {
  const columns = objectColumns(permissions)
  return columns === undefined ? {} : { columns, allowsObject: decide }
}

// Whoever forgets to answer refuses.
const allowsView = (permission: Permission, context: RequestContext): Decision =>
  permission.allows === undefined || permission.allows(context)

const allowsObject = (permission: Permission, context: RequestContext, object: PermissionObject): Decision =>
  permission.allowsObject === undefined || permission.allowsObject(context, object)

// Without a stack and always the same, it is made once: this is the answer that strangers get most.
const notAuthenticated = new NotAuthenticated()

function refusal({ user, view }: RequestContext, { message, code }: Permission): PermissionRefusal {
  if (view.hasSchemes && !user.isAuthenticated) return notAuthenticated
  return new PermissionDenied(message, code)
}
