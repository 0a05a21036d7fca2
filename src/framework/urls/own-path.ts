// Where a client may be sent that says itself where it wants to go: to this service and nowhere else.

const longest = 2048

/**
 * The path, query and fragment of a URL of this service, whether the URL has the service's origin or none, written so
 * that every browser reads it as such; undefined for everything else.
 *
 * @example
 * ownPath('/users/?page=2', 'https://api.example.org') // '/users/?page=2'
 * ownPath('/\\evil.example', 'https://api.example.org') // undefined
 */
export function ownPath(url: unknown, baseUrl: string): string | undefined {
  const origin = URL.parse(baseUrl)?.origin
  if (typeof url !== 'string' || url.length > longest || origin === undefined) return undefined
  if (!url.startsWith('/') && !url.startsWith(`${origin}/`)) return undefined
  const target = URL.parse(url, origin)
  if (target?.origin !== origin) return undefined
  const path = target.pathname + target.search + target.hash
  // `/.//evil.example` has become this one, which would be another host.
  return path.startsWith('//') ? undefined : path
}

/** The path of the API's root. */
export const rootPath = (baseUrl: string): string => `${URL.parse(baseUrl)?.pathname.replace(/\/+$/, '') ?? ''}/`
