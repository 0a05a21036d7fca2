// The HTTP server: limits on connections and requests, and JSON errors for requests that fail before a route is known.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { pino } from 'pino'
import { type LoggableError, loggableError } from 'resource-api/extend'
import { healthPaths } from '../health/health.ts'
import { readPath } from '../logging/access-log.ts'
import { createLazyLogger } from '../logging/lazy-logger.ts'
import { createLogOutput, type LogStream } from '../logging/log-output.ts'
import type { Settings } from '../settings/settings.ts'
import { addCors } from './cors.ts'
import { type FixedFields, fixedFields } from './header-fields.ts'
import { shedLoad } from './overload.ts'
import { createRequestIds } from './request-id.ts'
import { schemaCompilers } from './schema-compilers.ts'
import { closeStalledConnections } from './stalled-connections.ts'

type RawResponse = readonly [status: string, detail: string]

const badRequest: RawResponse = ['400 Bad Request', 'Bad request.']
const parserErrors: Readonly<Record<string, RawResponse>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request header fields are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** The settings that the server needs. */
export type ServerSettings = Pick<Settings, 'trustedProxies' | 'logLevel' | 'limits' | 'headers' | 'publicUrl' | 'cors'>

/**
 * Creates a Fastify server with the trusted proxies, timeouts and limits of the settings. Every response has the fixed
 * headers and the request id. `log` is the destination of the log; default: standard output.
 */
export function createServer(settings: ServerSettings, log?: LogStream): FastifyInstance {
  const { trustedProxies, limits } = settings
  const fields = fixedFields(settings)
  const requestId = createRequestIds(trustedProxies)
  const rawFields = () => ({ ...fields, 'x-request-id': requestId() })
  const refuse = createRefuse(rawFields)
  const app = Fastify({
    loggerInstance: createLogger(settings.logLevel, log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: 1000 * limits.requestTime,
    keepAliveTimeout: 1000 * limits.idleTime,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    schemaController: { compilersFactory: schemaCompilers },
    clientErrorHandler: createClientErrorHandler(refuse),
    frameworkErrors: createUrlErrorHandler(fields),
    // The API, not Node, rejects a request without a Host header, so that the error is JSON.
    http: {
      requireHostHeader: false,
      // Most requests have no body, so Node need not set up their streams.
      optimizeEmptyRequests: true,
      maxHeaderSize: limits.headerSize,
      // If requestTimeout is shorter than headersTimeout, Node applies it to the headers only, so both are set.
      requestTimeout: 1000 * limits.requestTime,
      headersTimeout: 1000 * limits.requestTime,
      // Milliseconds between Node's checks for expired requests.
      connectionsCheckingInterval: Math.min(250 * limits.requestTime, 5000),
    },
  })
  app.server.maxConnections = limits.connections
  closeStalledConnections(app.server, limits.stallTime)
  app.server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    app.server.emit('request', request, response)
  })
  app.server.on('checkExpectation', (_request, response) => refuseExpectation(response, rawFields()))
  app.server.on('connect', (_request, socket) => refuse(socket, badRequest))
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(fields).header('x-request-id', request.id)
    done()
  })
  addCors(app, settings.cors)
  const exempt = Object.values(healthPaths)
  app.decorate('overload', shedLoad(app.server, { delay: limits.overloadDelay, exempt, headers: rawFields }))
  return app
}

// Fastify reads the `serializers` property of its logger, which a lazy logger does not have by itself.
const createLogger = (level: string, log: LogStream | undefined): FastifyBaseLogger =>
  Object.assign(
    createLazyLogger(() => pino({ level, serializers }, log ?? createLogOutput())),
    { serializers },
  )

// Apply to all log lines, also to the lines that Fastify writes: an error is logged without its properties, and a
// request without its query string.
const serializers = {
  err: (error: unknown) => (error instanceof Error ? loggableError(error) : (error as LoggableError)),
  req: (request: FastifyRequest) => ({ method: request.method, path: readPath(request), address: request.ip }),
}

// Fastify calls this for a URL that cannot be decoded.
const createUrlErrorHandler =
  (fields: FixedFields) => (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const content = Buffer.from(JSON.stringify({ detail: 'Bad request.' }))
    const headers = { ...fields, 'x-request-id': request.id, 'content-type': 'application/json' }
    void reply.code(400).headers(headers).send(content)
  }

// A client that sends `Expect: 100-continue` (RFC 9110 §10.1.1) waits before it sends the body. `100 Continue` is sent
// when the body is first read, which is after all checks. If a response comes earlier, Node closes the connection,
// because it cannot know whether the body will follow.
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.on('newListener', function onListener(event) {
    if (event !== 'data' && event !== 'readable') return
    request.off('newListener', onListener)
    if (!response.headersSent) response.writeContinue()
  })
}

// 100-continue is the only expectation that HTTP defines (RFC 9110 §10.1.1).
function refuseExpectation(response: ServerResponse, fields: FixedFields): void {
  const body = JSON.stringify({ detail: 'Expectation failed.' })
  const headers = { 'content-type': 'application/json', 'content-length': body.length, connection: 'close' }
  response.writeHead(417, { ...fields, ...headers }).end(body)
}

type Refuse = (socket: Duplex, response: RawResponse) => void

// The bytes are not an HTTP request, so Fastify has no reply to send: the response is written to the socket.
const createClientErrorHandler =
  (refuse: Refuse) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    refuse(socket, parserErrors[error.code ?? ''] ?? badRequest)
  }

const createRefuse =
  (fields: () => FixedFields): Refuse =>
  (socket, [status, detail]) => {
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const body = JSON.stringify({ detail })
    const headers = { 'content-type': 'application/json', 'content-length': String(body.length), connection: 'close' }
    const lines = Object.entries({ ...fields(), ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
    // The client has this long to read the response and close; then the connection is destroyed.
    const timer = setTimeout(() => socket.destroy(), lingerTime).unref()
    socket.once('close', () => clearTimeout(timer))
  }

const lingerTime = 2000
