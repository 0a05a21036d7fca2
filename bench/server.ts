// One side as a process of its own, on a free port of the loopback: `server.ts <side> <SQLite file>`. Says its port,
// answers each message with the processor time that it has used, and ends with the process that started it.

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SideName } from './side.ts'

const [side, path] = process.argv.slice(2) as [SideName, string]
const { server, close } = await open(side, path)

process.on('message', () => process.send!(process.cpuUsage()))
process.once('disconnect', () => void close().then(() => process.exit()))
process.send!((server.address() as AddressInfo).port)

interface Opened {
  readonly server: Server
  close(): Promise<unknown>
}

async function open(name: SideName, file: string): Promise<Opened> {
  if (name === 'bare') {
    const { createBare } = await import('./opponents/bare.ts')
    const server = createBare(file).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { server, close: async () => server.close().closeAllConnections() }
  }
  const app = name === 'by hand' ? await openByHand(file) : await openOurs(name, file)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { server: app.server, close: () => app.close() }
}

async function openByHand(file: string) {
  const { createByHand } = await import('./opponents/by-hand.ts')
  return createByHand(file)
}

async function openOurs(name: Exclude<SideName, 'by hand' | 'bare'>, file: string) {
  const { createOurs, paginators } = await import('./ours.ts')
  return createOurs(file, paginators[name])
}
