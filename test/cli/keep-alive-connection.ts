// A keep-alive connection that sends requests and counts the responses.

import { once } from 'node:events'
import { connect } from 'node:net'

export interface KeepAliveConnection {
  /** Writes this many requests at once, without waiting for responses. */
  send(times?: number): void
  /** Sends a new request after each response, until the service closes the connection. */
  sendContinuously(): void
  /** Counts of written requests and complete responses; an overloaded service rejects some (503). */
  readonly written: number
  readonly received: number
  /** How many of the responses had `Connection: close`. */
  readonly closing: number
  /** Resolves when the connection is closed, by either side and for any reason. */
  readonly closed: Promise<void>
  destroy(): void
}

/** Opens a connection for requests to one path. */
export async function openKeepAlive(origin: string, path: string): Promise<KeepAliveConnection> {
  const { hostname, port, host } = new URL(origin)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  const state = { written: 0, received: 0, closing: 0, text: '', isContinuous: false }
  const send = (times = 1) => {
    state.written += times
    socket.write(request.repeat(times))
  }
  socket.on('data', text => {
    state.text += text
    for (let response = takeResponse(state); response !== undefined; response = takeResponse(state)) {
      state.received += 1
      if (/^connection: close$/im.test(response)) state.closing += 1
      if (state.isContinuous && socket.writable) send()
    }
  })
  socket.on('error', () => undefined)
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    send,
    sendContinuously() {
      state.isContinuous = true
      send()
    },
    get written() {
      return state.written
    },
    get received() {
      return state.received
    },
    get closing() {
      return state.closing
    },
    closed,
    destroy: () => void socket.destroy(),
  }
}

// Returns the header of the next response if it has arrived completely.
function takeResponse(state: { text: string }): string | undefined {
  const end = state.text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = state.text.slice(0, end)
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  if (state.text.length < end + 4 + length) return undefined
  state.text = state.text.slice(end + 4 + length)
  return head
}
