// Refuses requests with 503 while the process is overloaded, so that the accepted requests get a fast response
// (decision 029). Waiting requests are in the socket buffers, where they cannot be counted. Instead, this module measures
// how long one turn of the event loop has spent handling requests; beyond a limit, the remaining requests of that turn
// are refused before any other work is done for them. Each turn also accepts one new connection, and not more; so the
// limit is lower while connections wait.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
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
   * emitted in the next, so requests are refused only in the second of two long turns in a row. Connections that have
   * waited for longer make the turns short.
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

/** The fraction after connections have waited for `delay`. Each turn accepts only one, so the turns must be short. */
const turnFractionWhileConnectionsWait = 0.02

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
  const listeners = server.listeners('request') as RequestListener[]
  const turns = measureTurns(now)
  let refused = 0
  server.on('connection', turns.onConnection)
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    turns.onRequest()
    const maxTurn = delay * (turns.connectionWait() > delay ? turnFractionWhileConnectionsWait : turnFraction)
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

// A turn begins with its first request or connection. Node emits all requests that are ready and at most one connection,
// and then runs the callbacks of `setImmediate`, which end the turn.
function measureTurns(now: () => number) {
  let [isOpen, hasConnection] = [false, false]
  let [start, end, previousDuration] = [0, 0, 0]
  // Since then, each turn has accepted a connection, so further ones may have been waiting.
  let waitStart: number | undefined
  const finish = () => {
    end = now()
    previousDuration = end - start
    waitStart = hasConnection ? (waitStart ?? start) : undefined
    isOpen = hasConnection = false
  }
  const open = () => {
    isOpen = true
    start = now()
    // If more time has passed since the previous turn than it lasted, nothing was waiting.
    if (start - end > previousDuration) {
      previousDuration = 0
      waitStart = undefined
    }
    setImmediate(finish)
  }
  return {
    /** Must be called for every request. Reads the clock only for the first request of a turn. */
    onRequest(): void {
      if (!isOpen) open()
    },
    /** Must be called for every connection. */
    onConnection(): void {
      if (!isOpen) open()
      hasConnection = true
    },
    /** Milliseconds since this turn began. */
    duration: () => now() - start,
    previousDuration: () => previousDuration,
    /** Milliseconds for which connections may have waited. */
    connectionWait: () => (waitStart === undefined ? 0 : start - waitStart),
  }
}

/** Bytes of a body that are read and dropped, so that the client can use its connection again. */
const droppedBody = 64 * 1024

function refuse(response: ServerResponse, headers: HeaderFields): void {
  response.writeHead(503, {
    ...headers,
    'content-type': 'application/json',
    'content-length': body.length,
    'retry-after': '1',
    ...(!isDroppable(response.req) && { connection: 'close' }),
  })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

// Node drops the body of a request that nobody has read once the response is sent. Closing the connection instead would
// be worse: the event loop accepts only one connection per turn, and the turns are long now.
function isDroppable({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= droppedBody
}
