// Bounds how long a client may leave its answer lying: what it does not take fills the memory of the process.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Ends the connections of a server whose clients have taken nothing of what was written to them for so many seconds; at
 * the latest after two and a half times as long. A slow client that takes something now and then keeps its connection.
 *
 * Only a look now and then, and no timer for each answer: nearly all are taken before anyone could look.
 */
export function endStalled(server: Server, seconds: number): void {
  const connections = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  const look = () => {
    for (const socket of connections) if (socket.writableLength > 0) endWhenStalled(socket, 1000 * seconds)
  }
  const timer = setInterval(look, 250 * seconds).unref()
  server.once('close', () => clearInterval(timer))
}

// Node lets such a timer begin again where something was written meanwhile, and ends the connection otherwise; once the
// answer is taken, Node's own timer for idle connections takes its place.
function endWhenStalled(socket: Socket, milliseconds: number): void {
  if (!socket.timeout) socket.setTimeout(milliseconds)
}
