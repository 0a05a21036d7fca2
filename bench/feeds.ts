// Measures open feeds, apart from the other benchmarks: `node bench/feeds.ts` prints, for 1, 100 and 10,000 listeners, the time from the
// response to a write until each listener has its event, the memory of each open feed, and list requests per second beside them.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import { createApi, feedMigrations, integer, key, migrate, openDatabase, resource, text } from 'resource-api'
import { table, tables } from 'resource-api/tables'
import { startPostgres } from '../src/testing/postgres-server.ts'

const self = fileURLToPath(import.meta.url)
const listenerCounts = [0, 1, 100, 10_000]
const writes = 20

const orderTable = table('orders', { columns: { id: key(), number: text({ max: 20 }), total: integer() } })
const orders = resource('orders', { table: orderTable, fields: orderTable.pick('id', 'number', 'total'), feed: true })

if (process.argv[2] === 'serve') await serve(process.argv[3]!)
else await measureAll()

async function serve(url: string): Promise<void> {
  const database = openDatabase(url)
  const owners = [tables({ owner: 'shop', tables: [orderTable] }), feedMigrations]
  await migrate(database, owners, { mode: 'development' })
  const app = Fastify({ forceCloseConnections: true })
  await app.register(createApi({ database, resources: [orders], permissions: [] }))
  await app.listen({ port: 0, host: '127.0.0.1', backlog: 20_000 })
  process.on('message', () => {
    globalThis.gc?.()
    process.send!(process.memoryUsage().rss)
  })
  process.send!((app.server.address() as { readonly port: number }).port)
}

async function measureAll(): Promise<void> {
  const postgres = await startPostgres()
  for (const [name, url] of [
    ['SQLite', `sqlite:/tmp/feeds-${process.pid}.db`],
    ['PostgreSQL', postgres.url],
  ] as const)
    for (const count of listenerCounts) console.log(`${name}: ${await measure(url, count)}`)
  await postgres.stop()
}

async function measure(url: string, count: number): Promise<string> {
  const child = fork(self, ['serve', url], { execArgv: ['--expose-gc'] })
  const [port] = (await once(child, 'message')) as [number]
  const before = await readMemory(child)
  const sockets = await openFeeds(port, count)
  await delay(1000)
  const memory = ((await readMemory(child)) - before) / Math.max(count, 1) / 1024
  const delays: number[] = []
  for (let write = 0; write < writes; write++) delays.push(...(await writeOnce(port, sockets)))
  delays.sort((one, other) => one - other)
  const at = (part: number) => delays[Math.floor((delays.length - 1) * part)]?.toFixed(1)
  const rate = await countLists(port)
  for (const socket of sockets) socket.destroy()
  child.kill()
  await once(child, 'exit')
  const feeds =
    count === 0 ? '' : `, event after ${at(0.5)} ms (median), ${at(0.99)} ms (99th), ${memory.toFixed(1)} kB per feed`
  return `${count} listeners${feeds}, ${rate} lists per second`
}

async function readMemory(child: ChildProcess): Promise<number> {
  child.send('memory')
  return ((await once(child, 'message')) as [number])[0]
}

async function openFeeds(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  for (let index = 0; index < count; index += 100) {
    const opening = Array.from({ length: Math.min(100, count - index) }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write('GET /orders/feed/ HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await waitFor(socket, 'event: ready')
      sockets.push(socket)
    })
    await Promise.all(opening)
  }
  return sockets
}

function waitFor(socket: Socket, text: string): Promise<void> {
  let received = ''
  return new Promise(resolve => {
    const read = (chunk: Buffer) => {
      received += chunk.toString('latin1')
      if (!received.includes(text)) return
      socket.off('data', read)
      resolve()
    }
    socket.on('data', read)
  })
}

async function writeOnce(port: number, sockets: readonly Socket[]): Promise<readonly number[]> {
  let start = 0
  const receiving = sockets.map(async socket => {
    await waitFor(socket, 'event: created')
    return performance.now()
  })
  const response = await fetch(`http://127.0.0.1:${port}/orders/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ number: 'A1', total: 1 }),
  })
  await response.text()
  start = performance.now()
  return (await Promise.all(receiving)).map(end => Math.max(0, end - start))
}

async function countLists(port: number): Promise<number> {
  const end = performance.now() + 3000
  let count = 0
  const work = async () => {
    while (performance.now() < end) {
      await (await fetch(`http://127.0.0.1:${port}/orders/`)).text()
      count++
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return Math.round(count / 3)
}
