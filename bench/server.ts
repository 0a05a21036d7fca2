// One side as a process of its own, on a free port of the loopback: `server.ts <side> <SQLite file>`. Says its port,
// answers each message with the processor time that it has used, and ends with the process that started it.

import { createByHand } from './by-hand.ts'
import { createOurs, paginators } from './ours.ts'
import type { SideName } from './side.ts'

const [side, path] = process.argv.slice(2) as [SideName, string]
const app = side === 'by hand' ? createByHand(path) : await createOurs(path, paginators[side])
await app.listen({ host: '127.0.0.1', port: 0 })

process.on('message', () => process.send!(process.cpuUsage()))
process.once('disconnect', () => void app.close().then(() => process.exit()))
process.send!((app.server.address() as { port: number }).port)
