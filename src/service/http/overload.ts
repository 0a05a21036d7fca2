// Rejects requests with 503 while the process is overloaded, so that the accepted requests get a fast response
// (decision 029). Waiting requests are in the socket buffers, where they cannot be counted. Instead, this file measures
// how long one turn of the event loop keeps emitting requests; beyond a bound, the remaining requests of that turn are
// rejected before any other work is done for them.

import type { RequestListener, Server, ServerResponse } from 'node:http'

declare module 'fastify' {
  interface FastifyInstance {
    /** Counts the requests that were rejected because of overload. */
    readonly overload: Overload
  }
}

export interface OverloadOptions {
  /**
   * Milliseconds that a request may wait until Node emits it. It arrives during one turn and is emitted in the next, so
   * requests are rejected only in the second of two long turns in a row.
   */
  readonly delay: number
  /** Paths that are always served: the health probes. */
  readonly exempt: readonly string[]
  /** Additional headers of a rejection. */
  readonly headers: () => Readonly<Record<string, string>>
  /** A monotonic clock in milliseconds; default `performance.now`. */
  readonly now?: () => number
}

export interface Overload {
  /** The number of rejected requests. */
  readonly refused: number
}

/** The share of `delay` that one turn may take: two turns and the rejections have to fit into the delay. */
const shareOfTurn = 0.4

const body = JSON.stringify({ detail: 'The service is temporarily unavailable. Try again later.' })

/** Runs before the server's existing `request` listeners. */
export function shedOverload(server: Server, options: OverloadOptions): Overload {
  const { delay, exempt, headers, now = () => performance.now() } = options
  const maxTurn = shareOfTurn * delay
  const listeners = server.listeners('request') as RequestListener[]
  const turns = watchTurns(now)
  let refused = 0
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    turns.arrive()
    if (turns.previousLength() > maxTurn && turns.length() > maxTurn && !exempt.includes(request.url ?? '')) {
      refused++
      return refuse(response, headers())
    }
    for (const listen of listeners) listen.call(server, request, response)
  })
  return {
    get refused() {
      return refused
    },
  }
}

// Node emits all requests that are ready, and then runs the immediates, which end a turn.
function watchTurns(now: () => number) {
  let isOpen = false
  let [start, end, previousLength] = [0, 0, 0]
  const finish = () => {
    end = now()
    previousLength = end - start
    isOpen = false
  }
  return {
    /** Call it for every request. It reads the clock only for the first request of a turn. */
    arrive(): void {
      if (isOpen) return
      isOpen = true
      start = now()
      // After a pause that was longer than the previous turn, no requests were waiting.
      if (start - end > previousLength) previousLength = 0
      setImmediate(finish)
    },
    /** Milliseconds since this turn began. */
    length: () => now() - start,
    previousLength: () => previousLength,
  }
}

// The body of a rejected request is not read, so its connection cannot be used again.
function refuse(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
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
