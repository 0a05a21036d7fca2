// A TCP proxy that can close connections or silently stop forwarding, as networks do.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** The server's URL with the proxy's port. */
  through(url: string): string
  /** Stops forwarding in both directions; connections stay open, and new ones are accepted. */
  freeze(): void
  /** Closes all connections. */
  cut(): void
  /**
   * Closes them when the server responds to the next request with `text`: it was executed, but the client gets no
   * response.
   */
  cutAfter(text: string): void
  /** Forwards again; the frozen connections are closed. */
  heal(): void
  close(): Promise<void>
}

/** Starts a proxy to the server of `url`, on a free port. */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const target = Number(new URL(url).port)
  const sockets = new Set<Socket>()
  let isFrozen = false
  let last: string | undefined
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  const forward = (from: Socket, to: Socket, isRequest: boolean) => {
    sockets.add(from)
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    from.on('data', chunk => {
      if (isFrozen) return
      to.write(chunk)
      if (isRequest && last !== undefined && chunk.includes(last)) {
        last = undefined
        // The response is lost.
        to.removeAllListeners('data').once('data', cut).resume()
      }
    })
  }
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    forward(client, upstream, true)
    forward(upstream, client, false)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    through: text => Object.assign(new URL(text), { port: String(port) }).href,
    freeze() {
      isFrozen = true
    },
    cut,
    cutAfter(text) {
      last = text
    },
    heal() {
      cut()
      isFrozen = false
    },
    async close() {
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
