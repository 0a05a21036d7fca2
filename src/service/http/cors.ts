// CORS (Fetch Standard): the setting `cors` lists the allowed origins; by default there are none. A preflight request
// has no credentials, so this hook responds before authentication and throttles run. Other OPTIONS requests reach the
// API, which responds with metadata.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../settings/settings.ts'

/** Adds CORS headers to every response, and responds to preflight requests. Does nothing if no origin is allowed. */
export function addCors(app: FastifyInstance, cors: Settings['cors']): void {
  const { origins, credentials, headers, exposedHeaders, maxAge } = cors
  if (origins.length === 0) return
  const isAny = origins.includes('*')
  const responseHeaders = {
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers': exposedHeaders.join(', '),
  }
  const preflightHeaders = {
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    'access-control-allow-headers': headers.join(', '),
    'access-control-max-age': String(maxAge),
  }
  app.addHook('onRequest', (request, reply, done) => {
    const origin = isAny ? '*' : origins.find(allowed => allowed === request.headers.origin)
    const isPreflight = isPreflightRequest(request)
    if (origin !== undefined)
      reply.headers({ 'access-control-allow-origin': origin, ...(isPreflight ? preflightHeaders : responseHeaders) })
    if (!isPreflight) return done()
    if (origin !== undefined)
      reply.header('access-control-allow-methods', request.routeOptions.config.allow?.(request) ?? '')
    void reply.code(204).send()
  })
  if (isAny) return
  // The response depends on the origin. The views have already set `Vary` for the other request headers.
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('vary', [reply.getHeader('vary') ?? [], 'Origin'].flat().join(', '))
    done(null, payload)
  })
}

const isPreflightRequest = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
