// Measures jobs per second, on SQLite alone and on PostgreSQL beside pg-boss: `node bench/jobs.ts`. All run the same jobs, which do nothing,
// ten at a time in one process. On PostgreSQL the two take turns, and the ratio of a round is that of two neighbours in time. `--quick`: one
// round of few jobs, which says only that it works.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { PgBoss } from 'pg-boss'
import { anonymous, createApi, createContext, ignorePermissions, integer, migrate, openDatabase } from 'resource-api'
import { createJobRunner, type Job, job, jobTables } from 'resource-api/jobs'
import { startPostgres } from '../src/testing/postgres-server.ts'
import { median } from './report.ts'

const isQuick = process.argv.includes('--quick')
const [jobCount, rounds] = isQuick ? [100, 1] : [2000, 5]
const [concurrency, enqueuers] = [10, 8]

/** Jobs per second: stored one by one, and run. */
interface Rates {
  readonly stored: number
  readonly ran: number
}

/** Calls `work` for each number below `jobCount`, from several clients. Returns calls per second. */
async function countStored(work: (number: number) => Promise<unknown>): Promise<number> {
  const start = performance.now()
  let next = 0
  const enqueue = async () => {
    while (next < jobCount) await work(next++)
  }
  await Promise.all(Array.from({ length: enqueuers }, enqueue))
  return toRate(start)
}

const toRate = (start: number): number => Math.round((jobCount * 1000) / (performance.now() - start))

async function openOwn(url: string) {
  const database = openDatabase(url)
  await migrate(database, [jobTables])
  const app = Fastify()
  await app.register(createApi({ database, resources: [], permissions: [] }))
  await app.ready()
  const context = ignorePermissions(createContext(app, { user: anonymous }))
  let [ran, allRan] = [0, () => {}]
  const count = job('count', {
    payload: { number: integer() },
    run() {
      if (++ran === jobCount) allRan()
    },
  })
  return {
    async measure(): Promise<Rates> {
      const runner = createJobRunner({
        database,
        jobs: [count as unknown as Job],
        createContext: () => context,
        concurrency,
      })
      const stored = await countStored(number => count.enqueue({ number }, context))
      const done = Promise.withResolvers<void>()
      ran = 0
      allRan = done.resolve
      const start = performance.now()
      runner.start()
      await done.promise
      const rates = { stored, ran: toRate(start) }
      await runner.stop(10)
      return rates
    },
    async close() {
      await app.close()
      await database.close()
    },
  }
}

async function openPgBoss(url: string) {
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false })
  boss.on('error', error => console.error(error))
  await boss.start()
  await boss.createQueue('count')
  return {
    async measure(): Promise<Rates> {
      const stored = await countStored(number => boss.send('count', { number }))
      const done = Promise.withResolvers<void>()
      let ran = 0
      const start = performance.now()
      await boss.work(
        'count',
        { batchSize: concurrency, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 },
        async jobs => {
          ran += jobs.length
          if (ran === jobCount) done.resolve()
        },
      )
      await done.promise
      const rates = { stored, ran: toRate(start) }
      await boss.offWork('count')
      return rates
    },
    close: () => boss.stop({ graceful: false }),
  }
}

async function measureSqlite(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-jobs-'))
  const own = await openOwn(`sqlite:${join(folder, 'jobs.db')}`)
  const measured: Rates[] = []
  for (let round = -1; round < rounds; round++) {
    const rates = await own.measure()
    if (round >= 0) measured.push(rates)
    console.log(`SQLite, round ${round}: resource-api stored ${rates.stored}, ran ${rates.ran}`)
  }
  const [stored, ran] = [median(measured.map(rates => rates.stored)), median(measured.map(rates => rates.ran))]
  console.log(`SQLite: stored ${stored}, ran ${ran} jobs per second`)
  await own.close()
  rmSync(folder, { recursive: true })
}

async function measurePostgres(): Promise<void> {
  const postgres = await startPostgres()
  const [own, boss] = [await openOwn(postgres.url), await openPgBoss(postgres.url)]
  const measured: (readonly [own: Rates, boss: Rates])[] = []
  for (let round = -1; round < rounds; round++) {
    const inTurn =
      round % 2 === 0
        ? [await own.measure(), await boss.measure()]
        : [await boss.measure(), await own.measure()].reverse()
    const [ours, theirs] = inTurn as [Rates, Rates]
    // The first round fills caches.
    if (round >= 0) measured.push([ours, theirs])
    console.log(
      `PostgreSQL, round ${round}: resource-api stored ${ours.stored}, ran ${ours.ran}; pg-boss stored ${theirs.stored}, ran ${theirs.ran}`,
    )
  }
  for (const rate of ['stored', 'ran'] as const) {
    const ratio = median(measured.map(([ours, theirs]) => ours[rate] / theirs[rate]))
    const [ours, theirs] = [0, 1].map(side => median(measured.map(pair => pair[side]![rate])))
    console.log(`PostgreSQL, ${rate}: ${ours} and ${theirs} jobs per second, ratio ${ratio.toFixed(2)}`)
  }
  await Promise.all([own.close(), boss.close()])
  await postgres.stop()
}

await measureSqlite()
await measurePostgres()
