// The header `Expect` (RFC 9110 §10.1.1): a client that sends `100-continue` waits before it sends the body.

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { type HeaderFields, readRawFields } from './server-state.ts'

/** Sends `100 Continue` when a body is first read; refuses every other expectation with 417. */
export function acceptExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (_request, response) => refuseExpectation(response, readRawFields(server)))
}

// The body is first read after all checks. If a response comes earlier, Node closes the connection, because it cannot
// know whether the body will follow.
function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  request.on('newListener', function onListener(event) {
    if (event !== 'data' && event !== 'readable') return
    request.off('newListener', onListener)
    if (!response.headersSent) response.writeContinue()
  })
}

// 100-continue is the only expectation that HTTP defines.
function refuseExpectation(response: ServerResponse, fields: HeaderFields): void {
  const body = JSON.stringify({ detail: 'Expectation failed.' })
  const headers = { 'content-type': 'application/json', 'content-length': body.length, connection: 'close' }
  response.writeHead(417, { ...fields, ...headers }).end(body)
}
