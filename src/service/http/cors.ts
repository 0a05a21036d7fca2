// Pages of other origins (Fetch, CORS): none until the setting `cors` names them. A preflight bears no credentials, so it
// is answered before anybody asks for them, and no throttle counts it. An OPTIONS that is none is asked for metadata.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Settings } from '../settings/settings.ts'

/** Adds the fields of CORS to every answer of the server, and answers preflights. Nothing where no origin is named. */
export function addCors(app: FastifyInstance, cors: Settings['cors']): void {
  const { origins, credentials, headers, exposedHeaders, maxAge } = cors
  if (origins.length === 0) return
  const isAny = origins.includes('*')
  const shared = {
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    'access-control-expose-headers': exposedHeaders.join(', '),
  }
  const forPreflight = {
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    'access-control-allow-headers': headers.join(', '),
    'access-control-max-age': String(maxAge),
  }
  app.addHook('onRequest', (request, reply, done) => {
    const origin = isAny ? '*' : origins.find(known => known === request.headers.origin)
    const asks = isPreflight(request)
    if (origin !== undefined)
      reply.headers({ 'access-control-allow-origin': origin, ...(asks ? forPreflight : shared) })
    if (!asks) return done()
    if (origin !== undefined)
      reply.header('access-control-allow-methods', request.routeOptions.config.allow?.(request) ?? '')
    void reply.code(204).send()
  })
  if (isAny) return
  // The response depends on the origin. The views have already listed the other header fields that it depends on.
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('vary', [reply.getHeader('vary') ?? [], 'Origin'].flat().join(', '))
    done(null, payload)
  })
}

const isPreflight = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
