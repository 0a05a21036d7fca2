// A closed-loop load generator: each connection sends its next request when the last response has arrived. It uses plain
// sockets and reads only the status and the length of a response, so it needs half the processor time of the server.

import type { Socket } from 'node:net'
import { openSocket, pollEventLoop, readHead } from './wire.ts'

export interface LoadOptions {
  readonly port: number
  /** Whole requests as bytes, sent in turn. */
  readonly requests: readonly Buffer[]
  /** The status that every response must have. A 503 is counted separately, because the machine may be busy otherwise. */
  readonly status: number
  readonly connections: number
  readonly milliseconds: number
  /** Sleeps while it waits, so that the server can use both processors. Default: false. */
  readonly sleeps?: boolean
}

export interface LoadResult {
  readonly responses: number
  readonly refused: number
  readonly seconds: number
}

const maxSilence = 10_000

/** Sends requests for the given time; throws if one fails with another status than 503. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { port, connections, milliseconds, sleeps = false } = options
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const start = performance.now()
  const progress = { sent: 0, responses: 0, refused: 0, deadline: start + milliseconds }
  const rest = sleeps ? () => undefined : pollEventLoop()
  try {
    await Promise.all(sockets.map(socket => drive(socket, options, progress)))
    const { responses, refused } = progress
    return { responses, refused, seconds: (performance.now() - start) / 1000 }
  } finally {
    rest()
    for (const socket of sockets) socket.destroy()
  }
}

/** The counts of all connections together. */
interface Progress {
  sent: number
  responses: number
  refused: number
  readonly deadline: number
}

function drive(socket: Socket, { requests, status }: LoadOptions, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = () => socket.write(requests[progress.sent++ % requests.length]!)
    let [missing, isRefused] = [0, false]
    socket.on('data', chunk => {
      if (missing === 0) {
        const response = readHead(chunk)
        isRefused = response?.status === 503
        if (response === undefined || !(isRefused || response.status === status))
          return reject(new Error(`expected ${status}: ${chunk.toString()}`))
        missing = response.length
      }
      missing -= chunk.length
      if (missing > 0) return
      if (isRefused) progress.refused++
      else progress.responses++
      if (performance.now() < progress.deadline) send()
      else resolve()
    })
    socket.setTimeout(maxSilence, () => reject(new Error('the server does not respond')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    send()
  })
}
