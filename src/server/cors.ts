// CORS (Fetch Standard): the option `origins` lists the allowed origins. A preflight request has no credentials, so this
// hook responds before authentication and throttles run. Other OPTIONS requests reach the API, which responds with
// metadata (decision 022).

import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { headerName, list, origin } from './options.ts'
import { definePlugin } from './plugin.ts'

/** The options of the plugin `cors`. */
export const corsSchema = z
  .strictObject({
    /** The origins that may read responses, or `*`. */
    origins: list(z.union([z.literal('*'), origin], 'must be origins such as https://app.example.org, or "*"')).default(
      [],
    ),
    /** Whether those origins may send cookies. */
    credentials: z.boolean('must be true or false').default(false),
    /** The headers that requests may have. */
    headers: list(headerName).default([
      'Authorization',
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'Prefer',
      'X-CSRFToken',
      'X-Request-Id',
    ]),
    /** The response headers that scripts may read. */
    exposedHeaders: list(headerName).default([
      'Allow',
      'ETag',
      'Link',
      'Location',
      'Preference-Applied',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
    ]),
    /** Seconds for which a browser may cache the response to a preflight. */
    maxAge: z.int('must be a whole number of seconds').min(0, 'must be 0 or more').max(86_400).default(600),
  })
  .refine(({ origins }) => !origins.includes('*') || origins.length === 1, {
    path: ['origins'],
    error: 'must be "*" alone, or a list of origins',
  })
  .refine(({ origins, credentials }) => !(credentials && origins.includes('*')), {
    path: ['origins'],
    error: 'must list the origins if credentials is true, because "*" would let every page act as the logged-in user',
  })

/**
 * Adds CORS headers to every response, and responds to preflight requests. Does nothing if no origin is allowed. The
 * methods in the response to a preflight are those of the view; for a route outside an API, they are all common ones, or those of
 * the routes if a profile has added them.
 *
 * @example
 * app.register(cors, { origins: ['https://app.example.org'] })
 */
export const cors = definePlugin('cors', corsSchema, addCors)

function addCors(app: FastifyInstance, options: z.output<typeof corsSchema>): void {
  const { origins, credentials, headers, exposedHeaders, maxAge } = options
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
      reply.header('access-control-allow-methods', request.routeOptions.config.allow?.(request) ?? anyMethod)
    void reply.code(204).send()
  })
  if (isAny) return
  // The response depends on the origin. The views have already set `Vary` for the other request headers.
  app.addHook('onSend', (_request, reply, payload, done) => {
    reply.header('vary', [reply.getHeader('vary') ?? [], 'Origin'].flat().join(', '))
    done(null, payload)
  })
}

// A route of the application does not say which methods its URL has. CORS does not protect them, so all may be named.
const anyMethod = 'GET, HEAD, POST, PUT, PATCH, DELETE'

const isPreflightRequest = ({ method, headers }: FastifyRequest): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined
