// How a router of Fastify meets every method and every spelling of a URL.

import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { METHODS } from '../http.ts'
import type { HeaderFields } from '../response.ts'
import type { View } from '../view.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The methods of what stands at a URL of an API, as its `Allow` says them: for hooks of the application. */
    allow?: (request: FastifyRequest) => string
  }
}

/** What clients send every day. A router has a tree for each method: to fill forty of them takes long at start. */
export const usualMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Every method that Node parses and hands to a server as a request. */
export const allMethods = METHODS.filter(method => method !== 'CONNECT') as HTTPMethods[]

/** Makes all of them known to a server, so that an unusual one is 405 and not 404: to be called before any route. */
export function declareMethods(fastify: FastifyInstance): void {
  for (const method of allMethods)
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true })
}

/** What stands at a path, and the values of the pattern's parameters. */
export interface Found<Target> {
  readonly target: Target
  readonly parameters: Readonly<Record<string, string>>
}

/**
 * Finds by path what stands under a pattern such as `/users/:key/`: where the router has no tree of the method, or would
 * need a route for each spelling.
 */
export function pathFinder<Target>(targets: ReadonlyMap<string, Target>): (path: string) => Found<Target> | undefined {
  const patterns = [...targets]
    .toSorted(([one], [other]) => compareTexts(rankOf(one), rankOf(other)))
    .map(([pattern, target]) => [new RegExp(`^${pattern.split('/').map(partOf).join('/')}$`), target] as const)
  return path => {
    for (const [pattern, target] of patterns) {
      const match = pattern.exec(path)
      if (match !== null) return { target, parameters: { ...match.groups } }
    }
    return undefined
  }
}

// As the router has it: a part that is fixed comes before a parameter.
const rankOf = (pattern: string): string => pattern.replace(/[^/]+/g, part => (part.includes(':') ? '1' : '0'))

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

// Whatever else the router takes for a part with a parameter in it is found as well, without its values.
function partOf(part: string): string {
  if (/^:[a-z_]\w*$/i.test(part)) return `(?<${part.slice(1)}>[^/]+)`
  return /[:*]/.test(part) ? '[^/]+' : RegExp.escape(part)
}

/** Sends requests of the prefix without its trailing slash to the view at the top, whose answers have these `headers`. */
export function redirectToTop(fastify: FastifyInstance, headers: View['headers']): void {
  fastify.route({
    method: allMethods,
    url: '',
    prefixTrailingSlash: 'no-slash',
    exposeHeadRoute: false,
    config: { allow: () => headers.allow },
    onRequest: (request, reply) => sendToSlash(request, reply, headers),
    handler: () => undefined,
  })
}

/** To the same URL with its trailing slash: 301, or 308 so that no body is lost. */
export function sendToSlash(request: FastifyRequest, reply: FastifyReply, headers: HeaderFields): void {
  const [pathname, query] = splitQuery(originForm(request.url))
  const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308
  void reply
    .code(status)
    .headers({ ...headers, location: `${pathname}/${query}` })
    .send()
}

/** A target without its host: in absolute form (RFC 9112 §3.2.2) it may name any, and the client stays on this one. */
export const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '')

export function splitQuery(url: string): [path: string, query: string] {
  const start = url.indexOf('?')
  return start < 0 ? [url, ''] : [url.slice(0, start), url.slice(start)]
}
