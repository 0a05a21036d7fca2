// The HTTP server: limits on everything a client may hold open, and JSON for what fails before any route is known.

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
import { type LoggableError, loggableError } from '../../framework/errors/loggable-error.ts'
import { healthPaths } from '../health/health.ts'
import { pathOf } from '../logging/access-log.ts'
import { lazyLogger } from '../logging/lazy-logger.ts'
import { createLogOutput, type LogStream } from '../logging/log-output.ts'
import type { Settings } from '../settings/settings.ts'
import { addCors } from './cors.ts'
import { type FixedFields, fixedFields } from './header-fields.ts'
import { shedOverload } from './overload.ts'
import { createRequestIds } from './request-id.ts'
import { schemaCompilers } from './schema-compilers.ts'
import { endStalled } from './stalled-connections.ts'

type RawAnswer = readonly [status: string, detail: string]

const badRequest: RawAnswer = ['400 Bad Request', 'Bad request.']
const statuses: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request header fields are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** The settings that the server needs. */
export type ServerSettings = Pick<Settings, 'trustedProxies' | 'logLevel' | 'limits' | 'headers' | 'publicUrl' | 'cors'>

/**
 * A Fastify server with the settings' trust in proxies, bounded waiting, and on every answer the fixed header fields and
 * the request's id. The log goes to the standard output unless there is another place for it.
 */
export function createServer(settings: ServerSettings, log?: LogStream): FastifyInstance {
  const { trustedProxies, limits } = settings
  const fields = fixedFields(settings)
  const requestId = createRequestIds(trustedProxies)
  const rawFields = () => ({ ...fields, 'x-request-id': requestId() })
  const refuse = refuser(rawFields)
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
    clientErrorHandler: clientErrorHandler(refuse),
    frameworkErrors: urlRefuser(fields),
    // Without a host a request gets as far as any other: the API refuses it, in JSON.
    http: {
      requireHostHeader: false,
      // Most requests have no body: their streams need no life of their own.
      optimizeEmptyRequests: true,
      maxHeaderSize: limits.headerSize,
      // If requestTimeout is shorter than headersTimeout, Node applies it to the headers only, so both are set.
      requestTimeout: 1000 * limits.requestTime,
      headersTimeout: 1000 * limits.requestTime,
      // Node looks for expired requests so often.
      connectionsCheckingInterval: Math.min(250 * limits.requestTime, 5000),
    },
  })
  app.server.maxConnections = limits.connections
  endStalled(app.server, limits.stallTime)
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
  app.decorate('overload', shedOverload(app.server, { delay: limits.overloadDelay, exempt, headers: rawFields }))
  return app
}

// Fastify takes the serializers of a logger that it is given from there.
const createLogger = (level: string, log: LogStream | undefined): FastifyBaseLogger =>
  Object.assign(
    lazyLogger(() => pino({ level, serializers }, log ?? createLogOutput())),
    { serializers },
  )

// For everything that is logged, by Fastify too: an error is reduced to its text, and a request loses its query.
const serializers = {
  err: (error: unknown) => (error instanceof Error ? loggableError(error) : (error as LoggableError)),
  req: (request: FastifyRequest) => ({ method: request.method, path: pathOf(request), address: request.ip }),
}

// The URL cannot be decoded, so no route is asked.
const urlRefuser = (fields: FixedFields) => (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const content = Buffer.from(JSON.stringify({ detail: 'Bad request.' }))
  const own = { ...fields, 'x-request-id': request.id, 'content-type': 'application/json' }
  void reply.code(400).headers(own).send(content)
}

// A client that asks first (`Expect: 100-continue`, RFC 9110 §10.1.1) sends its body once somebody reads it, which is
// after every check. After an answer that comes before, Node closes the connection: the body may follow or not.
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.on('newListener', function onListener(event) {
    if (event !== 'data' && event !== 'readable') return
    request.off('newListener', onListener)
    if (!response.headersSent) response.writeContinue()
  })
}

// There is nothing else to expect.
function refuseExpectation(response: ServerResponse, fields: FixedFields): void {
  const body = JSON.stringify({ detail: 'Expectation failed.' })
  const own = { 'content-type': 'application/json', 'content-length': body.length, connection: 'close' }
  response.writeHead(417, { ...fields, ...own }).end(body)
}

type Refuse = (socket: Duplex, answer: RawAnswer) => void

// The bytes are not an HTTP request, so Fastify has no reply to send: the response is written to the socket.
const clientErrorHandler =
  (refuse: Refuse) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    refuse(socket, statuses[error.code ?? ''] ?? badRequest)
  }

const refuser =
  (fields: () => FixedFields): Refuse =>
  (socket, [status, detail]) => {
    if (!socket.writable) {
      socket.destroy()
      return
    }
    const body = JSON.stringify({ detail })
    const own = { 'content-type': 'application/json', 'content-length': String(body.length), connection: 'close' }
    const lines = Object.entries({ ...fields(), ...own }).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
    // Time to read it; a client that does not close its side would keep the connection for ever.
    const timer = setTimeout(() => socket.destroy(), lingerTime).unref()
    socket.once('close', () => clearTimeout(timer))
  }

const lingerTime = 2000
