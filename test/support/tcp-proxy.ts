// A way to a server that can be cut, or that can stop forwarding without a word, as networks do.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface TcpProxy {
  readonly port: number
  /** The URL with this port in the place of its own. */
  through(url: string): string
  /** From now on nothing is forwarded in either direction; connections stay open, and new ones are accepted. */
  freeze(): void
  /** Ends all connections. */
  cut(): void
  /** Ends them when the server answers the next that contains `text`: it was done, and the client is not told. */
  cutAfter(text: string): void
  /** Forwards again; connections that were frozen are gone. */
  heal(): void
  close(): Promise<void>
}

/** A proxy to the server of `url`, on a free port. */
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
        // The answer is lost on its way.
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
