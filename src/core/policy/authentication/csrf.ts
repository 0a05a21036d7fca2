// Protects callers who are identified by a cookie against cross-site request forgery (AUTH-SCH-4). A page of this
// service gets a token, and sends it back in addition to the cookie that holds the same token (AUTH-GAP-b1). The token
// is signed for one session: a token of another user, or from before the login, is invalid. A failed check throws
// PermissionDenied.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { listSecrets, type Secret } from '../../base/secret.ts'
import { PermissionDenied } from '../../errors/exceptions.ts'
import type { RequestBody } from '../../http/parsers/request-body.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { formatCookie, readCookie } from './cookies.ts'

export interface CsrfOptions {
  /**
   * Signs tokens; the same in all processes of a service. If it is a list, the first secret signs new tokens, and tokens
   * that were signed with any of them are accepted.
   */
  readonly secret: Secret
  /** The name of the cookie that holds the session id; default `sessionid`. */
  readonly sessionCookie?: string
  /** Origins, in addition to the service's own, whose pages may send requests, such as `https://app.example.org`. */
  readonly trustedOrigins?: readonly string[]
}

export interface Csrf {
  readonly sessionCookie: string
  /** Returns the token for the forms and scripts of a page: the token of the request if it is valid, else a new one. */
  issue(request: FastifyRequest, baseUrl: string): IssuedToken
  /** Returns the `Set-Cookie` value of a new token for the session that begins with this response. */
  renew(session: string, baseUrl: string): string
  /** Throws if the check fails. If the token can only be in the body, returns a check for the body. */
  check(request: FastifyRequest, baseUrl: string): ((body: RequestBody) => void) | undefined
}

/** A token, and the `Set-Cookie` value for the page's response; undefined if the request already had this token. */
export interface IssuedToken {
  readonly token: string
  readonly setCookie: string | undefined
}

/** The name of the form field that holds the token. */
export const csrfField = 'csrfmiddlewaretoken'

/** The name of the cookie that holds the token. */
export const csrfCookie = 'csrftoken'

const tokenHeader = 'x-csrftoken'
const tokenFormat = /^[\w-]{22}\.[\w-]{43}$/
/** A year, in seconds: a token ends with its session anyway. */
const maxAge = 365 * 24 * 60 * 60

export function createCsrf(options: CsrfOptions): Csrf {
  const { secret, sessionCookie = 'sessionid', trustedOrigins = [] } = options
  const [current, ...fallbacks] = listSecrets(secret) as [string, ...string[]]
  const sign = (nonce: string, session: string, signingSecret = current) =>
    `${nonce}.${createHmac('sha256', signingSecret).update(`${nonce}.${session}`).digest('base64url')}`
  const isValidFor = (token: string, session: string) => {
    if (!tokenFormat.test(token)) return false
    const nonce = token.slice(0, 22)
    return (
      isSame(token, sign(nonce, session)) || fallbacks.some(fallback => isSame(token, sign(nonce, session, fallback)))
    )
  }
  const readSession = (request: FastifyRequest) => readCookie(request, sessionCookie) ?? ''
  const createToken = (session: string, baseUrl: string) => {
    const token = sign(randomBytes(16).toString('base64url'), session)
    return { token, setCookie: formatCookie({ name: csrfCookie, value: token, maxAge, httpOnly: false }, baseUrl) }
  }

  return {
    sessionCookie,
    issue(request, baseUrl) {
      const session = readSession(request)
      const requestToken = readCookie(request, csrfCookie)
      if (requestToken !== undefined && isValidFor(requestToken, session))
        return { token: requestToken, setCookie: undefined }
      return createToken(session, baseUrl)
    },
    renew: (session, baseUrl) => createToken(session, baseUrl).setCookie,
    check(request, baseUrl) {
      checkOrigin(request, URL.parse(baseUrl)?.origin ?? baseUrl, trustedOrigins)
      const cookieToken = readCookie(request, csrfCookie)
      if (cookieToken === undefined) throw csrfFailure('CSRF cookie not set')
      const checkToken = (sent: string | null) => {
        if (sent === null) throw csrfFailure('CSRF token missing')
        if (!isSame(sent, cookieToken) || !isValidFor(cookieToken, readSession(request)))
          throw csrfFailure('CSRF token incorrect')
      }
      const sent = request.headers[tokenHeader]
      if (sent === undefined && isForm(request)) return body => checkToken(findToken(body))
      checkToken(sent === undefined ? null : String(sent))
      return undefined
    },
  }
}

// Browsers send Origin with every unsafe request; `null`, an opaque origin, is never trusted. Without Origin, the
// Referer is checked over HTTPS, where nobody on the network can forge or remove it.
function checkOrigin({ headers }: FastifyRequest, ownOrigin: string, trusted: readonly string[]): void {
  const { origin, referer } = headers
  const isTrusted = (candidate: string) => candidate === ownOrigin || trusted.includes(candidate)
  if (origin !== undefined) {
    if (isTrusted(origin)) return
    throw csrfFailure(`Origin checking failed - ${origin} does not match any trusted origins`)
  }
  if (!ownOrigin.startsWith('https:')) return
  if (referer === undefined) throw csrfFailure('Referer checking failed - no Referer')
  const page = URL.parse(referer)
  if (page === null) throw csrfFailure('Referer checking failed - Referer is malformed')
  if (page.protocol !== 'https:')
    throw csrfFailure('Referer checking failed - Referer is insecure while host is secure')
  if (!isTrusted(page.origin))
    throw csrfFailure(`Referer checking failed - ${referer} does not match any trusted origins`)
}

const isForm = ({ headers }: FastifyRequest): boolean =>
  /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(headers['content-type'] ?? '')

// Files are read after this check, so the token must come before them. A stream of parts is read after it as a whole, so
// clients that send one must send the token in the header.
const findToken = (body: RequestBody): string | null =>
  body.kind === 'form' || body.kind === 'upload' ? body.form.get(csrfField) : null

// Token length is not secret, so comparing it first is safe.
function isSame(sent: string, expected: string): boolean {
  const [left, right] = [Buffer.from(sent), Buffer.from(expected)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const csrfFailure = (reason: string): PermissionDenied =>
  new PermissionDenied(frameworkMessages('csrf_failed', { reason }))
