// Cookies (RFC 6265): reads them from requests, and formats them for responses. Browsers send a cookie to
// every path of the site. Of cross-site requests, only top-level navigations carry it (`SameSite=Lax`).

import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

/** A cookie that a response sets. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** Seconds; 0 or less deletes the cookie. */
  readonly maxAge: number
  /** Whether the cookie is hidden from scripts. */
  readonly httpOnly: boolean
}

/**
 * The value of the first cookie with this name; undefined if there is none. Never throws, whatever the header holds.
 */
export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name]
}

/**
 * Formats a `Set-Cookie` value. If `baseUrl` is HTTPS, the cookie is `Secure`: browsers then send it over HTTPS only.
 *
 * @example
 * const headers = { 'set-cookie': [formatCookie({ name: 'seen', value: '1', maxAge: 60, httpOnly: true }, baseUrl)] }
 */
export const formatCookie = (cookie: Cookie, baseUrl: string): string =>
  stringifySetCookie({ ...cookie, path: '/', secure: baseUrl.startsWith('https:'), sameSite: 'lax' })
