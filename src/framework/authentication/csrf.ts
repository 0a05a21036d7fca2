// Protects those whom a cookie identifies from requests that other sites make in their name (AUTH-SCH-4). A page of this
// service has a token, which it sends back beside the cookie that holds the same (AUTH-GAP-b1). The token is signed for
// one session: that of another user, or from before the login, is worth nothing. Rejects with PermissionDenied.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { PermissionDenied } from '../errors/exceptions.ts'
import type { RequestBody } from '../parsers/request-body.ts'
import { listSecrets, type Secret } from '../secret.ts'
import { formatCookie, readCookie } from './cookies.ts'

export interface CsrfOptions {
  /** Signs tokens; the same in all processes of a service. If there are several, the first signs, and all are accepted. */
  readonly secret: Secret
  /** The name of the cookie that holds the id of the session; default `sessionid`. */
  readonly sessionCookie?: string
  /** Origins beside the service's own whose pages may send, such as `https://app.example.org`. */
  readonly trustedOrigins?: readonly string[]
}

export interface Csrf {
  readonly sessionCookie: string
  /** The token for the forms and scripts of a page: the one that the request brought, else a new one. */
  issue(request: FastifyRequest, baseUrl: string): IssuedToken
  /** The `Set-Cookie` value of a token for the session that begins with this response. */
  renew(session: string, baseUrl: string): string
  /** Throws where something is wrong. Where only the body can bring the token, answers what is left to be checked. */
  check(request: FastifyRequest, baseUrl: string): ((body: RequestBody) => void) | undefined
}

/** A token, and the `Set-Cookie` value that a page's response has to carry; none for a token that the request brought. */
export interface IssuedToken {
  readonly token: string
  readonly setCookie: string | undefined
}

/** The name of the field that holds the token in a form. */
export const csrfField = 'csrfmiddlewaretoken'

/** The name of the cookie that holds the token. */
export const csrfCookie = 'csrftoken'

const header = 'x-csrftoken'
const format = /^[\w-]{22}\.[\w-]{43}$/
/** A year: a token ends with its session. */
const maxAge = 365 * 24 * 60 * 60

export function createCsrf(options: CsrfOptions): Csrf {
  const { secret, sessionCookie = 'sessionid', trustedOrigins = [] } = options
  const [current, ...fallbacks] = listSecrets(secret) as [string, ...string[]]
  const sign = (nonce: string, session: string, by = current) =>
    `${nonce}.${createHmac('sha256', by).update(`${nonce}.${session}`).digest('base64url')}`
  const isFor = (token: string, session: string) => {
    if (!format.test(token)) return false
    const nonce = token.slice(0, 22)
    return isSame(token, sign(nonce, session)) || fallbacks.some(by => isSame(token, sign(nonce, session, by)))
  }
  const sessionOf = (request: FastifyRequest) => readCookie(request, sessionCookie) ?? ''
  const createToken = (session: string, baseUrl: string) => {
    const token = sign(randomBytes(16).toString('base64url'), session)
    return { token, setCookie: formatCookie({ name: csrfCookie, value: token, maxAge, httpOnly: false }, baseUrl) }
  }

  return {
    sessionCookie,
    issue(request, baseUrl) {
      const session = sessionOf(request)
      const brought = readCookie(request, csrfCookie)
      if (brought !== undefined && isFor(brought, session)) return { token: brought, setCookie: undefined }
      return createToken(session, baseUrl)
    },
    renew: (session, baseUrl) => createToken(session, baseUrl).setCookie,
    check(request, baseUrl) {
      checkOrigin(request, URL.parse(baseUrl)?.origin ?? baseUrl, trustedOrigins)
      const kept = readCookie(request, csrfCookie)
      if (kept === undefined) throw failed('CSRF cookie not set')
      const checkToken = (sent: string | null) => {
        if (sent === null) throw failed('CSRF token missing')
        if (!isSame(sent, kept) || !isFor(kept, sessionOf(request))) throw failed('CSRF token incorrect')
      }
      const sent = request.headers[header]
      if (sent === undefined && hasForm(request)) return body => checkToken(fieldOf(body))
      checkToken(sent === undefined ? null : String(sent))
      return undefined
    },
  }
}

// Browsers name the origin of what may change something; a page that hides its own (`null`) is none of ours. Where only
// the page is named, its word counts over HTTPS: there nobody else can have written or cut it out.
function checkOrigin({ headers }: FastifyRequest, own: string, trusted: readonly string[]): void {
  const { origin, referer } = headers
  const isTrusted = (candidate: string) => candidate === own || trusted.includes(candidate)
  if (origin !== undefined) {
    if (isTrusted(origin)) return
    throw failed(`Origin checking failed - ${origin} does not match any trusted origins`)
  }
  if (!own.startsWith('https:')) return
  if (referer === undefined) throw failed('Referer checking failed - no Referer')
  const page = URL.parse(referer)
  if (page === null) throw failed('Referer checking failed - Referer is malformed')
  if (page.protocol !== 'https:') throw failed('Referer checking failed - Referer is insecure while host is secure')
  if (!isTrusted(page.origin)) throw failed(`Referer checking failed - ${referer} does not match any trusted origins`)
}

const hasForm = ({ headers }: FastifyRequest): boolean =>
  /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)\s*(?:;|$)/i.test(headers['content-type'] ?? '')

// The parts of a form that is read while it arrives come too late: there the header is needed.
const fieldOf = (body: RequestBody): string | null => (body.kind === 'form' ? body.form.get(csrfField) : null)

// How long a token is, is no secret.
function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const failed = (reason: string): PermissionDenied => new PermissionDenied(`CSRF Failed: ${reason}.`, 'csrf_failed')
