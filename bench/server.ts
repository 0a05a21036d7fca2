// Runs one side in a separate process, on a free loopback port: `server.ts <side> <SQLite file or URL>`. It sends its port to the
// parent process, replies to each message with its processor time, and exits together with the parent.

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
  const app = await openApp(name, file)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { server: app.server, close: () => app.close() }
}

function openApp(name: Exclude<SideName, 'bare'>, path: string) {
  if (name === 'hand-written') return openHandWritten(path)
  if (name === 'queries') return openQueries(path)
  if (name === 'without a document') return openUndescribed(path)
  if (name === 'many') return openMany(path)
  if (name === 'many by hand') return openManyByHand(path)
  return name === 'queries by hand' ? openQueriesByHand(path) : openService(name, path)
}

async function openQueries(url: string) {
  const { createQueriedSide } = await import('./service.ts')
  return createQueriedSide(url)
}

async function openQueriesByHand(url: string) {
  const { createQueriedByHand } = await import('./opponents/queried.ts')
  return createQueriedByHand(url)
}

async function openMany(url: string) {
  const { createWrittenSide } = await import('./written.ts')
  return createWrittenSide(url)
}

async function openManyByHand(url: string) {
  const { createWrittenByHand } = await import('./opponents/written.ts')
  return createWrittenByHand(url)
}

async function openUndescribed(file: string) {
  const { createUndescribedSide } = await import('./service.ts')
  return createUndescribedSide(file)
}

async function openHandWritten(file: string) {
  const { createHandWritten } = await import('./opponents/hand-written.ts')
  return createHandWritten(file)
}

async function openService(name: keyof typeof import('./service.ts')['paginators'], file: string) {
  const { createServiceSide, paginators } = await import('./service.ts')
  return createServiceSide(file, paginators[name])
}
