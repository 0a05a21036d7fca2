// The services of HTTP over plain sockets that a load generator needs.

import { connect, type Socket } from 'node:net'

export interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>
  /** Sent with POST as JSON; without a body the request is a GET. */
  readonly body?: unknown
}

/** Formats a request as bytes. */
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

/** Reads the status of a response and its length, header included. Node writes a header in one piece. */
export function readHead(chunk: Buffer): { status: number; length: number } | undefined {
  const end = chunk.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = chunk.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  if (status === 304) return { status, length: end + 4 }
  const length = /\r\ncontent-length: (\d+)/i.exec(head)
  return length === null ? undefined : { status, length: end + 4 + Number(length[1]) }
}

/**
 * Keeps the event loop busy until the returned function is called. If the generator slept, the server's write would have to
 * wake it, which costs the server as much as the write itself, and affects the slower side more often. Polling uses the
 * processor that the server leaves free.
 */
export function pollEventLoop(): () => void {
  let isAwake = true
  const poll = () => {
    if (isAwake) setImmediate(poll)
  }
  poll()
  return () => {
    isAwake = false
  }
}
