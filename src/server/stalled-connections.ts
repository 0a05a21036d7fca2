// Closes the connections of clients that stop reading their response, because the unread bytes stay in memory.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import * as z from 'zod'
import { positiveNumber } from './options.ts'
import { definePlugin } from './plugin.ts'

/**
 * Closes the connection of a client that has read nothing of its response for this many seconds; default 60.
 *
 * @example
 * app.register(stalledConnections, { seconds: 30 })
 */
export const stalledConnections = definePlugin(
  'stalledConnections',
  z.strictObject({ seconds: positiveNumber.default(60) }),
  (app, { seconds }) => closeStalledConnections(app.server, seconds),
)

/**
 * Closes a connection whose client has read nothing of the written bytes for this many seconds. The connection is
 * closed after 2.5 times as long at the latest. A slow client that reads some bytes from time to time keeps its
 * connection.
 *
 * One interval checks all connections, because a timer per response would cost more, and most responses are read at
 * once.
 */
export function closeStalledConnections(server: Server, seconds: number): void {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const checkAll = () => {
    for (const socket of connections) if (socket.writableLength > 0) setStallTimeout(socket, 1000 * seconds)
  }
  const timer = setInterval(checkAll, 250 * seconds).unref()
  server.once('close', () => clearInterval(timer))
}

// When a socket timeout expires, Node restarts it if bytes were sent in the meantime, and otherwise closes the
// connection. Once the response is read, Node's keep-alive timeout replaces it.
function setStallTimeout(socket: Socket, milliseconds: number): void {
  if (!socket.timeout) socket.setTimeout(milliseconds)
}
