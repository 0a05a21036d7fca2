// Cookies (RFC 6265): what a request brings, and what an answer sets: for the whole site, and not for requests that
// other sites make.

import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

/** A cookie that an answer sets. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** Seconds; 0 or less takes the cookie away. */
  readonly maxAge: number
  /** Kept from scripts? */
  readonly httpOnly: boolean
}

/** The value of the first cookie of this name, whatever else the header holds; undefined where there is none. */
export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name]
}

/**
 * The value of a `Set-Cookie` field. `baseUrl` says whether the client speaks HTTPS; browsers then send the cookie over
 * nothing else.
 *
 * @example
 * const headers = { 'set-cookie': [formatCookie({ name: 'seen', value: '1', maxAge: 60, httpOnly: true }, baseUrl)] }
 */
export const formatCookie = (cookie: Cookie, baseUrl: string): string =>
  stringifySetCookie({ ...cookie, path: '/', secure: baseUrl.startsWith('https:'), sameSite: 'lax' })
