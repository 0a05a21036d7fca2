// The load: some connections, each of which sends its next request once the last one is answered. Over plain sockets:
// of an answer only the status and the length are read, so the generator costs half of what the server costs.

import { connect, type Socket } from 'node:net'

export interface LoadOptions {
  readonly port: number
  /** Whole requests as bytes, sent in turn. */
  readonly requests: readonly Buffer[]
  /** The status that every answer must have. */
  readonly status: number
  readonly connections: number
  readonly milliseconds: number
}

export interface LoadResult {
  readonly answers: number
  readonly seconds: number
}

const mostSilence = 10_000

/** Sends requests for as long as is asked; throws where one fails. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => open(options.port)))
  const start = performance.now()
  const progress = { sent: 0, answers: 0, deadline: start + options.milliseconds }
  const rest = stayAwake()
  try {
    await Promise.all(sockets.map(socket => drive(socket, options, progress)))
    return { answers: progress.answers, seconds: (performance.now() - start) / 1000 }
  } finally {
    rest()
    for (const socket of sockets) socket.destroy()
  }
}

// A generator that sleeps has to be woken by the server's write, which costs the server as much as the write itself,
// and the slower side more often. So it polls, on the processor that the server leaves free.
function stayAwake(): () => void {
  let isAwake = true
  const poll = () => {
    if (isAwake) setImmediate(poll)
  }
  poll()
  return () => {
    isAwake = false
  }
}

/** The bytes of a GET. */
export function formatRequest(path: string, headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${fields.join('')}\r\n`)
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

/** What the connections have done together. */
interface Progress {
  sent: number
  answers: number
  readonly deadline: number
}

function drive(socket: Socket, { requests, status }: LoadOptions, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = () => socket.write(requests[progress.sent++ % requests.length]!)
    let missing = 0
    socket.on('data', chunk => {
      if (missing === 0) {
        const answer = readHead(chunk)
        if (answer?.status !== status) return reject(new Error(`no ${status}: ${chunk.toString()}`))
        missing = answer.length
      }
      missing -= chunk.length
      if (missing > 0) return
      progress.answers++
      if (performance.now() < progress.deadline) send()
      else resolve()
    })
    socket.setTimeout(mostSilence, () => reject(new Error('the server does not answer')))
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a connection')))
    send()
  })
}

/** The status of an answer, and its length with the head. Node writes a head in one piece. */
function readHead(chunk: Buffer): { status: number; length: number } | undefined {
  const end = chunk.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = chunk.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)
  return length === null ? undefined : { status: Number(head.slice(9, 12)), length: end + 4 + Number(length[1]) }
}
