// kill -9 of processes that run jobs and send feeds, while orders are stored: on SQLite and on PostgreSQL, with two services on one
// database.

import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase } from 'resource-api'
import { openFeed } from '../support/feed.ts'
import { defineFault } from './fault.ts'
import { startOwnPostgres } from './support/postgres.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { until } from './support/until.ts'

const profile = JSON.stringify(new URL('support/jobs-profile.ts', import.meta.url).href)

export default defineFault({
  name: 'kill -9 of processes that run jobs',
  promise:
    'The job of each committed order runs at least once, also if its process is killed, and the job of an order that was rolled back never runs. The feed announces each committed order, and no other.',
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
}

const formatCounts = ({ orders, kills, repeated, takenOver, connections }: Counts): string =>
  `${orders} orders, processes killed ${kills} times: each job ran, ${repeated} twice, ${takenOver} after the end of their process; the feed announced all, in ${connections} connections`

/** Stores orders in an empty database, and kills the processes that run their jobs and announce them. */
export async function killDuringJobs(
  databaseUrl: string,
  { rounds, orders: wanted = 0, writers: writerCount = 4, pause = 2000 }: Scale,
): Promise<Counts> {
  const start = () => startService({ databaseUrl, profiles: `profiles: [(await import(${profile})).shop]` })
  const services: [FaultService, FaultService] = [await start(), await start()]
  const accepted = new Set<string>()
  const feed = followOrders(services)
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
  return compare(databaseUrl, services, { accepted, feed }, kills)
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
    connections: () => connections,
    async stop() {
      isFollowing = false
      await ended
    },
  }
}

// A killed service does not respond, and what it has stored then is unknown.
const post = async ({ origin }: FaultService, number: string): Promise<number | undefined> => {
  const body = JSON.stringify({ number })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${origin}/orders/`, { method: 'POST', headers, body }).catch(() => delay(50, undefined))
  return response?.status
}

async function compare(
  databaseUrl: string,
  services: readonly FaultService[],
  { accepted, feed }: { readonly accepted: ReadonlySet<string>; readonly feed: ReturnType<typeof followOrders> },
  kills: number,
): Promise<Counts> {
  const database = openDatabase(databaseUrl)
  const select = (table: string, column: string) => database.kysely.selectFrom(table).select(column).execute()
  await until(
    'all jobs have ended',
    async () => (await select('jobs', 'state')).every(({ state }) => state === 'done' || state === 'failed'),
    { within: 300_000, pause: 500 },
  )
  const orders = new Set((await select('orders', 'number')).map(({ number }) => String(number)))
  await until('all orders were announced', () => [...orders].every(number => feed.announced.has(number)), {
    within: 60_000,
    pause: 500,
  })
  const stopping = feed.stop()
  for (const service of services) await service.stop()
  await stopping
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
  }
}
