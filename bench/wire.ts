// HTTP over plain sockets, as little of it as a generator of load needs.

import { connect, type Socket } from 'node:net'

export interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>
  /** Sent by POST as JSON; without it the request is a GET. */
  readonly body?: unknown
}

/** The bytes of a request. */
export function formatRequest(path: string, { headers, body }: RequestOptions): Buffer {
  const content = body === undefined ? '' : JSON.stringify(body)
  const own = body !== undefined && {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(content)),
  }
  const fields = Object.entries({ ...headers, ...own }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${fields.join('')}\r\n${content}`)
}

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const connected = () => {
      socket.off('error', reject)
      resolve(socket)
    }
    socket.once('connect', connected).once('error', reject)
  })
}

/** The status of an answer, and its length with the head. Node writes a head in one piece. */
export function readHead(chunk: Buffer): { status: number; length: number } | undefined {
  const end = chunk.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = chunk.toString('latin1', 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)
  return length === null ? undefined : { status: Number(head.slice(9, 12)), length: end + 4 + Number(length[1]) }
}

/**
 * A generator that sleeps has to be woken by the server's write, which costs the server as much as the write itself, and
 * the slower side more often. So it polls, on the processor that the server leaves free; the result ends that.
 */
export function stayAwake(): () => void {
  let isAwake = true
  const poll = () => {
    if (isAwake) setImmediate(poll)
  }
  poll()
  return () => {
    isAwake = false
  }
}
