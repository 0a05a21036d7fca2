// Gives each request an id: the one that a trusted proxy sent, or else a generated one. The log lines of the request
// and the response header `X-Request-Id` contain it.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { createAddressMatcher } from 'resource-api/extend'

/** Accepted ids are copied unchanged into log lines and a header, so they must not contain control characters. */
const idPattern = /^[A-Za-z0-9._:+/=@-]{1,128}$/

/**
 * Creates the function for Fastify's `genReqId`; `proxies` are the addresses whose `X-Request-Id` header is trusted.
 */
export function createRequestIds(proxies: readonly string[]): (request?: IncomingMessage) => string {
  const isTrusted = createAddressMatcher(proxies)
  const prefix = `${randomBytes(9).toString('base64url')}-`
  let count = 0
  // A random prefix per process and a counter: unique, without a system call per request.
  const generate = () => prefix + (count++).toString(36)
  return request => {
    const received = request?.headers['x-request-id']
    if (typeof received !== 'string' || !idPattern.test(received)) return generate()
    return isTrusted(request?.socket.remoteAddress) ? received : generate()
  }
}
