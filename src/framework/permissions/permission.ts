// Decides whether the identified caller may proceed (SVC-3): first for the view, then, once it is found, for the
// object. A refusal is NotAuthenticated for a caller whom no scheme identified, PermissionDenied for the others.

import { NotAuthenticated, PermissionDenied } from '../errors/exceptions.ts'
import type { Context } from '../view.ts'

/** The columns of the object that the view's policies asked for. */
export type PermissionObject = Readonly<Record<string, unknown>>

type Decision = boolean | Promise<boolean>

/** A permission policy. A level that is left out allows everything. */
export interface Permission {
  /** Replaces the text of the refusal. */
  readonly message?: string
  /** Replaces the code of the refusal. */
  readonly code?: string
  /** May this caller use this view at all? */
  readonly allows?: (context: Context) => Decision
  /** May this caller do this with this object? */
  readonly allowsObject?: (context: Context, object: PermissionObject) => Decision
  /** The columns of the object that `allowsObject` reads. */
  readonly columns?: readonly string[]
  /** `allowsObject` always allows safe methods: a read need not bring the columns, and does not ask. */
  readonly allowsSafe?: boolean
}

/** Methods that only read (END-SNIP-5, RFC 9110 §9.2.1). */
export const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** The view level: throws where a policy refuses. */
export async function checkPermissions(context: Context): Promise<void> {
  for (const permission of context.view.permissions) {
    const decision = allowsView(permission, context)
    if (!(typeof decision === 'boolean' ? decision : await decision)) throw refusal(context, permission)
  }
}

/** The object level: throws where a policy refuses. */
export async function checkObjectPermissions(context: Context, object: PermissionObject): Promise<void> {
  for (const permission of context.view.permissions) {
    if (permission.allowsSafe && isSafe(context.request.method)) continue
    if (!(await allowsObject(permission, context, object))) throw refusal(context, permission)
  }
}

/** The columns that object permissions read; undefined where there is no object permission. */
export function objectColumns(permissions: readonly Permission[]): readonly string[] | undefined {
  const judges = permissions.filter(permission => permission.allowsObject !== undefined)
  return judges.length === 0 ? undefined : [...new Set(judges.flatMap(permission => permission.columns ?? []))]
}

/** Those whose object level has a say in reading. */
export const judgesOfReads = (permissions: readonly Permission[]): readonly Permission[] =>
  permissions.filter(({ allowsSafe = false }) => !allowsSafe)

/** Allowed where every one of the policies allows. */
export function and(...permissions: readonly Permission[]): Permission {
  return Object.freeze({
    allowsSafe: objectColumns(judgesOfReads(permissions)) === undefined,
    ...objectLevel(permissions, async (context, object) => {
      for (const permission of permissions) if (!(await allowsObject(permission, context, object))) return false
      return true
    }),
    async allows(context: Context) {
      for (const permission of permissions) if (!(await allowsView(permission, context))) return false
      return true
    },
  })
}

/** Allowed where one of the policies allows: for an object, the same policy must allow the view as well. */
export function or(...permissions: readonly Permission[]): Permission {
  return Object.freeze({
    ...objectLevel(permissions, async (context, object) => {
      for (const permission of permissions) {
        if ((await allowsView(permission, context)) && (await allowsObject(permission, context, object))) return true
      }
      return false
    }),
    async allows(context: Context) {
      for (const permission of permissions) if (await allowsView(permission, context)) return true
      return false
    },
  })
}

/** Allowed where the policy refuses, on each level that the policy decides. */
export function not(permission: Permission): Permission {
  return Object.freeze({
    ...(permission.allows && {
      allows: async (context: Context) => !(await allowsView(permission, context)),
    }),
    ...objectLevel([permission], async (context, object) => !(await allowsObject(permission, context, object))),
  })
}

function objectLevel(
  permissions: readonly Permission[],
  decide: NonNullable<Permission['allowsObject']>,
): Pick<Permission, 'allowsObject' | 'columns'> {
  const columns = objectColumns(permissions)
  return columns === undefined ? {} : { columns, allowsObject: decide }
}

const allowsView = (permission: Permission, context: Context): Decision => permission.allows?.(context) ?? true

const allowsObject = (permission: Permission, context: Context, object: PermissionObject): Decision =>
  permission.allowsObject?.(context, object) ?? true

function refusal({ user, view }: Context, { message, code }: Permission): NotAuthenticated | PermissionDenied {
  if (view.authentication.length > 0 && !user.isAuthenticated) return new NotAuthenticated()
  return new PermissionDenied(message, code)
}
