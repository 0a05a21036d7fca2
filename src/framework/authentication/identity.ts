// The caller of a request. The framework knows no table of users: a scheme brings whatever identity its application has.

import type { MaybePromise } from '../maybe-promise.ts'
import type { RequestBody } from '../parsers/request-body.ts'

/** The caller, as a scheme identified it (SVC-2). An application's own user type extends this. */
export interface Identity {
  readonly isAuthenticated: boolean
  /** The primary key of the user; null for an anonymous caller. */
  readonly id: number | null
  readonly username: string
  readonly isStaff: boolean
}

/** The caller's identity, and what the successful scheme knows of it, such as the token (AUTH-GEN-1). */
export interface Caller {
  readonly user: Identity
  readonly auth: unknown
  /** Checks what only the body can prove, once it has been read, such as a CSRF token in a form; throws. */
  readonly checkBody?: ((body: RequestBody) => MaybePromise<void>) | undefined
}
/** Is this the key of the caller? Null is nobody: it matches no caller, not even one without a key. */
export const isUser = (caller: Identity, id: unknown): boolean =>
  caller.isAuthenticated && caller.id !== null && caller.id !== undefined && caller.id === id

/** The caller whom no scheme identified; replaceable per API (AUTH-GEN-2). */
export const anonymous: Identity = Object.freeze({
  isAuthenticated: false,
  id: null,
  username: '',
  isStaff: false,
})
