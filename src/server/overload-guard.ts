// Refuses requests with 503 while the process is overloaded, so that the accepted requests get a fast response
// (decision 029). Waiting requests are in the socket buffers, where they cannot be counted. Instead, this module measures
// how long one turn of the event loop has spent handling requests; beyond a limit, the remaining requests of that turn
// are refused before any other work is done for them.

import type { RequestListener, Server, ServerResponse } from 'node:http'
import * as z from 'zod'
import { list, positiveInteger, urlPath } from './options.ts'
import { definePlugin } from './plugin.ts'
import { type HeaderFields, readRawFields, serverState } from './server-state.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts the requests that were refused because of overload. */
    readonly overload: Overload
  }
}

export interface OverloadOptions {
  /**
   * Milliseconds that a request may wait until Node emits its `request` event. A request arrives during one turn and is
   * emitted in the next, so requests are refused only in the second of two long turns in a row.
   */
  readonly delay: number
  /** Returns true for paths that are always served: the health probes. */
  readonly isExempt: (path: string) => boolean
  /** Returns additional headers for the 503 response. */
  readonly headers: () => HeaderFields
  /** A monotonic clock in milliseconds; default `performance.now`. */
  readonly now?: () => number
}

export interface Overload {
  /** The number of refused requests. */
  readonly refused: number
}

/** The fraction of `delay` that one turn may take: two turns and the refusals must fit into `delay`. */
const turnFraction = 0.4

const body = JSON.stringify({ detail: 'The service is temporarily unavailable. Try again later.' })

/**
 * Refuses requests with 503 if they have waited for about `delay` milliseconds (default 250) and the overload lasts.
 * The probes of the plugin `health` and the paths in `exempt` are always served.
 *
 * @example
 * app.register(overloadGuard, { delay: 250, exempt: ['/status'] })
 */
export const overloadGuard = definePlugin(
  'overloadGuard',
  z.strictObject({ delay: positiveInteger.default(250), exempt: list(urlPath).default([]) }),
  (app, { delay, exempt }) => {
    const { exemptPaths } = serverState(app.server)
    for (const path of exempt) exemptPaths.add(path)
    const headers = () => readRawFields(app.server)
    app.decorate('overload', shedLoad(app.server, { delay, isExempt: path => exemptPaths.has(path), headers }))
  },
)

/** Refuses requests before they reach the server's existing `request` listeners. */
export function shedLoad(server: Server, options: OverloadOptions): Overload {
  const { delay, isExempt, headers, now = () => performance.now() } = options
  const maxTurn = turnFraction * delay
  const listeners = server.listeners('request') as RequestListener[]
  const turns = measureTurns(now)
  let refused = 0
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    turns.onRequest()
    if (turns.previousDuration() > maxTurn && turns.duration() > maxTurn && !isExempt(request.url ?? '')) {
      refused++
      return refuse(response, headers())
    }
    for (const listener of listeners) listener.call(server, request, response)
  })
  return {
    get refused() {
      return refused
    },
  }
}

// A turn begins with its first request. Node emits all requests that are ready, and then runs the callbacks of
// `setImmediate`, which end the turn.
function measureTurns(now: () => number) {
  let isOpen = false
  let [start, end, previousDuration] = [0, 0, 0]
  const finish = () => {
    end = now()
    previousDuration = end - start
    isOpen = false
  }
  return {
    /** Must be called for every request. Reads the clock only for the first request of a turn. */
    onRequest(): void {
      if (isOpen) return
      isOpen = true
      start = now()
      // If more time has passed since the previous turn than it lasted, no requests were waiting.
      if (start - end > previousDuration) previousDuration = 0
      setImmediate(finish)
    },
    /** Milliseconds since this turn began. */
    duration: () => now() - start,
    previousDuration: () => previousDuration,
  }
}

// The body of a refused request is not read, so a request with a body closes its connection.
function refuse(response: ServerResponse, headers: HeaderFields): void {
  const { 'content-length': length = '0', 'transfer-encoding': coding } = response.req.headers
  const hasBody = length !== '0' || coding !== undefined
  response.writeHead(503, {
    ...headers,
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': '1',
    ...(hasBody && { connection: 'close' }),
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}
