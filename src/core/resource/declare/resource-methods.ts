// Which methods the actions of a resource have: `methods` leaves some out, and `objectMethods` replaces some of an object's URL.

import { type Action, type ActionMethod, actionMethods } from './action-options.ts'
import type { Resource } from './resource.ts'

/** The options that decide about methods. */
interface Methods {
  readonly methods?: readonly string[] | undefined
  readonly objectMethods?: { readonly handlers: object } | undefined
  readonly singleton?: unknown
}

const objectActions: ReadonlySet<Action> = new Set(['retrieve', 'update', 'destroy'])

/** Whether `methods` contains this method. */
export const hasMethod = ({ methods }: Pick<Methods, 'methods'>, method: string): boolean =>
  methods === undefined || methods.includes(method)

/** Whether an object of the resource has a URL. */
export const hasObjectUrl = ({ actions, objectMethods }: Pick<Resource, 'actions' | 'objectMethods'>): boolean =>
  objectMethods !== undefined || actions.some(action => objectActions.has(action))

/** The methods that an action has at its own URL. The create of a singleton is a PUT. */
export function listMethodsOf(resource: Methods, action: Action): readonly ActionMethod[] {
  const { singleton, objectMethods } = resource
  const isOfObject = objectActions.has(action) || singleton !== undefined
  const own: readonly ActionMethod[] = singleton && action === 'create' ? ['PUT'] : actionMethods[action]
  return own.filter(
    method => hasMethod(resource, method) && !(isOfObject && Object.hasOwn(objectMethods?.handlers ?? {}, method)),
  )
}
