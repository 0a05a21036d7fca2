// Cookies (RFC 6265): what a request brings, and what an answer sets: for the whole site, and not for requests that
// other sites make.

import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { Notes } from '../view.ts'

/** A cookie that an answer sets. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** Seconds; 0 or less takes the cookie away. */
  readonly maxAge: number
  /** Kept from scripts? */
  readonly httpOnly: boolean
}

/** The answer that sets it, and the address of the API, which says whether the client speaks HTTPS. */
export interface CookiePlace {
  readonly baseUrl: string
  readonly notes: Pick<Notes, 'headers'>
}

/** The value of the first cookie of this name, whatever else the header holds; undefined where there is none. */
export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[name]
}

/** Has the request's answer set the cookie; over HTTPS, browsers then send it over nothing else. */
export function setCookie({ baseUrl, notes }: CookiePlace, cookie: Cookie): void {
  const line = stringifySetCookie({ ...cookie, path: '/', secure: baseUrl.startsWith('https:'), sameSite: 'lax' })
  const others = setLines(notes).filter(other => !other.startsWith(`${cookie.name}=`))
  notes.headers['set-cookie'] = [...others, line]
}

const setLines = ({ headers }: CookiePlace['notes']): readonly string[] => [headers['set-cookie'] ?? []].flat()
