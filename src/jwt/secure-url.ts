// URLs of a provider are HTTPS (OpenID Connect Discovery §4). Plain HTTP stays on this machine, for development and tests.

import { isQuotable } from './challenge.ts'

/** Parses an HTTPS URL, or an HTTP URL of a loopback host; undefined for anything else. */
export function parseSecureUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  return url.protocol === 'https:' || isLoopback(url) ? url : undefined
}

/** Whether a provider may name this URL of its keys. Plain HTTP is only for providers that are on this machine too. */
export function isKeyUrl(uri: unknown, issuer: string): uri is string {
  const url = typeof uri === 'string' ? parseSecureUrl(uri) : undefined
  return url !== undefined && (url.protocol === 'https:' || isLoopback(new URL(issuer)))
}

/** Whether this is an HTTP URL of this machine. */
const isLoopback = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)

/** Throws unless the text is a secure URL without a fragment. `where` names the option, such as `jwtScheme(): issuer`. */
export function checkSecureUrl(where: string, text: string): URL {
  const url = parseSecureUrl(text)
  if (url === undefined || text.includes('#') || !isQuotable(text))
    throw new Error(`${where} is "${text}": give an https URL without a fragment (http is allowed for localhost)`)
  return url
}
