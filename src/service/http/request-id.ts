// Each request has an id, which its log lines and its answer (`X-Request-Id`) bear: that of the proxy in front, where the
// deployer trusts it, else one of our own.

import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { listedAddresses } from '../../framework/authentication/listed-addresses.ts'

/** The form of an id from outside, which goes unchanged into logs and into a header field. */
const format = /^[A-Za-z0-9._:+/=@-]{1,128}$/

/** Makes the ids of requests; `proxies` are the addresses and networks whose `X-Request-Id` is believed. */
export function createRequestIds(proxies: readonly string[]): (request?: IncomingMessage) => string {
  const isTrusted = listedAddresses(proxies)
  const start = `${randomBytes(9).toString('base64url')}-`
  let made = 0
  // Random for the process and counted within it: no two are alike, and none costs a system call.
  const own = () => start + (made++).toString(36)
  return request => {
    const given = request?.headers['x-request-id']
    if (typeof given !== 'string' || !format.test(given)) return own()
    return isTrusted(request?.socket.remoteAddress) ? given : own()
  }
}
