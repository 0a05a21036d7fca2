// Prepares Fastify's router for every method, finds the view of a path, and redirects URLs with the wrong end.

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { METHODS } from '../../base/http.ts'
import { type HeaderFields, setHeaders } from '../response.ts'
import { addSlash, removeSlash } from './trailing-slash.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the `Allow` header of the view at the request's URL, for hooks of the application. */
    allow?: (request: FastifyRequest) => string
  }
}

/**
 * The methods for which every view gets a route. The router has a tree per method, and filling forty trees would slow down
 * the start.
 */
export const commonMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Every method that Node parses and passes to a server as a request. */
export const allMethods = METHODS.filter(method => method !== 'CONNECT') as HTTPMethods[]

/** Registers all methods with the server, so that an unusual one is 405 and not 404. Call it before adding routes. */
export function declareMethods(fastify: FastifyInstance): void {
  for (const method of allMethods)
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true })
}

/** The target of a path, and the values of the pattern's parameters. */
export interface PathMatch<Target> {
  readonly target: Target
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Creates a function that finds the target whose pattern, such as `/users/:key/`, matches a path. Used if the router
 * has no tree for the method, or would need a route for each spelling.
 */
export function createPathFinder<Target>(
  targets: ReadonlyMap<string, Target>,
): (path: string) => PathMatch<Target> | undefined {
  const patterns = [...targets]
    .toSorted(([left], [right]) => compareTexts(toRank(left), toRank(right)))
    .map(
      ([pattern, target]) => [new RegExp(`^${pattern.split('/').map(toSegmentPattern).join('/')}$`), target] as const,
    )
  return path => {
    for (const [pattern, target] of patterns) {
      const match = pattern.exec(path)
      if (match !== null) return { target, parameters: { ...match.groups } }
    }
    return undefined
  }
}

// Like the router: a fixed segment has priority over a parameter.
const toRank = (pattern: string): string => pattern.replace(/[^/]+/g, part => (part.includes(':') ? '1' : '0'))

const compareTexts = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

// Any other segment with a parameter matches any text, and its values are not parsed.
function toSegmentPattern(part: string): string {
  if (/^:[a-z_]\w*$/i.test(part)) return `(?<${part.slice(1)}>[^/]+)`
  if (part === '*') return '.*'
  return /[:*]/.test(part) ? '[^/]+' : RegExp.escape(part)
}

/**
 * False if clients would follow a redirect to another URL: they resolve dot segments and read a backslash as a slash, so
 * `/\example.org/` leads to another host (WHATWG URL, §4.4).
 */
export const canRedirect = ({ url }: FastifyRequest): boolean =>
  !/\\|\/(?:\.|%2e){1,2}(?:\/|$)/i.test(splitQuery(originForm(url))[0])

/**
 * Redirects to the same URL with a trailing slash, or without the one that it has: 301, or 308 to preserve the request body.
 */
export function redirectToOtherEnd(request: FastifyRequest, reply: FastifyReply, headers: HeaderFields): void {
  const [pathname, query] = splitQuery(originForm(request.url))
  const other = pathname.endsWith('/') ? removeSlash(pathname) : addSlash(pathname)
  const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308
  void setHeaders(reply, [headers, { location: `${other}${query}` }])
    .code(status)
    .send()
}

/**
 * Removes the host from a target: an absolute-form target (RFC 9112 §3.2.2) may name any host, and the redirect must
 * stay on this one.
 */
export const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '')

export function splitQuery(url: string): [path: string, query: string] {
  const start = url.indexOf('?')
  return start < 0 ? [url, ''] : [url.slice(0, start), url.slice(start)]
}
