import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds a port on which nothing listens, and which no other call of any process of this machine returns while this
 * process lives. The system gives it to nobody either: it is below the ports that the system chooses.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest))
    if ((await claim(port)) && (await isUnused(port))) return port
  }
}

// Linux chooses ports from 32768 on, other systems from 49152 on.
const [lowest, highest] = [10_000, 32_000]

// The UDP port of the same number marks the port as taken. The system frees it when the process ends, however it ends.
async function claim(port: number): Promise<boolean> {
  const socket = createSocket('udp4')
  const bound = once(socket, 'listening').then(
    () => true,
    () => false,
  )
  // In a cluster, the primary would bind the port for all its workers.
  socket.bind({ address: '127.0.0.1', port, exclusive: true })
  if (!(await bound)) {
    socket.close()
    return false
  }
  socket.unref()
  return true
}

async function isUnused(port: number): Promise<boolean> {
  const server = createServer()
  const listening = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen(port, '127.0.0.1')
  if (!(await listening)) return false
  server.close()
  await once(server, 'close')
  return true
}
