// How a router of Fastify meets every method and every spelling of a URL.

import type { FastifyInstance, HTTPMethods } from 'fastify'
import { METHODS } from './http.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The methods of the view at a route of an API, as its `Allow` says them: for hooks of the application. */
    allow?: string
  }
}

/** Every method that Node parses, made known to this server, so that an unknown one is 405 and not 404. */
export function methods(fastify: FastifyInstance): HTTPMethods[] {
  const all = METHODS.filter(method => method !== 'CONNECT')
  for (const method of all)
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true })
  return all as HTTPMethods[]
}

/**
 * Sends requests that lack the trailing slash to where it is: 301, or 308 so that no body is lost. `headers` are those
 * of every answer of the view there.
 */
export function redirectToSlash(
  fastify: FastifyInstance,
  path: string,
  headers: Readonly<Record<string, string>>,
): void {
  fastify.route({
    method: methods(fastify),
    url: path.slice(0, -1),
    prefixTrailingSlash: 'no-slash',
    exposeHeadRoute: false,
    config: { ...(headers.allow !== undefined && { allow: headers.allow }) },
    onRequest: (request, reply) => {
      const [pathname, query] = splitQuery(originForm(request.url))
      const status = request.method === 'GET' || request.method === 'HEAD' ? 301 : 308
      reply
        .code(status)
        .headers({ ...headers, location: `${pathname}/${query}` })
        .send()
    },
    handler: () => undefined,
  })
}

/** A target without its host: in absolute form (RFC 9112 §3.2.2) it may name any, and the client stays on this one. */
export const originForm = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, '')

function splitQuery(url: string): [path: string, query: string] {
  const start = url.indexOf('?')
  return start < 0 ? [url, ''] : [url.slice(0, start), url.slice(start)]
}
