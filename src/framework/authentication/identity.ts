// The caller of a request. The framework has no table of users: a scheme returns an identity of the application.

import type { MaybePromise } from '../maybe-promise.ts'
import type { RequestBody } from '../parsers/request-body.ts'

/** The caller as a scheme identified it (SVC-2). An application's own user type extends this. */
export interface Identity {
  readonly isAuthenticated: boolean
  /**
   * The primary key of the user, or the text by which an external provider identifies the caller; null for an anonymous
   * caller.
   */
  readonly id: number | string | null
  readonly username: string
  readonly isStaff: boolean
}

/** The caller's identity, and information from the successful scheme, such as the token (AUTH-GEN-1). */
export interface Caller {
  readonly user: Identity
  readonly auth: unknown
  /** A check that needs the parsed body, such as for a CSRF token in a form. Throws to reject the request. */
  readonly checkBody?: ((body: RequestBody) => MaybePromise<void>) | undefined
}

/** Whether `id` is the caller's primary key. Null matches no caller, not even one without a primary key. */
export const isSameUser = (caller: Identity, id: unknown): boolean =>
  caller.isAuthenticated && caller.id !== null && caller.id !== undefined && caller.id === id

/** The caller when no scheme identifies one; replaceable per API (AUTH-GEN-2). */
export const anonymous: Identity = Object.freeze({
  isAuthenticated: false,
  id: null,
  username: '',
  isStaff: false,
})
