// The address that clients use, which every absolute URL begins with: the deployer's public one, else the request's
// scheme and host. A host that is not allowed, doubled or malformed is a BadRequest.

import type { FastifyRequest } from 'fastify'
import { BadRequest } from '../errors/exceptions.ts'
import { remember } from '../remember.ts'

export interface BaseUrlOptions {
  /** The public origin, and a path where a proxy adds one, such as `https://api.example.org`. */
  readonly publicUrl?: string | undefined
  /** Host names that requests may name; `.example.org` stands for all below it, `*` for any. */
  readonly allowedHosts?: readonly string[]
  /** The prefix that the API is mounted at, without a trailing slash. */
  readonly prefix: string
}

/** Addresses that are remembered, for each scheme. */
const entries = 1000
/** The longest URL of this service that a client may be sent to, in UTF-16 units. */
const longestPath = 2048
const hostFormat =
  /^((?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i

/** Host names of the machine itself, allowed where nothing else is said. */
export const localHosts: readonly string[] = ['localhost', '.localhost', '127.0.0.1', '[::1]']

/** The function from a request to origin and prefix. */
export function createBaseUrl(options: BaseUrlOptions): (request: FastifyRequest) => string {
  const { publicUrl, allowedHosts = localHosts, prefix } = options
  const fixed = publicUrl && publicUrl.replace(/\/+$/, '') + prefix
  const baseOf = (protocol: 'http' | 'https') => (host: string) => {
    const name = parseHost(host)
    if (name === undefined || !isAllowed(name, allowedHosts)) throw new BadRequest('Invalid host.', 'invalid_host')
    return fixed ?? `${protocol}://${host}${prefix}`
  }
  const bases = { http: remember(baseOf('http'), { entries }), https: remember(baseOf('https'), { entries }) }
  return request => {
    const host = hostOf(request)
    const protocol: string = request.protocol
    // A proxy that is trusted may still hand on what a client made up.
    if (protocol !== 'http' && protocol !== 'https') throw new BadRequest('Invalid scheme.', 'invalid_scheme')
    return bases[protocol](host)
  }
}

/** The name in a `Host` value, lower case; undefined for what is no host (RFC 9110 §7.2). */
export function parseHost(host: string): string | undefined {
  const match = hostFormat.exec(host)
  if (match === null || Number(match[2] ?? 0) > 65_535) return undefined
  return match[1]!.toLowerCase().replace(/\.$/, '')
}

/** Is the name one of the patterns? */
export function isAllowed(name: string, allowed: readonly string[]): boolean {
  return allowed.some(pattern => {
    const lower = pattern.toLowerCase()
    return (
      lower === '*' || lower === name || (lower.startsWith('.') && (name.endsWith(lower) || name === lower.slice(1)))
    )
  })
}

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
  if (typeof url !== 'string' || url.length > longestPath || origin === undefined) return undefined
  if (!url.startsWith('/') && !url.startsWith(`${origin}/`)) return undefined
  const target = URL.parse(url, origin)
  if (target?.origin !== origin) return undefined
  const path = target.pathname + target.search + target.hash
  // `/.//evil.example` has become this one, which would be another host.
  return path.startsWith('//') ? undefined : path
}

/** The path of the API's root. */
export const rootPath = (baseUrl: string): string => `${URL.parse(baseUrl)?.pathname.replace(/\/+$/, '') ?? ''}/`

// Node keeps the first of several Host lines; which one a proxy obeyed cannot be known, so such a request is refused.
function hostOf(request: FastifyRequest): string {
  const { rawHeaders } = request.raw
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  if (hosts > 1) throw new BadRequest('Invalid host.', 'invalid_host')
  return hostOfTarget(request.url) ?? request.host
}

// A target in absolute form names the host itself, whatever the Host line says (RFC 9112 §3.2.2).
function hostOfTarget(target: string): string | undefined {
  return target.startsWith('/') ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1]
}
