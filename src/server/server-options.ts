// The options of a hardened Fastify server: limits on connections and requests, a log that neither blocks nor contains
// secrets, and JSON errors for requests that fail before a route is known.

import type { ServerOptions as HttpOptions, RequestListener, Server } from 'node:http'
import {
  type FastifyError,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import * as z from 'zod'
import { fastifyOptions } from '#core'
import { acceptExpectations } from './expectations.ts'
import type { LogStream } from './logging/log-output.ts'
import { createLogger, logLevel } from './logging/logger.ts'
import { list, parseOptions, positiveInteger, proxy } from './options.ts'
import { handleClientError, refuseTunnels } from './raw-responses.ts'
import { readRawFields } from './server-state.ts'

/** Limits on connections and on the time and size of requests. */
export const serverLimitsSchema = z.strictObject({
  /** The maximum size of all headers of a request in bytes. */
  headerSize: positiveInteger.default(16 * 1024),
  /** Seconds in which a whole request has to arrive. */
  requestTime: positiveInteger.default(30),
  /** Seconds that a connection may be idle between two requests. */
  idleTime: positiveInteger.default(30),
  /** The maximum number of open connections; further connections are closed at once. */
  connections: positiveInteger.default(10_000),
})

type ServerLimits = z.output<typeof serverLimitsSchema>

const schema = z.strictObject({
  limits: serverLimitsSchema.prefault({}),
  /** The addresses and networks whose `X-Forwarded-*` headers are trusted. */
  trustedProxies: list(proxy).default([]),
  logLevel: logLevel.default('info'),
  /** The destination of the log; default: standard output. */
  log: z
    .custom<LogStream>(
      value => typeof (value as LogStream | undefined)?.write === 'function',
      'must have a method write',
    )
    .optional(),
})

/** The options of `serverOptions`. All of them are optional. */
export type ServerOptions = z.input<typeof schema>

/**
 * Creates options for `Fastify`, which include those of `fastifyOptions()`. The server listens on one address, even if
 * its host name has several. TLS works with the option `https`; HTTP/2 is left to a proxy. Fastify's own log lines per
 * request are off: register `accessLog`.
 *
 * @example
 * const app = Fastify({ ...serverOptions({ limits: { requestTime: 10 } }), bodyLimit: 100_000 })
 */
export function serverOptions(options: ServerOptions = {}) {
  const { limits, trustedProxies, logLevel: level, log } = parseOptions('serverOptions', schema, options)
  const { frameworkErrors } = fastifyOptions({ frameworkErrors: respondToBadUrl })
  return {
    loggerInstance: createLogger(level, log),
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    // A busy machine can take longer than Fastify's ten seconds to start a service.
    pluginTimeout: 300_000,
    requestTimeout: 1000 * limits.requestTime,
    keepAliveTimeout: 1000 * limits.idleTime,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    serverFactory: (handler, fastify) => createServer(handler, fastify, limits),
    clientErrorHandler: handleClientError,
    frameworkErrors(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
      // No hook reaches this response.
      void reply.headers(readRawFields(request.server.server, request as FastifyRequest))
      return frameworkErrors(error, request as FastifyRequest, reply as FastifyReply)
    },
  } satisfies FastifyServerOptions
}

// A URL that cannot be decoded, outside all APIs.
function respondToBadUrl(_error: unknown, _request: unknown, reply: Pick<FastifyReply, 'code'>): void {
  const content = Buffer.from(JSON.stringify({ detail: 'Bad request.' }))
  void reply.code(400).header('content-type', 'application/json').send(content)
}

function createServer(handler: RequestListener, fastify: Record<string, unknown>, limits: ServerLimits): Server {
  const { https, http2, requestTimeout, keepAliveTimeout } = fastify
  if (http2)
    throw new Error('serverOptions: Fastify\'s option "http2" is not supported; use a proxy that speaks HTTP/2')
  const server = https
    ? process.getBuiltinModule('node:https').createServer({ ...(https as object), ...httpOptions(limits) }, handler)
    : process.getBuiltinModule('node:http').createServer(httpOptions(limits), handler)
  server.requestTimeout = requestTimeout as number
  server.keepAliveTimeout = keepAliveTimeout as number
  server.maxConnections = limits.connections
  acceptExpectations(server)
  refuseTunnels(server)
  return server
}

const httpOptions = ({ headerSize, requestTime }: ServerLimits): HttpOptions => ({
  // The API, not Node, rejects a request without a Host header, so that the error is JSON.
  requireHostHeader: false,
  // Most requests have no body, so Node need not set up their streams.
  optimizeEmptyRequests: true,
  maxHeaderSize: headerSize,
  // If requestTimeout is shorter than headersTimeout, Node applies it to the headers only, so both are set.
  requestTimeout: 1000 * requestTime,
  headersTimeout: 1000 * requestTime,
  // Milliseconds between Node's checks for expired requests.
  connectionsCheckingInterval: Math.min(250 * requestTime, 5000),
})
