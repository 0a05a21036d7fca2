// The actions of a resource, and the options of single ones.

import type { OperationOptions } from '../../describe/openapi-types.ts'
import type { Identity } from '../../http/identity.ts'
import type { ViewPolicies } from '../../view/view.ts'

/** The actions of a resource. `update` is both PUT and PATCH. */
export type Action = 'list' | 'create' | 'retrieve' | 'update' | 'destroy'

/** The methods of actions. GET also handles HEAD. */
export type ActionMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export const actionMethods: Readonly<Record<Action, readonly ActionMethod[]>> = {
  list: ['GET'],
  create: ['POST'],
  retrieve: ['GET'],
  update: ['PUT', 'PATCH'],
  destroy: ['DELETE'],
}

export const allActions: readonly Action[] = ['list', 'create', 'retrieve', 'update', 'destroy']

/** The default actions of a singleton. */
export const singletonActions: readonly Action[] = ['retrieve', 'update', 'destroy']

/** The status of a response to a create. */
export type CreateStatus = 200 | 201 | 202 | 203

/** The options of one action. `Name`: the names of the resource's fields. */
export interface ActionOptions<Name extends string = string, User extends Identity = Identity>
  extends Partial<Omit<ViewPolicies<User>, 'authentication'>> {
  /** The fields that the request body of a create or update may contain; default: all that are not read-only. */
  readonly takes?: readonly Name[]
  /** The fields of the response, in this order; default: all that are not write-only. */
  readonly shows?: readonly Name[]
  /** The status of a created object: 200, 201, 202 or 203; default 201. Only for `create`. */
  readonly status?: CreateStatus
  /** Added to the description of the action in the OpenAPI document; false leaves the action out. */
  readonly openapi?: OperationOptions | false
}

/** The options of single actions. */
export type PerAction<Name extends string = string, User extends Identity = Identity> = {
  readonly [A in Action]?: ActionOptions<Name, User>
}
