// Stops a server without losing a request: everything that clients have sent before is read and answered.
// Fastify's `close` alone resets connections that wait to be accepted, cuts answers that a slow client still reads, and
// waits for connections on which nothing was ever sent (decision 020).

import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { connect, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'

export interface DrainOptions {
  /** Requests that take longer than this are cut off. */
  readonly seconds: number
  /** Resolves once the connections have been accepted that wait for it now. */
  readonly passQueue: () => Promise<void>
}

/** Answers what has been sent, with `Connection: close`; resolves once no connection is left. */
export type Drain = (options: DrainOptions) => Promise<void>

/** A connection, and the answer to the last request that came on it. */
interface Connection {
  readonly socket: Socket
  newest: ServerResponse | undefined
}

/** For this long, in milliseconds, kept connections may send one more request; its response closes the connection. */
const grace = 200
const pollInterval = 10

/** Follows the connections of a server from now on. */
export function createDrain(server: Server): Drain {
  const connections = new Map<Socket, Connection>()
  let isDraining = false
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { socket, newest: undefined })
    socket.once('close', () => connections.delete(socket))
  })
  const follow: RequestListener = ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    if (isDraining) closeAfter(connection, response)
    connection.newest = response
  }
  server.prependListener('request', follow)

  return async ({ seconds, passQueue }) => {
    const deadline = performance.now() + 1000 * seconds
    const until = (condition: () => boolean) => poll(condition, deadline)
    const all = () => [...connections.values()]
    await passQueue()
    // Pipelined requests have been read by now, so that no response closes the connection before the next one.
    await readWhatHasCome()
    isDraining = true
    answerOnceRead(server, follow)
    for (const connection of all()) announceClose(connection.newest)
    const begun = all().filter(isAnswering)
    await Promise.all([delay(grace), until(() => !begun.some(isAnswering))])
    await passQueue()
    // HTTP's own `close` would cut answers that are written but not yet read.
    NetServer.prototype.close.call(server)
    await readWhatHasCome()
    await until(() => !all().some(isAnswering))
    closeIdle(server, all())
    await until(() => connections.size === 0)
    for (const { socket } of all()) socket.destroy()
  }
}

/**
 * Connects to a server, and waits until it ends that connection: those that came before have been accepted by then,
 * whoever accepts them, since they stand in the same queue. Never rejects, and waits a second at most.
 */
export async function passAcceptQueue({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const socket = connect({ host: loopbacks[host] ?? host, port }).setTimeout(1000)
  socket.on('timeout', () => socket.destroy()).on('error', () => undefined)
  socket.resume().end()
  await once(socket, 'close').catch(() => undefined)
}

// A server that listens on all addresses has none to connect to.
const loopbacks: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const isAnswering = ({ socket, newest }: Connection): boolean =>
  newest !== undefined && !newest.writableFinished && !socket.destroyed

// Once a turn, the event loop reads from each connection on which something has come.
async function readWhatHasCome(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

// Requests that were pipelined are handed out one after the other as they are read. None is answered before all are here:
// the answer to the last one alone closes the connection.
function answerOnceRead(server: Server, follow: RequestListener): void {
  const answering = (server.listeners('request') as RequestListener[]).filter(listener => listener !== follow)
  for (const listener of answering) server.off('request', listener)
  server.on('request', (request, response) =>
    queueMicrotask(() => {
      for (const listener of answering) listener.call(server, request, response)
    }),
  )
}

function closeAfter({ newest }: Connection, response: ServerResponse): void {
  if (newest !== undefined && !newest.headersSent) newest.shouldKeepAlive = true
  announceClose(response)
}

function announceClose(response: ServerResponse | undefined): void {
  if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false
}

// Node takes a connection on which nothing has come yet for one whose request is on its way.
function closeIdle(server: Server, connections: readonly Connection[]): void {
  server.closeIdleConnections()
  for (const { socket } of connections) if (socket.bytesRead === 0) socket.destroy()
}

async function poll(condition: () => boolean, deadline: number): Promise<void> {
  while (!condition() && performance.now() < deadline) await delay(pollInterval)
}
