// The Authorization header field (RFC 9110 §11.6.2): a scheme name, a space, and credentials without white space.

import type { FastifyRequest } from 'fastify'

/**
 * The credentials after a scheme's keyword, or the reason why there are none: `absent` if the header is absent or for a
 * different scheme, `missing` if nothing follows the keyword, `spaces` if the credentials contain white space.
 */
export type Credentials =
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
