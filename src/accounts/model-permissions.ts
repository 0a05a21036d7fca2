import { type Identity, isSafe, type Permission } from '#core'
import { pageMessages } from '#pages'
import { formatPermission, type Grant, type GrantedPermissions } from './granted-permissions.ts'
import { grantNames, nameModel } from './permission-names.ts'

export interface ModelPermissionsOptions {
  /** Whether everyone may read, including anonymous callers. Default: false, which requires `view`. */
  readonly openReads?: boolean
  /** Replaces the error message. */
  readonly message?: string
  /** Replaces the error code. */
  readonly code?: string
}

const grantByMethod: Readonly<Record<string, Grant>> = {
  GET: 'view',
  HEAD: 'view',
  POST: 'add',
  PUT: 'change',
  PATCH: 'change',
  DELETE: 'delete',
}

/**
 * Requires the caller's permissions for this model, like Django REST framework's `DjangoModelPermissions`: `add` for
 * POST, `change` for PUT and PATCH, `delete` for DELETE, `view` for GET and HEAD. Any authenticated caller may send
 * OPTIONS; the response lists only the permitted methods.
 *
 * @example
 * const permissions = [modelPermissions(granted, 'orders', { openReads: true })]
 */
export function modelPermissions(
  granted: GrantedPermissions,
  model: string,
  { openReads = false, ...refusal }: ModelPermissionsOptions = {},
): Permission<Identity, never> {
  return Object.freeze<Permission<Identity, never>>({
    ...refusal,
    authenticated: openReads ? 'writes' : 'always',
    audience: ({ method }) =>
      pageMessages('page.who_granted', { model: nameModel(model), grant: grantNames[grantByMethod[method] ?? 'view'] }),
    allows(context) {
      const { user, method } = context
      if (openReads && isSafe(method)) return true
      const grant = grantByMethod[method]
      return grant === undefined ? user.isAuthenticated : granted.has(context, formatPermission(grant, model))
    },
  })
}
