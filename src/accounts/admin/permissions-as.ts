import type { Permission, RequestContext, Resource } from '#core'

/**
 * The permissions of a view that staff read before they change or delete an object: those of a GET of the object, and those of the
 * method itself.
 */
export function permissionsAs(
  method: 'PATCH' | 'DELETE',
  { permissions = [], perAction }: Resource,
): readonly Permission[] {
  const [toRead, toWrite] = [perAction.retrieve, method === 'PATCH' ? perAction.update : perAction.destroy].map(
    action => action?.permissions ?? permissions,
  )
  return [...toRead!, ...toWrite!.map(permission => asMethod(method, permission))]
}

function asMethod(method: string, { allowsSafe: _, allows, allowsObject, ...permission }: Permission): Permission {
  const change = (context: RequestContext): RequestContext => ({ ...context, method })
  return {
    ...permission,
    ...(allows && { allows: context => allows(change(context)) }),
    ...(allowsObject && { allowsObject: (context, object) => allowsObject(change(context), object) }),
  }
}
