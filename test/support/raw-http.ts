// Sends raw bytes over a socket, for requests that no HTTP client would send.

import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestResponse } from './client.ts'

/** Sends the bytes, ends the stream if `end` is set, and reads until the service closes; returns the last response. */
export async function sendRaw(
  origin: string,
  bytes: string | Buffer,
  { end = false }: { readonly end?: boolean } = {},
): Promise<TestResponse> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  if (end) socket.end(bytes)
  else socket.write(bytes)
  await once(socket, 'close')
  return parseResponse(Buffer.concat(chunks).toString('latin1'))
}

export interface RawConnection {
  send(bytes: string | Buffer): void
  /** Resolves with the text since the last call once it matches; rejects if the service closes before. */
  receive(pattern: RegExp): Promise<string>
  /** Resolves with the text since the last call once the service has closed. */
  receiveLast(): Promise<string>
  close(): void
}

/** Opens a connection for several writes. */
export function openConnection(origin: string): RawConnection {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  const closed = once(socket, 'close')
  let text = ''
  socket.on('data', chunk => {
    text += chunk
  })
  const take = () => {
    const taken = text
    text = ''
    return taken
  }
  return {
    send: bytes => void socket.write(bytes),
    async receive(pattern) {
      while (!pattern.test(text)) {
        if (socket.destroyed) throw new Error(`closed after ${JSON.stringify(text)}`)
        await Promise.race([once(socket, 'data'), closed])
      }
      return take()
    },
    receiveLast: () => closed.then(take),
    close: () => void socket.destroy(),
  }
}

/** Formats a request with these header lines as bytes; `start` is the method and the path. */
export function rawRequest(start: string, headers: readonly string[], body = ''): Buffer {
  return Buffer.from([`${start} HTTP/1.1`, 'Connection: close', ...headers, '', body].join('\r\n'), 'latin1')
}

function parseResponse(text: string): TestResponse {
  const response = text.slice(text.lastIndexOf('HTTP/1.1 '))
  const [head = '', body = ''] = response.split('\r\n\r\n')
  const [start = '', ...lines] = head.split('\r\n')
  const headers = lines.map(line => [line.split(':', 1)[0]!.toLowerCase(), line.replace(/^[^:]*: */, '')])
  return {
    status: Number(start.split(' ')[1] ?? 0),
    headers: Object.fromEntries(headers),
    text: body,
    json: () => JSON.parse(body),
  }
}
