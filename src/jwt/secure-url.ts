// The URLs of a provider, and of its keys.

import { isLoopbackUrl, parseSecureUrl } from '#core'
import { isQuotable } from './challenge.ts'

/** Whether a provider may name this URL of its keys. Plain HTTP is only for providers that are on this machine too. */
export function isKeyUrl(uri: unknown, issuer: string): uri is string {
  const url = typeof uri === 'string' ? parseSecureUrl(uri) : undefined
  return url !== undefined && (url.protocol === 'https:' || isLoopbackUrl(new URL(issuer)))
}

/** Throws unless the text is a secure URL without a fragment. `where` names the option, such as `jwtScheme(): issuer`. */
export function checkSecureUrl(where: string, text: string): URL {
  const url = parseSecureUrl(text)
  if (url === undefined || text.includes('#') || !isQuotable(text))
    throw new Error(`${where} is "${text}": give an https URL without a fragment (http is allowed for localhost)`)
  return url
}
