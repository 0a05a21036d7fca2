import { isSafe, type Permission } from '../framework/permissions/permission.ts'
import { type Grant, type GrantedPermissions, permissionTo } from './granted-permissions.ts'

export interface ModelPermissionsOptions {
  /** May everyone read, callers whom nobody knows included? Default: who has `view`. */
  readonly openReads?: boolean
  /** Replaces the text of the refusal. */
  readonly message?: string
  /** Replaces the code of the refusal. */
  readonly code?: string
}

const needed: Readonly<Record<string, Grant>> = {
  GET: 'view',
  HEAD: 'view',
  POST: 'add',
  PUT: 'change',
  PATCH: 'change',
  DELETE: 'delete',
}

/**
 * Callers do what they have been granted for this model (Django REST framework's `DjangoModelPermissions`): `add` for
 * POST, `change` for PUT and PATCH, `delete` for DELETE, `view` for reading. Whoever is authenticated may ask what there
 * is (`OPTIONS`), and is told of the methods that are granted.
 *
 * @example
 * const permissions = [modelPermissions(granted, 'snippets', { openReads: true })]
 */
export function modelPermissions(
  granted: GrantedPermissions,
  model: string,
  { openReads = false, ...words }: ModelPermissionsOptions = {},
): Permission {
  return Object.freeze<Permission>({
    ...words,
    allows(context) {
      const { user, method } = context
      if (openReads && isSafe(method)) return true
      const grant = needed[method]
      return grant === undefined ? user.isAuthenticated : granted.has(context, permissionTo(grant, model))
    },
  })
}
