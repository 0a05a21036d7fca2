// The HTTP server: limits on everything a client may hold open, and JSON for what fails before any route is known.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { Settings } from './settings.ts'

type RawAnswer = readonly [status: string, detail: string]

const badRequest: RawAnswer = ['400 Bad Request', 'Bad request.']
const statuses: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request header fields are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** A Fastify server with the settings' trust in proxies, and bounded waiting. */
export function createServer({
  trustedProxies,
  logLevel,
  limits,
}: Pick<Settings, 'trustedProxies' | 'logLevel' | 'limits'>): FastifyInstance {
  const app = Fastify({
    logger: { level: logLevel },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    requestTimeout: 1000 * limits.requestTime,
    keepAliveTimeout: 1000 * limits.idleTime,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 200 },
    clientErrorHandler,
    frameworkErrors: refuseUrl,
    // Without a host a request gets as far as any other: the API refuses it, in JSON.
    http: { requireHostHeader: false, maxHeaderSize: limits.headerSize },
  })
  app.server.maxConnections = limits.connections
  app.server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    app.server.emit('request', request, response)
  })
  app.server.on('checkExpectation', refuseExpectation)
  app.server.on('connect', (_request, socket) => refuse(socket, badRequest))
  return app
}

// The URL cannot be decoded, so no route is asked.
function refuseUrl(_error: unknown, _request: FastifyRequest, reply: FastifyReply): void {
  const content = Buffer.from(JSON.stringify({ detail: 'Bad request.' }))
  void reply.code(400).header('content-type', 'application/json').send(content)
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
function refuseExpectation(_request: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({ detail: 'Expectation failed.' })
  const headers = { 'content-type': 'application/json', 'content-length': body.length, connection: 'close' }
  response.writeHead(417, headers).end(body)
}

// The bytes are no HTTP request, so there is no reply to send: the answer is written to the socket.
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  refuse(socket, statuses[error.code ?? ''] ?? badRequest)
}

function refuse(socket: Duplex, [status, detail]: RawAnswer): void {
  const body = JSON.stringify({ detail })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`
  if (socket.writable) socket.end(head + body)
  else socket.destroy()
}
