// URLs of a provider are HTTPS (OpenID Connect Discovery §4). Plain HTTP stays on this machine, for development and tests.

/** Parses an HTTPS URL, or an HTTP URL of a loopback host; undefined for anything else. */
export function parseSecureUrl(text: string): URL | undefined {
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '') return undefined
  return url.protocol === 'https:' || isLoopbackUrl(url) ? url : undefined
}

/** Whether this is an HTTP URL of this machine. */
export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
