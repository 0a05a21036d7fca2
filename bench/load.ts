// The load: some connections, each of which sends its next request once the last one is answered. Over plain sockets:
// of an answer only the status and the length are read, so the generator costs half of what the server costs.

import type { Socket } from 'node:net'
import { openSocket, readHead, stayAwake } from './wire.ts'

export interface LoadOptions {
  readonly port: number
  /** Whole requests as bytes, sent in turn. */
  readonly requests: readonly Buffer[]
  /** The status that every answer must have; a 503 is counted apart: the machine may be too busy with other things. */
  readonly status: number
  readonly connections: number
  readonly milliseconds: number
  /** Leaves its processor to the server while it waits: where the server has work for two. Default: no. */
  readonly sleeps?: boolean
}

export interface LoadResult {
  readonly answers: number
  readonly refused: number
  readonly seconds: number
}

const mostSilence = 10_000

/** Sends requests for as long as is asked; throws where one fails otherwise than with 503. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { port, connections, milliseconds, sleeps = false } = options
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const start = performance.now()
  const progress = { sent: 0, answers: 0, refused: 0, deadline: start + milliseconds }
  const rest = sleeps ? () => undefined : stayAwake()
  try {
    await Promise.all(sockets.map(socket => drive(socket, options, progress)))
    const { answers, refused } = progress
    return { answers, refused, seconds: (performance.now() - start) / 1000 }
  } finally {
    rest()
    for (const socket of sockets) socket.destroy()
  }
}

/** What the connections have done together. */
interface Progress {
  sent: number
  answers: number
  refused: number
  readonly deadline: number
}

function drive(socket: Socket, { requests, status }: LoadOptions, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = () => socket.write(requests[progress.sent++ % requests.length]!)
    let [missing, isRefused] = [0, false]
    socket.on('data', chunk => {
      if (missing === 0) {
        const answer = readHead(chunk)
        isRefused = answer?.status === 503
        if (answer === undefined || !(isRefused || answer.status === status))
          return reject(new Error(`no ${status}: ${chunk.toString()}`))
        missing = answer.length
      }
      missing -= chunk.length
      if (missing > 0) return
      if (isRefused) progress.refused++
      else progress.answers++
      if (performance.now() < progress.deadline) send()
      else resolve()
    })
    socket.setTimeout(mostSilence, () => reject(new Error('the server does not answer')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    send()
  })
}
