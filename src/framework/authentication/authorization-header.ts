// The Authorization header field (RFC 9110 §11.6.2): one scheme name, one space, credentials without white space.

import type { FastifyRequest } from 'fastify'

/** What stands after a scheme's keyword, or what is wrong with it. */
export type Credentials =
  | { readonly kind: 'absent' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'spaces' }
  | { readonly kind: 'present'; readonly value: string }

const absent: Credentials = { kind: 'absent' }

/** The credentials for `keyword`, compared without regard to case. */
export function readCredentials(request: FastifyRequest, keyword: string): Credentials {
  const header = request.headers.authorization
  if (header === undefined) return absent
  const [name, ...rest] = header.trim().split(/[ \t]+/)
  if (name?.toLowerCase() !== keyword.toLowerCase()) return absent
  const [value, ...more] = rest
  if (value === undefined) return { kind: 'missing' }
  return more.length > 0 ? { kind: 'spaces' } : { kind: 'present', value }
}
