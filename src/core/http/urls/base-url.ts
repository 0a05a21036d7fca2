// The base URL that every absolute URL begins with: the public URL if it is set, else the scheme and host of the
// request. A host that is not allowed, repeated or malformed is a BadRequest.

import type { FastifyRequest } from 'fastify'
import { memoize } from '../../base/bounded-map.ts'
import { BadRequest } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'

export interface BaseUrlOptions {
  /** The public origin, and a path if a proxy adds one, such as `https://api.example.org`. */
  readonly publicUrl?: string | undefined
  /**
   * The host names that requests may use; `.example.org` allows the domain and its subdomains, `*` any name. Default: the
   * names of this machine, such as `localhost`. The host of `publicUrl` is not added.
   */
  readonly allowedHosts?: readonly string[]
  /** The prefix that the API is mounted at, without a trailing slash. */
  readonly prefix: string
}

/** The maximum number of cached base URLs, for each scheme. */
const maxEntries = 1000
/** The longest URL of this service that a client may be redirected to, in UTF-16 units. */
const maxPathLength = 2048
const hostFormat =
  /^((?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

/** The default of `allowedHosts`: the host names of the machine itself. */
export const localHosts: readonly string[] = ['localhost', '.localhost', '127.0.0.1', '[::1]']

/** Creates the function that returns the origin and prefix for a request. */
export function createBaseUrl(options: BaseUrlOptions): (request: FastifyRequest) => string {
  const { publicUrl, allowedHosts = localHosts, prefix } = options
  const fixed = publicUrl && publicUrl.replace(/\/+$/, '') + prefix
  const createBaseFormatter = (protocol: 'http' | 'https') => (host: string) => {
    const name = parseHost(host)
    if (name === undefined || !isAllowed(name, allowedHosts)) throw new BadRequest(frameworkMessages('invalid_host'))
    return fixed ?? `${protocol}://${host}${prefix}`
  }
  const bases = {
    http: memoize(createBaseFormatter('http'), { maxEntries }),
    https: memoize(createBaseFormatter('https'), { maxEntries }),
  }
  return request => {
    const host = readHost(request)
    const protocol: string = request.protocol
    // A trusted proxy may still forward a scheme that the client invented.
    if (protocol !== 'http' && protocol !== 'https') throw new BadRequest(frameworkMessages('invalid_scheme'))
    return bases[protocol](host)
  }
}

/** Parses the name in a `Host` value, in lower case; undefined if it is malformed (RFC 9110 §7.2). */
export function parseHost(host: string): string | undefined {
  const match = hostFormat.exec(host)
  if (match === null || Number(match[2] ?? 0) > 65_535) return undefined
  return match[1]!.toLowerCase().replace(/\.$/, '')
}

/** Whether one of the allowed patterns matches the name. */
export function isAllowed(name: string, allowed: readonly string[]): boolean {
  return allowed.some(pattern => {
    const lower = pattern.toLowerCase()
    return (
      lower === '*' || lower === name || (lower.startsWith('.') && (name.endsWith(lower) || name === lower.slice(1)))
    )
  })
}

/**
 * Returns the path, query and fragment of a URL of this service, absolute or relative, in a form that every browser
 * resolves to this service; undefined for any other URL.
 *
 * @example
 * toOwnPath('/users/?page=2', 'https://api.example.org') // '/users/?page=2'
 * toOwnPath('/\\evil.example', 'https://api.example.org') // undefined
 */
export function toOwnPath(url: unknown, baseUrl: string): string | undefined {
  const origin = URL.parse(baseUrl)?.origin
  if (typeof url !== 'string' || url.length > maxPathLength || origin === undefined) return undefined
  if (!url.startsWith('/') && !url.startsWith(`${origin}/`)) return undefined
  const target = URL.parse(url, origin)
  if (target?.origin !== origin) return undefined
  const path = target.pathname + target.search + target.hash
  // `/.//evil.example` parses to `//evil.example`, which browsers resolve to another host.
  return path.startsWith('//') ? undefined : path
}

/** Returns the path of the API's root. */
export const toRootPath = (baseUrl: string): string => `${URL.parse(baseUrl)?.pathname.replace(/\/+$/, '') ?? ''}/`

// Node uses the first of several Host lines, but a proxy may have used another, so such a request is rejected.
function readHost(request: FastifyRequest): string {
  const { rawHeaders } = request.raw
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1) throw new BadRequest(frameworkMessages('invalid_host'))
  return readTargetHost(request.url) ?? request.host
}

// A target in absolute form overrides the Host header (RFC 9112 §3.2.2).
function readTargetHost(target: string): string | undefined {
  return target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
}
