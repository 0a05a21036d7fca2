// Refuses at once what could only be answered late. More requests than a process can answer wait in its sockets, where
// nobody sees them; what can be seen is how long one turn of the event loop goes on handing requests out. Beyond a bound,
// the rest of that turn is refused with 503 before anything is asked of it, so that what is answered is answered soon
// (decision 029).

import type { RequestListener, Server, ServerResponse } from 'node:http'

declare module 'fastify' {
  interface FastifyInstance {
    /** The requests that the server has refused because it was overloaded. */
    readonly overload: Overload
  }
}

export interface OverloadOptions {
  /**
   * How long a request may wait until it is handed out, in milliseconds. It comes in one turn and is handed out in the
   * next. A single long turn refuses nothing: only a second in a row.
   */
  readonly delay: number
  /** Answered even then, by path: the probes of those who watch the process. */
  readonly exempt: readonly string[]
  /** Header fields of a refusal beside its own. */
  readonly headers: () => Readonly<Record<string, string>>
  /** Milliseconds of a clock that only goes forwards. */
  readonly now?: () => number
}

export interface Overload {
  /** How many requests have been refused. */
  readonly refused: number
}

/** How long a turn may hand out requests: twice that, and refusing the rest, has to fit into the delay. */
const shareOfTurn = 0.4

const body = JSON.stringify({ detail: 'The service is temporarily unavailable. Try again later.' })

/** Stands before whatever answers the server's requests. */
export function shedOverload(server: Server, options: OverloadOptions): Overload {
  const { delay, exempt, headers, now = () => performance.now() } = options
  const longest = shareOfTurn * delay
  const listeners = server.listeners('request') as RequestListener[]
  const turns = watchTurns(now)
  let refused = 0
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    turns.arrive()
    if (turns.lengthBefore() > longest && turns.length() > longest && !exempt.includes(request.url ?? '')) {
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

// Requests that are ready are handed out one after the other; then come the immediates, which end a turn.
function watchTurns(now: () => number) {
  let isOpen = false
  let [start, end, lengthBefore] = [0, 0, 0]
  const finish = () => {
    end = now()
    lengthBefore = end - start
    isOpen = false
  }
  return {
    /** Call it for every request: it reads the clock for the first request of a turn only. */
    arrive(): void {
      if (isOpen) return
      isOpen = true
      start = now()
      // With a pause between, nothing was waiting any more.
      if (start - end > lengthBefore) lengthBefore = 0
      setImmediate(finish)
    },
    /** How long this turn has been going on. */
    length: () => now() - start,
    lengthBefore: () => lengthBefore,
  }
}

// The body of a refused request is not read: its connection is of no use any more.
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
