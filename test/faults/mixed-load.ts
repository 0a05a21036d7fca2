// Everything at once, for a long time: what a service holds must not grow. `MINUTES=1` makes it shorter.

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { insideArgs, lookInside } from './support/inside.ts'
import { megabytes } from './support/memory.ts'
import { type Callers, callers, openSite, type Site } from './support/mixed-callers.ts'
import { type OwnPostgres, startOwnPostgres } from './support/postgres.ts'
import { percentile } from './support/probe.ts'
import { openDescriptors } from './support/process.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { createUsers } from './support/users.ts'

const minutes = Number(process.env.MINUTES ?? 10)
const sampleCount = 60
/** So much of the time passes before anything is compared: caches fill, code is compiled. */
const warmUp = 0.2

/** What a service held at one moment, after its garbage was collected: bytes, numbers, milliseconds. */
interface Sample {
  readonly memory: number
  readonly heap: number
  readonly descriptors: number
  readonly connections: number
  /** The longest that the event loop was busy since the sample before. */
  readonly delay: number
}

/** Of the last third after the warming up: at most so many times the median of the first third, and so much more. */
const growth = {
  memory: { times: 1.1, more: 30_000_000 },
  heap: { times: 1.1, more: 5_000_000 },
  descriptors: { times: 1.1, more: 10 },
  connections: { times: 1, more: 1 },
}

interface Target {
  readonly name: string
  readonly service: FaultService
  readonly site: Site
  readonly samples: Sample[]
  /** Of the service to its database. */
  readonly connections: () => Promise<number>
}

export const deadline = 60 * minutes + 180

export default defineFault({
  name: `${minutes} minutes of mixed load`,
  promise:
    'No answer is a 500, and from the second minute on memory, descriptors and connections are flat: the median of the last third is at most 1.1 times that of the first, and 30 MB, 10 descriptors or one connection more.',
  async run() {
    const postgres = await startOwnPostgres()
    const targets = [
      await createTarget('SQLite', `sqlite:${await newFolder()}/service.db`, async () => 0),
      await createTarget('PostgreSQL', postgres.url, () => connectionsTo(postgres)),
    ]
    const end = performance.now() + 60_000 * minutes
    const failures: Error[] = []
    const isOver = () => performance.now() > end || failures.length > 0
    const visits = targets.flatMap(target => callers.flatMap(kind => startCallers(kind, target.site, isOver, failures)))
    while (!isOver()) {
      await delay((60_000 * minutes) / sampleCount)
      for (const target of targets) await sample(target)
    }
    await Promise.all(visits)
    if (failures.length > 0) throw failures[0]
    const findings = targets.map(check)
    for (const { service, site } of targets) {
      site.client.close()
      const { code, stderr } = await service.stop()
      assert.equal(code, 0)
      assert.doesNotMatch(stderr, /unhandled|rejection|"level":[56]0/i)
    }
    await postgres.stop()
    return findings.join('; ')
  },
})

async function createTarget(name: string, databaseUrl: string, connections: Target['connections']): Promise<Target> {
  const [admin, other] = await createUsers(databaseUrl, { username: 'admin', superuser: true }, { username: 'other' })
  const config = {
    // Failed logins are part of the load, and what is refused for want of time is another fault's.
    loginBrake: { perAddress: '1000000/hour' },
    limits: { overloadDelay: 60_000 },
  }
  const service = await startService({ databaseUrl, config, nodeArgs: insideArgs })
  return { name, service, connections, samples: [], site: await openSite(service.origin, admin!, other!) }
}

function startCallers(
  { visit, count, pause }: Callers,
  site: Site,
  isOver: () => boolean,
  failures: Error[],
): readonly Promise<void>[] {
  return Array.from({ length: count }, async () => {
    while (!isOver()) {
      await visit(site).catch(error => failures.push(error as Error))
      await delay(pause * 2 * Math.random())
    }
  })
}

async function sample({ service, samples, connections }: Target): Promise<void> {
  const { rss, heapUsed, max } = await lookInside(service)
  samples.push({
    memory: rss,
    heap: heapUsed,
    descriptors: await openDescriptors(service.pid),
    connections: await connections(),
    delay: max,
  })
}

async function connectionsTo(postgres: OwnPostgres): Promise<number> {
  const rows = await postgres.query("select from pg_stat_activity where application_name = 'resource-api'")
  return rows.length
}

function check({ name, site, samples }: Target): string {
  const compared = samples.slice(Math.floor(samples.length * warmUp))
  const third = Math.floor(compared.length / 3)
  const median = (part: readonly Sample[], key: keyof Sample) =>
    percentile(
      part.map(found => found[key]),
      0.5,
    )
  const medians = (key: keyof Sample) =>
    [median(compared.slice(0, third), key), median(compared.slice(-third), key)] as const
  const text = (key: keyof typeof growth, format: (value: number) => string = String) => {
    const [first, last] = medians(key)
    return `${key} ${format(first)} → ${format(last)}`
  }
  const counts = [...site.counts].toSorted(([one], [other]) => one - other)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const finding = `${name}: ${total} answers, of ${counts.map(([status]) => status).join(', ')}; ${text('memory', megabytes)}, ${text('heap', megabytes)}, ${text('descriptors')}, ${text('connections')}; the event loop was busy for ${Math.max(...compared.map(found => found.delay)).toFixed(0)} ms at most`
  for (const [key, { times, more }] of Object.entries(growth) as [
    keyof typeof growth,
    { times: number; more: number },
  ][]) {
    const [first, last] = medians(key)
    assert.ok(last <= times * first + more, `${key} grows: ${finding}`)
  }
  return finding
}
