// Decides who the caller is, never what the caller may do (SVC-2). Runs first of all, before any view code (SVC-1).
// Schemes are tried in order; the first success wins. An attempt that fails ends the request (AUTH-GEN-4): AuthenticationFailed.

import type { FastifyRequest } from 'fastify'
import type { Refusal } from '../context.ts'
import { AuthenticationFailed } from '../errors/exceptions.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Caller, Identity } from './identity.ts'

/** What a scheme found in a request. */
export type Attempt =
  | { readonly outcome: 'skip' }
  | ({ readonly outcome: 'success' } & Caller)
  | { readonly outcome: 'failure'; readonly message: string; readonly code?: string }

/** A way to identify callers (AUTH-SCH). A scheme may also throw {@link AuthenticationFailed} (AUTH-SCH-6). */
export interface Scheme {
  readonly name: string
  /** The value of `WWW-Authenticate`; without one, refusals are 403 (AUTH-GEN-5). */
  readonly challenge?: string
  /** The request header fields that the scheme reads, lower case: they become part of `Vary`. */
  readonly varyOn: readonly string[]
  /** Nothing at all means the same as `skip` (AUTH-SCH-6). `baseUrl` is where the API is, as the client sees it. */
  authenticate(request: FastifyRequest, baseUrl: string): MaybePromise<Attempt | undefined>
}

/** The scheme found no attempt: the next one is asked. */
export const skip: Attempt = Object.freeze({ outcome: 'skip' })

/** The scheme identified the caller. */
export const success = (user: Identity, auth: unknown = null): Attempt => ({ outcome: 'success', user, auth })

/** There is an attempt, and it failed: the request ends here. */
export const failure = (message: string, code?: string): Attempt =>
  code === undefined ? { outcome: 'failure', message } : { outcome: 'failure', message, code }

/** The first scheme alone decides how a view refuses (AUTH-GEN-5). */
export const refusalBy = (schemes: readonly Scheme[]): Refusal => ({ challenge: schemes[0]?.challenge })

/** The part of a view that says who its callers are. */
interface Authenticating {
  readonly authentication: readonly Scheme[]
  readonly anonymous: Caller
}

/**
 * Tries the view's schemes in order (AUTH-GEN-1); throws AuthenticationFailed at the first attempt that fails. A scheme
 * that decides at once costs no promise.
 */
export const authenticate = (request: FastifyRequest, view: Authenticating, baseUrl: string): MaybePromise<Caller> =>
  tryFrom(0, request, view, baseUrl)

function tryFrom(from: number, request: FastifyRequest, view: Authenticating, baseUrl: string): MaybePromise<Caller> {
  const { authentication, anonymous } = view
  for (let index = from; index < authentication.length; index++) {
    const attempt = authentication[index]!.authenticate(request, baseUrl)
    // What has no outcome yet will have one, whosever promise it is.
    if (attempt && !('outcome' in attempt))
      return Promise.resolve(attempt).then(found => callerOf(found) ?? tryFrom(index + 1, request, view, baseUrl))
    const caller = callerOf(attempt)
    if (caller !== undefined) return caller
  }
  return anonymous
}

function callerOf(attempt: Attempt | undefined): Caller | undefined {
  if (attempt?.outcome === 'failure') throw new AuthenticationFailed(attempt.message, attempt.code)
  return attempt?.outcome === 'success' ? attempt : undefined
}
