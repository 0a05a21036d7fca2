// Stops a server without losing requests: every request that clients have already sent gets its response (decision
// 020). Fastify's `close` alone resets connections that wait to be accepted, cuts responses that a slow client is still
// reading, and waits for connections on which no request was sent.

import { once } from 'node:events'
import type { RequestListener, Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect, Server as NetServer, type Socket } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import * as z from 'zod'
import { endEventStreams } from '#core'
import type { Address } from './listen.ts'
import { positiveNumber } from './options.ts'
import { definePlugin } from './plugin.ts'
import { serverState } from './server-state.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Stops the server without losing requests (plugin `drain`). */
    readonly drain: Drain
  }
}

export interface DrainOptions {
  /**
   * Resolves once all connections that are waiting now have been accepted; default: connects to the server itself, and
   * waits until this connection is accepted. It may take this many milliseconds.
   */
  readonly waitForQueue?: (milliseconds: number) => Promise<void>
}

/**
 * Responds to the requests that have been sent, with `Connection: close`, and closes the application once all connections
 * are closed. Meanwhile, the readiness probe of the plugin `health` fails.
 */
export type Drain = (options?: DrainOptions) => Promise<void>

/**
 * Adds `app.drain()`. Requests that take longer than `seconds` (default 10) are aborted.
 *
 * @example
 * app.register(drain, { seconds: 10 })
 * stopSignal().then(() => app.drain())
 */
export const drain = definePlugin(
  'drain',
  z.strictObject({ seconds: positiveNumber.default(10) }),
  (app, { seconds }) => {
    let drainServer: DrainServer | undefined
    // Other plugins, such as the overload guard, wrap the listeners of the server; this one has to come before them.
    app.addHook('onReady', done => {
      drainServer = createDrain(app.server)
      done()
    })
    const waitForOwnQueue = (milliseconds: number) => waitForAcceptQueue(app.server.address(), milliseconds)
    const stop = async ({ waitForQueue = waitForOwnQueue }: DrainOptions = {}) => {
      serverState(app.server).isStopping = true
      if (app.server.listening) await drainServer?.({ seconds, waitForQueue })
      await app.close()
    }
    let stopped: Promise<void> | undefined
    app.decorate('drain', options => {
      stopped ??= stop(options)
      return stopped
    })
  },
)

type DrainServer = (options: Required<DrainOptions> & { readonly seconds: number }) => Promise<void>

/** A connection, and the response to its latest request. */
interface Connection {
  readonly socket: Socket
  latestResponse: ServerResponse | undefined
}

/** Milliseconds in which a keep-alive connection may send one more request; its response closes the connection. */
const grace = 200
const pollInterval = 10

// Tracks the connections of a server from now on.
function createDrain(server: Server): DrainServer {
  const connections = new Map<Socket, Connection>()
  let isDraining = false
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { socket, latestResponse: undefined })
    socket.once('close', () => connections.delete(socket))
  })
  const trackResponse: RequestListener = ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    if (isDraining) closeAfter(connection, response)
    connection.latestResponse = response
  }
  server.prependListener('request', trackResponse)
  // Code that takes over a connection, such as a websocket, closes it when the application closes. Node ignores upgrades if there is no
  // such listener.
  if (server.listenerCount('upgrade') > 0)
    server.prependListener('upgrade', (_request, socket) => connections.delete(socket as Socket))

  return async ({ seconds, waitForQueue }) => {
    const deadline = performance.now() + 1000 * seconds
    const until = (condition: () => boolean) => poll(condition, deadline)
    const emptyQueue = () => waitForQueue(Math.max(1, deadline - performance.now()))
    const all = () => [...connections.values()]
    await emptyQueue()
    // Reads pipelined requests first, so that the response to an earlier one does not close the connection.
    await readPendingData()
    isDraining = true
    endEventStreams(server)
    respondAfterRead(server, trackResponse)
    for (const connection of all()) announceClose(connection.latestResponse)
    const responding = all().filter(isResponding)
    await Promise.all([delay(grace), until(() => !responding.some(isResponding))])
    await emptyQueue()
    // `close` of http.Server would cut responses that are written but not yet read; `close` of net.Server does not.
    NetServer.prototype.close.call(server)
    await readPendingData()
    await until(() => !all().some(isResponding))
    closeIdle(server, all())
    await until(() => connections.size === 0)
    for (const { socket } of all()) socket.destroy()
  }
}

/**
 * Connects to the server, and waits until the server closes this connection. By then, all earlier connections in the
 * same accept queue have been accepted, by whichever process. Never rejects, and waits at most this many milliseconds.
 * `address` is that of `server.address()`, or a host and a port.
 */
export async function waitForAcceptQueue(
  address: Address | ReturnType<Server['address']>,
  milliseconds: number,
): Promise<void> {
  if (address === null) return
  const socket = connect(findTarget(address)).setTimeout(milliseconds)
  socket.on('timeout', () => socket.destroy()).on('error', () => undefined)
  socket.resume().end()
  await once(socket, 'close').catch(() => undefined)
}

function findTarget(address: Address | AddressInfo | string) {
  if (typeof address === 'string') return { path: address }
  const host = 'host' in address ? address.host : address.address
  return { host: loopbacks[host] ?? host, port: address.port }
}

// Connections go to the loopback address if the server listens on all addresses.
const loopbacks: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const isResponding = ({ socket, latestResponse }: Connection): boolean =>
  latestResponse !== undefined && !latestResponse.writableFinished && !socket.destroyed

// In each turn, the event loop reads from every connection that has data.
async function readPendingData(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

// Node emits pipelined requests one by one as it reads them. The listeners are delayed until all of them have been
// read, because only the response to the last one may close the connection.
function respondAfterRead(server: Server, trackResponse: RequestListener): void {
  const listeners = (server.listeners('request') as RequestListener[]).filter(listener => listener !== trackResponse)
  for (const listener of listeners) server.off('request', listener)
  server.on('request', (request, response) =>
    queueMicrotask(() => {
      for (const listener of listeners) listener.call(server, request, response)
    }),
  )
}

// Pipelined responses are sent in order, so only this latest one may close the connection.
function closeAfter({ latestResponse }: Connection, response: ServerResponse): void {
  if (latestResponse !== undefined && !latestResponse.headersSent) latestResponse.shouldKeepAlive = true
  announceClose(response)
}

function announceClose(response: ServerResponse | undefined): void {
  if (response !== undefined && !response.headersSent) response.shouldKeepAlive = false
}

// Node does not count a connection without any data as idle, because its first request may be on the way.
function closeIdle(server: Server, connections: readonly Connection[]): void {
  server.closeIdleConnections()
  for (const { socket } of connections) if (socket.bytesRead === 0) socket.destroy()
}

async function poll(condition: () => boolean, deadline: number): Promise<void> {
  while (!condition() && performance.now() < deadline) await delay(pollInterval)
}
