// Measures open feeds, apart from the other benchmarks: `node bench/feeds.ts` prints, on each database and for 1, 100 and 10,000 listeners, the
// time from a commit until each listener has its event, the memory of each open feed, and list requests per second without and beside
// them. `--quick`: at most 100 listeners and few writes, which says only that it works.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import {
  createApi,
  type Database,
  feedMigrations,
  integer,
  key,
  migrate,
  openDatabase,
  resource,
  text,
} from 'resource-api'
import { table, tables } from 'resource-api/tables'
import { startPostgres } from '../src/testing/postgres-server.ts'

const self = fileURLToPath(import.meta.url)
const isQuick = process.argv.includes('--quick')
const listenerCounts = isQuick ? [1, 100] : [1, 100, 10_000]
const writes = isQuick ? 3 : 20
/** Milliseconds for which lists are requested. */
const listTime = isQuick ? 500 : 3000

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
  process.on('disconnect', () => process.exit())
  process.on('message', async message => process.send!(message === 'write' ? await write(database) : readOwnMemory()))
  process.send!((app.server.address() as { readonly port: number }).port)
}

function readOwnMemory(): number {
  globalThis.gc?.()
  return process.memoryUsage().rss
}

/** Resolves to when the row was committed, in milliseconds of a clock that all processes of the machine share. */
async function write(database: Database): Promise<number> {
  await database.transaction(({ kysely }) => kysely.insertInto('orders').values({ number: 'A1', total: 1 }).execute())
  return readClock()
}

function readClock(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

async function measureAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-feeds-'))
  const postgres = await startPostgres()
  for (const [name, url] of [
    ['SQLite', `sqlite:${join(folder, 'feeds.db')}`],
    ['PostgreSQL', postgres.url],
  ] as const)
    for (const count of listenerCounts) console.log(`${name}: ${await measure(url, count)}`)
  await postgres.stop()
  rmSync(folder, { recursive: true })
}

async function measure(url: string, count: number): Promise<string> {
  const child = fork(self, ['serve', url, ...process.argv.slice(2)], { execArgv: ['--expose-gc'] })
  const [port] = (await once(child, 'message')) as [number]
  const before = await ask(child, 'memory')
  const sockets = await openFeeds(port, count)
  await delay(1000)
  const memory = ((await ask(child, 'memory')) - before) / count / 1024
  const delays: number[] = []
  for (let write = 0; write < writes; write++) delays.push(...(await writeOnce(child, sockets)))
  delays.sort((one, other) => one - other)
  const at = (part: number) => delays[Math.floor((delays.length - 1) * part)]?.toFixed(1)
  // The first round compiles.
  await countLists(port)
  const rate = await countLists(port)
  for (const socket of sockets) socket.destroy()
  await delay(1000)
  // The same process lists the same rows, without the feeds.
  const rateWithout = await countLists(port)
  child.kill()
  await once(child, 'exit')
  return `${count} listeners, event after ${at(0.5)} ms (median), ${at(0.99)} ms (99th), ${memory.toFixed(1)} kB per feed, ${rate} lists per second, and ${rateWithout} without them`
}

async function ask(child: ChildProcess, message: 'memory' | 'write'): Promise<number> {
  child.send(message)
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

async function writeOnce(child: ChildProcess, sockets: readonly Socket[]): Promise<readonly number[]> {
  const receiving = sockets.map(async socket => {
    await waitFor(socket, 'event: created')
    return readClock()
  })
  const start = await ask(child, 'write')
  return (await Promise.all(receiving)).map(end => end - start)
}

async function countLists(port: number): Promise<number> {
  const end = performance.now() + listTime
  let count = 0
  const work = async () => {
    while (performance.now() < end) {
      await (await fetch(`http://127.0.0.1:${port}/orders/`)).text()
      count++
    }
  }
  await Promise.all(Array.from({ length: 8 }, work))
  return Math.round((count * 1000) / listTime)
}
