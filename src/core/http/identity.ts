// The caller of a request. The framework has no table of users: a scheme returns an identity of the application.

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { RequestBody } from './parsers/request-body.ts'

/**
 * The caller as a scheme identified it (SVC-2). An application's own user type extends this.
 *
 * @example
 * interface Member extends Identity {
 *   readonly isAuthenticated: true
 *   readonly id: string
 *   readonly tenant: string
 * }
 */
export interface Identity {
  readonly isAuthenticated: boolean
  /**
   * The primary key of the user: a number, or a text such as a UUID or the `sub` of OpenID Connect. Null for a caller
   * without a primary key, who then owns no object. Within one API, use either numbers or texts: `1` and `'1'` are
   * different callers, but a database may convert one to the other when it compares a column with it.
   */
  readonly id: number | string | null
  readonly username: string
  readonly isStaff: boolean
}

/** The caller's identity, and information from the successful scheme, such as the token (AUTH-GEN-1). */
export interface Caller<out User extends Identity = Identity> {
  readonly user: User
  readonly auth: unknown
  /** A check that needs the parsed body, such as for a CSRF token in a form. Throws to reject the request. */
  /** The version of the API that the request asks for; undefined if the API has no versions. */
  readonly version?: string | undefined
  readonly checkBody?: ((body: RequestBody) => MaybePromise<void>) | undefined
}

/**
 * Whether `id`, such as the value of an owner column, is the caller's primary key. Null matches no caller, not even one
 * without a primary key. A number and a text never match.
 *
 * @example
 * const owner: Permission = {
 *   columns: ['owner_id'],
 *   allowsObject: ({ user }, { owner_id }) => isSameUser(user, owner_id),
 * }
 */
export const isSameUser = (caller: Identity, id: unknown): boolean =>
  caller.isAuthenticated && caller.id !== null && caller.id !== undefined && caller.id === id

/** The type of {@link anonymous}. `isAuthenticated` tells it apart from an application's own user type. */
export interface Anonymous extends Identity {
  readonly isAuthenticated: false
  readonly id: null
  readonly isStaff: false
}

/** The caller when no scheme identifies one; replaceable per API (AUTH-GEN-2). */
export const anonymous: Anonymous = Object.freeze({
  isAuthenticated: false,
  id: null,
  username: '',
  isStaff: false,
})
