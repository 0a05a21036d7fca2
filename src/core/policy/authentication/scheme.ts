// Authentication decides who the caller is, never what the caller may do (SVC-2). It runs first, before any view code
// (SVC-1). Schemes are tried in the listed order until one succeeds. A failed attempt ends the request with
// AuthenticationFailed (AUTH-GEN-4).

import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { SecurityScheme } from '../../describe/openapi-types.ts'
import { AuthenticationFailed } from '../../errors/exceptions.ts'
import type { Refusal } from '../../http/context.ts'
import type { Caller, Identity } from '../../http/identity.ts'
import type { MessageText } from '../../messages/english.ts'

/** The result of a scheme for one request. */
export type Attempt<User extends Identity = Identity> =
  | { readonly outcome: 'skip' }
  | ({ readonly outcome: 'success' } & Caller<User>)
  | ({ readonly outcome: 'failure'; readonly message: MessageText } & FailureOptions)

export interface FailureOptions {
  /** Default `authentication_failed`. */
  readonly code?: string
  /**
   * The value of `WWW-Authenticate` if this failure needs another than the first scheme's, such as `Bearer
   * realm="api", error="invalid_token"` (RFC 6750 §3). Without effect if the first scheme has no challenge.
   */
  readonly challenge?: string
}

/**
 * A way to identify callers (AUTH-SCH), who have the type `User`. A scheme may also throw {@link AuthenticationFailed}
 * (AUTH-SCH-6).
 */
export interface Scheme<out User extends Identity = Identity> {
  readonly name: string
  /** The value of `WWW-Authenticate`. If the first scheme has none, refusals are 403 (AUTH-GEN-5). */
  readonly challenge?: string
  /** The request header fields that the scheme reads, in lower case; they are added to `Vary`. */
  readonly varyOn: readonly string[]
  /** Describes the scheme in the OpenAPI document; default: what the challenge and the header fields tell. */
  readonly security?: SecurityScheme
  /** Undefined means `skip` (AUTH-SCH-6). `baseUrl` is the URL of the API as the client sees it. */
  authenticate(request: FastifyRequest, baseUrl: string): MaybePromise<Attempt<User> | undefined>
}

/** The request holds no credentials for this scheme: the next scheme is tried. */
export const skip: Attempt<never> = Object.freeze({ outcome: 'skip' })

/** The scheme identified the caller. */
export const success = <User extends Identity>(user: User, auth: unknown = null): Attempt<User> => ({
  outcome: 'success',
  user,
  auth,
})

/** The credentials are wrong: the request ends. */
export const failure = (message: MessageText, options: FailureOptions = {}): Attempt<never> => ({
  outcome: 'failure',
  message,
  ...options,
})

/** Only the first scheme decides how a view refuses callers (AUTH-GEN-5). */
export const createRefusal = (schemes: readonly Scheme[]): Refusal => ({ challenge: schemes[0]?.challenge })

/** The view settings that authentication uses. */
interface AuthenticationSettings {
  readonly authentication: readonly Scheme[]
  readonly anonymous: Caller
}

/**
 * Tries the view's schemes in order (AUTH-GEN-1). Throws AuthenticationFailed at the first failed attempt. Creates no
 * promise if the schemes are synchronous.
 */
export const authenticate = (
  request: FastifyRequest,
  view: AuthenticationSettings,
  baseUrl: string,
): MaybePromise<Caller> => tryFrom(0, request, view, baseUrl)

function tryFrom(
  start: number,
  request: FastifyRequest,
  view: AuthenticationSettings,
  baseUrl: string,
): MaybePromise<Caller> {
  const { authentication, anonymous } = view
  for (let index = start; index < authentication.length; index++) {
    const attempt = authentication[index]!.authenticate(request, baseUrl)
    // Without an outcome, it is a promise, possibly a thenable from another library.
    if (attempt && !('outcome' in attempt))
      return Promise.resolve(attempt).then(settled => toCaller(settled) ?? tryFrom(index + 1, request, view, baseUrl))
    const caller = toCaller(attempt)
    if (caller !== undefined) return caller
  }
  return anonymous
}

function toCaller(attempt: Attempt | undefined): Caller | undefined {
  if (attempt?.outcome === 'failure') throw new AuthenticationFailed(attempt.message, attempt.code, attempt.challenge)
  return attempt?.outcome === 'success' ? attempt : undefined
}

/**
 * The credentials after a scheme's keyword in the Authorization header field, without white space (RFC 9110 §11.6.2), or the reason why there are none: `absent` if the header is absent or for a
 * different scheme, `missing` if nothing follows the keyword, `spaces` if the credentials contain white space.
 */
type Credentials =
  | { readonly kind: 'absent' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'spaces' }
  | { readonly kind: 'present'; readonly value: string }

const absent: Credentials = { kind: 'absent' }

/** Reads the credentials for `keyword`, which is case-insensitive. */
export function readCredentials(request: FastifyRequest, keyword: string): Credentials {
  const header = request.headers.authorization
  if (header === undefined) return absent
  const { length } = keyword
  if (header.slice(0, length).toLowerCase() !== keyword.toLowerCase()) return absent
  if (header.length === length) return { kind: 'missing' }
  if (!isBlank(header[length]!)) return absent
  let start = length + 1
  while (start < header.length && isBlank(header[start]!)) start++
  const value = header.slice(start).replace(/[ \t]+$/, '')
  if (value === '') return { kind: 'missing' }
  return /[ \t]/.test(value) ? { kind: 'spaces' } : { kind: 'present', value }
}

const isBlank = (character: string): boolean => character === ' ' || character === '\t'
