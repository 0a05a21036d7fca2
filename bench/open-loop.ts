// An open-loop load generator: requests are sent at a fixed rate, independently of the responses, as many independent
// clients would do. If all connections are busy, a request waits for one, and its time counts from when it was due.

import type { Socket } from 'node:net'
import { openSocket, pollEventLoop, readHead } from './wire.ts'

export interface OfferOptions {
  readonly port: number
  /** Whole requests as bytes, sent in turn. */
  readonly requests: readonly Buffer[]
  readonly perSecond: number
  readonly milliseconds: number
  /** The maximum of requests in flight. */
  readonly connections: number
  /** Sleeps while it waits and leaves its processor to the server; requests may be a millisecond late. Default: false. */
  readonly sleeps?: boolean
}

/** Times are in milliseconds, from when the request was due to the last byte of its response. */
export interface Offered {
  readonly seconds: number
  /** Requests that were due. */
  readonly due: number
  readonly times: ReadonlyMap<number, readonly number[]>
  /** The same from when the request was sent, without the wait for a connection. */
  readonly sentTimes: ReadonlyMap<number, readonly number[]>
  /** The number of responses, by status, that arrived before the last request was due. */
  readonly inTime: ReadonlyMap<number, number>
  /** Connections that ended before the response. */
  readonly broken: number
  /** How late the generator sent each request although a connection was free. */
  readonly lateness: readonly number[]
}

/** How long to wait for responses after the last request was due. */
const patience = 10_000

/** Sends the requests. A request without a response counts only in `due`. */
export async function offer(options: OfferOptions): Promise<Offered> {
  const { connections, port, sleeps = false } = options
  const sockets = await Promise.all(Array.from({ length: connections }, () => openSocket(port)))
  const offering = new Offering(options)
  for (const socket of sockets) offering.add(socket)
  const rest = sleeps ? () => undefined : pollEventLoop()
  try {
    return await offering.run(sleeps ? 1 : 0)
  } finally {
    rest()
    offering.close()
  }
}

interface Line {
  readonly socket: Socket
  /** When the request in flight was due; undefined if the connection is free. */
  due: number | undefined
  sent: number
  missing: number
  status: number
}

class Offering {
  readonly #options: OfferOptions
  readonly #lines = new Set<Line>()
  readonly #free: Line[] = []
  readonly #times = new Map<number, number[]>()
  readonly #sentTimes = new Map<number, number[]>()
  readonly #inTime = new Map<number, number>()
  readonly #lateness: number[] = []
  /** How many requests are due, sent, and completed. */
  #due = 0
  #sent = 0
  #done = 0
  #broken = 0
  #start = 0
  #isOver = false

  constructor(options: OfferOptions) {
    this.#options = options
  }

  add(socket: Socket): void {
    const line: Line = { socket, due: undefined, sent: 0, missing: 0, status: 0 }
    this.#lines.add(line)
    this.#free.push(line)
    socket.on('data', chunk => this.#read(line, chunk))
    socket.on('error', () => undefined)
    socket.on('close', () => this.#lose(line))
  }

  async run(pause: 0 | 1): Promise<Offered> {
    const { perSecond, milliseconds } = this.#options
    const total = Math.floor((perSecond * milliseconds) / 1000)
    this.#start = performance.now()
    const end = this.#start + milliseconds
    while (this.#done < total && performance.now() < end + patience) {
      this.#due = Math.min(total, Math.floor(((performance.now() - this.#start) * perSecond) / 1000) + 1)
      this.#send(true)
      await (pause === 0 ? new Promise(setImmediate) : new Promise(resolve => setTimeout(resolve, pause)))
    }
    this.#isOver = true
    return {
      seconds: milliseconds / 1000,
      due: total,
      times: this.#times,
      sentTimes: this.#sentTimes,
      inTime: this.#inTime,
      broken: this.#broken,
      lateness: this.#lateness,
    }
  }

  close(): void {
    for (const { socket } of this.#lines) socket.destroy()
  }

  #send(isOnSchedule: boolean): void {
    const { requests, perSecond } = this.#options
    while (this.#sent < this.#due) {
      const line = this.#free.pop()
      if (line === undefined) return
      line.due = this.#start + (this.#sent * 1000) / perSecond
      line.sent = performance.now()
      if (isOnSchedule) this.#lateness.push(line.sent - line.due)
      line.socket.write(requests[this.#sent++ % requests.length]!)
    }
  }

  #read(line: Line, chunk: Buffer): void {
    if (line.due === undefined) return
    if (line.missing === 0) {
      const head = readHead(chunk)
      if (head === undefined) return void line.socket.destroy()
      line.missing = head.length
      line.status = head.status
    }
    line.missing -= chunk.length
    if (line.missing > 0) return
    this.#note(line, line.due)
    line.due = undefined
    this.#free.push(line)
    this.#send(false)
  }

  #note({ status, sent }: Line, due: number): void {
    const now = performance.now()
    this.#done++
    push(this.#times, status, now - due)
    push(this.#sentTimes, status, now - sent)
    if (now < this.#start + this.#options.milliseconds) this.#inTime.set(status, (this.#inTime.get(status) ?? 0) + 1)
  }

  // A server may close the connection after a refusal: open another one.
  #lose(line: Line): void {
    this.#lines.delete(line)
    const index = this.#free.indexOf(line)
    if (index >= 0) this.#free.splice(index, 1)
    if (line.due !== undefined) {
      this.#broken++
      this.#done++
    }
    if (this.#isOver) return
    openSocket(this.#options.port).then(
      socket => {
        if (this.#isOver) socket.destroy()
        else this.add(socket)
      },
      () => undefined,
    )
  }
}

function push(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
