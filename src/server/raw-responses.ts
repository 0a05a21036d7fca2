// Responses to bytes that are not a request which Fastify can handle: they are written to the socket, and the connection
// is closed.

import type { Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { readRawFields } from './server-state.ts'

type RawResponse = readonly [status: string, detail: string]

const badRequest: RawResponse = ['400 Bad Request', 'Bad request.']
const parserErrors: Readonly<Record<string, RawResponse>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'Request header fields are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** Responds to malformed HTTP, too large headers, and requests that do not arrive in time. */
export function handleClientError(this: FastifyInstance, error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  refuse(this.server, socket, parserErrors[error.code ?? ''] ?? badRequest)
}

/** Refuses `CONNECT`: the server is not a proxy. */
export function refuseTunnels(server: Server): void {
  server.on('connect', (_request, socket) => refuse(server, socket, badRequest))
}

function refuse(server: Server, socket: Duplex, [status, detail]: RawResponse): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ detail })
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length), connection: 'close' }
  const fields = Object.entries({ ...readRawFields(server), ...headers })
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`)
  // The client has this long to read the response and close; then the connection is destroyed.
  const timer = setTimeout(() => socket.destroy(), lingerTime).unref()
  socket.once('close', () => clearTimeout(timer))
}

const lingerTime = 2000
