// Gives each request an id: the one that a trusted proxy sent, or else a generated one. The log lines of the request
// and the response header `X-Request-Id` contain it.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { createAddressMatcher } from '#core'
import { list, proxy } from './options.ts'
import { definePlugin } from './plugin.ts'
import { serverState } from './server-state.ts'

/** Accepted ids are copied unchanged into log lines and a header, so they must not contain control characters. */
const idPattern = /^[A-Za-z0-9._:+/=@-]{1,128}$/

/**
 * Adds `X-Request-Id` to every response. `trustedProxies` are the addresses and networks whose own `X-Request-Id` is
 * accepted; default: none.
 *
 * @example
 * app.register(requestIds, { trustedProxies: ['10.0.0.0/8'] })
 */
export const requestIds = definePlugin(
  'requestIds',
  z.strictObject({ trustedProxies: list(proxy).default([]) }),
  (app, { trustedProxies }) => {
    const createId = createRequestIds(trustedProxies)
    app.setGenReqId(request => createId(request as IncomingMessage))
    serverState(app.server).rawFields.push(request => ({ 'x-request-id': request?.id ?? createId() }))
    app.addHook('onRequest', (request, reply, done) => {
      reply.header('x-request-id', request.id)
      done()
    })
  },
)

/** Creates the function that returns the id of a request, or a new id; `proxies` are the trusted addresses. */
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
