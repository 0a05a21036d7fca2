// A connection that is kept, on which requests are written and answers counted.

import { once } from 'node:events'
import { connect } from 'node:net'

export interface AskingConnection {
  /** Writes this many requests at once, without waiting for answers. */
  ask(times?: number): void
  /** Asks again as soon as there is an answer, until the service closes. */
  keepAsking(): void
  /** Requests that have been written, and whole answers that have come: a machine that is busy refuses some (503). */
  readonly written: number
  readonly answered: number
  /** How many of these said that the connection will be closed. */
  readonly closing: number
  /** Resolves when the connection is closed, whoever did so and however. */
  readonly closed: Promise<void>
  destroy(): void
}

/** Opens a connection for requests for one path. */
export async function openAsking(origin: string, path: string): Promise<AskingConnection> {
  const { hostname, port, host } = new URL(origin)
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const socket = connect(Number(port), hostname).setEncoding('latin1')
  const state = { written: 0, answered: 0, closing: 0, text: '', isAsking: false }
  const ask = (times = 1) => {
    state.written += times
    socket.write(request.repeat(times))
  }
  socket.on('data', text => {
    state.text += text
    for (let answer = takeAnswer(state); answer !== undefined; answer = takeAnswer(state)) {
      state.answered += 1
      if (/^connection: close$/im.test(answer)) state.closing += 1
      if (state.isAsking && socket.writable) ask()
    }
  })
  socket.on('error', () => undefined)
  const closed = new Promise<void>(resolve => socket.once('close', () => resolve()))
  await once(socket, 'connect')
  return {
    ask,
    keepAsking() {
      state.isAsking = true
      ask()
    },
    get written() {
      return state.written
    },
    get answered() {
      return state.answered
    },
    get closing() {
      return state.closing
    },
    closed,
    destroy: () => void socket.destroy(),
  }
}

// The head of the next answer, if that has come as a whole.
function takeAnswer(state: { text: string }): string | undefined {
  const end = state.text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = state.text.slice(0, end)
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  if (state.text.length < end + 4 + length) return undefined
  state.text = state.text.slice(end + 4 + length)
  return head
}
