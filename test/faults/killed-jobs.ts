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
    const onSqlite = await killDuringJobs(`sqlite:${await newFolder()}/jobs.db`, rounds)
    const postgres = await startOwnPostgres()
    const onPostgres = await killDuringJobs(postgres.url, rounds)
    await postgres.stop()
    return `SQLite: ${onSqlite}; PostgreSQL: ${onPostgres}`
  },
})

async function killDuringJobs(databaseUrl: string, rounds: number): Promise<string> {
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
  const writers = [0, 1, 2, 3].map(write)
  for (let round = 0; round < rounds; round++) {
    await delay(randomInt(300, 2000))
    await services[round % 2]!.stop('SIGKILL')
    services[round % 2] = await start()
  }
  isWriting = false
  await Promise.all(writers)
  return compare(databaseUrl, services, { accepted, feed }, rounds)
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
  rounds: number,
): Promise<string> {
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
  assert.ok(accepted.size > 10 * rounds, `only ${accepted.size} orders`)
  const repeated = attempts.filter(count => count > 1).length
  return `${orders.size} orders, processes killed ${rounds} times: each job ran, ${ran.length - runs.size} twice, ${repeated} after the end of their process; the feed announced all, in ${feed.connections()} connections`
}
