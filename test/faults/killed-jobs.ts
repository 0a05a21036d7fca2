// kill -9 of processes that run jobs, send feeds and deliver webhooks, while orders are stored: on SQLite and on PostgreSQL, with two
// services on one database.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from 'resource-api'
import { findChangeListener, formatPosition, type MaybePromise } from '#core'
import { createSecret } from '../../src/jobs/webhooks/signature.ts'
import { openFeed } from '../support/feed.ts'
import { defineFault } from './fault.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'

const profile = JSON.stringify(new URL('support/jobs-profile.ts', import.meta.url).href)

export default defineFault({
  name: 'kill -9 of processes that run jobs',
  promise:
    'The job of each committed order runs at least once, also if its process is killed, and the job of an order that was rolled back never runs. The feed announces each committed order, and no other, and each is delivered to a webhook at least once.',
  scale: { full: { rounds: 20 }, short: { rounds: 3 } },
  async run({ rounds }) {
    const onSqlite = await killDuringJobs(`sqlite:${await newFolder()}/jobs.db`, { rounds })
    const postgres = await startOwnPostgres()
    const onPostgres = await killDuringJobs(postgres.url, { rounds })
    await postgres.stop()
    return `SQLite: ${formatCounts(onSqlite)}; PostgreSQL: ${formatCounts(onPostgres)}`
  },
})

/** How much is done: at least so many rounds, each with a kill, and at least so many orders. */
export interface Scale {
  readonly rounds: number
  /** Default: none in particular. */
  readonly orders?: number
  /** The number of clients that write; default 4. */
  readonly writers?: number
  /** The longest time between two kills, in milliseconds; default 2000. */
  readonly pause?: number
}

/** What has happened, once each promise was checked. */
export interface Counts {
  readonly orders: number
  readonly kills: number
  /** The runs of jobs beyond the first one. */
  readonly repeated: number
  /** The jobs whose process was killed. */
  readonly takenOver: number
  /** The connections of the client that follows the feed. */
  readonly connections: number
  /** The messages of the webhook beyond the first one of each order. */
  readonly repeatedMessages: number
}

const formatCounts = ({ orders, kills, repeated, takenOver, connections, repeatedMessages }: Counts): string =>
  `${orders} orders, processes killed ${kills} times: each job ran, ${repeated} twice, ${takenOver} after the end of their process; the feed announced all, in ${connections} connections; the webhook got all, ${repeatedMessages} twice`

/** Stores orders in an empty database, and kills the processes that run their jobs and announce them. */
export async function killDuringJobs(
  databaseUrl: string,
  { rounds, orders: wanted = 0, writers: writerCount = 4, pause = 2000 }: Scale,
): Promise<Counts> {
  const start = () => startService({ databaseUrl, profiles: `profiles: [(await import(${profile})).shop]` })
  const services: [FaultService, FaultService] = [await start(), await start()]
  const accepted = new Set<string>()
  const hook = await startHook()
  await subscribe(databaseUrl, hook.url)
  const feed = followOrders(services)
  // The feed announces what is stored after it is open.
  await until('the feed is open', () => feed.isOpen(), { within: 60_000, pause: 50 })
  let isWriting = true
  const write = async (writer: number) => {
    for (let count = 0; isWriting; count++) {
      const number = `${count % 5 === 0 ? 'refused' : 'order'}-${writer}-${count}`
      const response = await post(services[writer % 2]!, number)
      if (response === 201) accepted.add(number)
    }
  }
  const writers = Array.from({ length: writerCount }, (_, writer) => write(writer))
  let kills = 0
  for (; kills < rounds || accepted.size < wanted; kills++) {
    await delay(randomInt(300, pause))
    await services[kills % 2]!.stop('SIGKILL')
    services[kills % 2] = await start()
  }
  isWriting = false
  await Promise.all(writers)
  return compare(databaseUrl, services, { accepted, feed, hook }, kills)
}

/** Follows the orders through both services in turn: when one is killed, the other continues after the last event. */
function followOrders(services: readonly FaultService[]) {
  const announced = new Set<string>()
  let isFollowing = true
  let lastId: string | undefined
  let connections = 0
  const follow = async () => {
    while (isFollowing) {
      const { origin } = services[connections++ % 2]!
      const headers: Record<string, string> = lastId === undefined ? {} : { 'last-event-id': lastId }
      const feed = await openFeed(`${origin}/orders/feed/`, headers).catch(() => delay(50, undefined))
      for (let isOpen = feed !== undefined; isOpen && isFollowing; ) {
        const message = await feed!.next().catch(() => undefined)
        lastId = feed!.lastId() || lastId
        if (message?.object) announced.add(String(message.object.number))
        assert.notEqual(message?.event, 'reset')
        isOpen = message !== undefined
      }
      feed?.close()
    }
  }
  const ended = follow()
  return {
    announced,
    isOpen: () => lastId !== undefined,
    connections: () => connections,
    async stop() {
      isFollowing = false
      await ended
    },
  }
}

/** A server of somebody else, which gets the messages of the webhook. */
async function startHook() {
  const delivered = new Set<string>()
  let messages = 0
  const server = createServer(async (request, response) => {
    const { type, data } = (await json(request)) as { type: string; data: { object: { number: string } } }
    assert.equal(type, 'orders.created')
    delivered.add(data.object.number)
    messages++
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    delivered,
    messages: () => messages,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

async function subscribe(databaseUrl: string, url: string): Promise<void> {
  const database = openDatabase(databaseUrl)
  const { end } = await findChangeListener(database).findEnd()
  const values = { owner_id: 'ann', owner_name: 'ann', url, resource: 'orders', secret: createSecret() }
  const since = { since: formatPosition(end), created_at: '2030-01-01T00:00:00.000000Z' }
  const events = JSON.stringify(['created'])
  await database.transaction(({ kysely }) =>
    kysely
      .insertInto('webhooks')
      .values({ ...values, ...since, events, filter: '', active: true, failures: 0 })
      .execute(),
  )
  await database.close()
}

// A killed service does not respond, and what it has stored then is unknown.
const post = async ({ origin }: FaultService, number: string): Promise<number | undefined> => {
  const body = JSON.stringify({ number })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${origin}/orders/`, { method: 'POST', headers, body }).catch(() => delay(50, undefined))
  return response?.status
}

interface Watched {
  readonly accepted: ReadonlySet<string>
  readonly feed: ReturnType<typeof followOrders>
  readonly hook: Awaited<ReturnType<typeof startHook>>
}

interface Progress {
  readonly done: number
  readonly open: number
}

/** Waits until nothing is open. It fails if nothing is done for a minute, however long all takes on a busy machine. */
async function waitForAll(what: string, read: () => MaybePromise<Progress>): Promise<void> {
  const readLater = async ({ done }: Progress) => {
    const now = await read()
    return (now.open === 0 || now.done > done) && now
  }
  for (let now = await read(); now.open > 0; )
    now = await until(what, () => readLater(now), { within: 60_000, pause: 500 })
}

function findProgress(all: ReadonlySet<string>, found: ReadonlySet<string>): Progress {
  const done = [...all].filter(one => found.has(one)).length
  return { done, open: all.size - done }
}

async function compare(
  databaseUrl: string,
  services: readonly FaultService[],
  { accepted, feed, hook }: Watched,
  kills: number,
): Promise<Counts> {
  const database = openDatabase(databaseUrl)
  const select = (table: string, column: string) => database.kysely.selectFrom(table).select(column).execute()
  await waitForAll('a job ends', async () => {
    const states = await select('jobs', 'state')
    const done = states.filter(({ state }) => state === 'done' || state === 'failed').length
    return { done, open: states.length - done }
  })
  const orders = new Set((await select('orders', 'number')).map(({ number }) => String(number)))
  const { announced } = feed
  const { delivered } = hook
  await waitForAll('an order is announced', () => findProgress(orders, announced))
  await waitForAll('an order is delivered', () => findProgress(orders, delivered))
  const stopping = feed.stop()
  for (const service of services) await service.stop()
  await stopping
  hook.stop()
  for (const number of delivered) assert.ok(orders.has(number), `${number} was delivered, and was rolled back`)
  for (const number of feed.announced) assert.ok(orders.has(number), `${number} was announced, and was rolled back`)
  const ran = (await select('runs', 'number')).map(({ number }) => number)
  const attempts = (await select('jobs', 'attempts')).map(row => Number(row.attempts))
  await database.close()
  const runs = new Set(ran)
  for (const number of accepted) assert.ok(orders.has(number), `${number} was acknowledged and is not stored`)
  for (const number of orders) assert.ok(runs.has(number), `the job of ${number} never ran`)
  for (const number of runs) assert.ok(orders.has(number), `the job of ${number} ran, which was rolled back`)
  assert.ok(accepted.size > 10 * kills, `only ${accepted.size} orders`)
  return {
    orders: orders.size,
    kills,
    repeated: ran.length - runs.size,
    takenOver: attempts.filter(count => count > 1).length,
    connections: feed.connections(),
    repeatedMessages: hook.messages() - delivered.size,
  }
}
