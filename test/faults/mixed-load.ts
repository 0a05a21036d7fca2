// All kinds of requests for a long time: memory, descriptors and connections of the service must not grow. From time to
// time all callers pause, so that no request is in memory when a sample is taken after garbage collection. Two samples of
// the same service then differ little, so a small bound on the trend is enough.
//
// This test has failed with each of these defects: a leak of 90 MB in five minutes on the heap (a timer in
// src/service/server.ts that adds 300 kB a second to a list), the same in buffers outside the heap, and a descriptor that
// is opened each second and not closed.

import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { defineFault } from './fault.ts'
import { insideArgs, readInside } from './support/inside.ts'
import { megabytes } from './support/memory.ts'
import { type Callers, callers, openSite, type Site } from './support/mixed-callers.ts'
import { type OwnPostgres, startOwnPostgres } from './support/postgres.ts'
import { percentile } from './support/probe.ts'
import { openDescriptors } from './support/process.ts'
import { type FaultService, newFolder, startService } from './support/service.ts'
import { createUsers } from './support/users.ts'

/** The state of a service after garbage collection: bytes, counts, milliseconds. */
interface Sample {
  /** Resident memory of the process, including threads and allocator. */
  readonly memory: number
  /** Used heap of the main thread. */
  readonly heap: number
  /** Memory outside the heap that objects of the main thread hold, such as buffers. */
  readonly external: number
  readonly descriptors: number
  readonly connections: number
  /** The longest delay of the event loop since the previous sample. */
  readonly delay: number
}

/** The median of the last third of the samples may exceed the median of the first third by this much, because caches refill
 * and the allocator keeps memory.
 */
const growth = { memory: 60_000_000, heap: 4_000_000, external: 4_000_000, descriptors: 5, connections: 1 }
type Figure = keyof typeof growth
const allFigures = Object.keys(growth) as readonly Figure[]

interface Scale {
  readonly minutes: number
  readonly samples: number
  /** The share of the samples before the first compared one: caches fill, and code is compiled. */
  readonly warmUp: number
  readonly judged: readonly Figure[]
}

interface Target {
  readonly name: string
  readonly service: FaultService
  readonly site: Site
  readonly samples: Sample[]
  /** Counts the connections of the service to its database. */
  readonly connections: () => Promise<number>
}

export default defineFault<Scale>({
  name: 'mixed load for ten minutes',
  promise: `No response is a 500, and after the first two minutes nothing grows: the median of the last third is at most ${megabytes(growth.heap)} of heap, ${megabytes(growth.external)} of buffers, ${megabytes(growth.memory)} of memory, ${growth.descriptors} descriptors or one connection above the median of the first third.`,
  scale: {
    full: { minutes: 10, samples: 60, warmUp: 0.2, judged: allFigures },
    // In the first minutes caches still fill, so the growth of memory means nothing.
    short: { minutes: 1, samples: 15, warmUp: 0.4, judged: ['descriptors', 'connections'] },
  },
  async run(scale) {
    const postgres = await startOwnPostgres()
    const targets = [
      await createTarget('SQLite', `sqlite:${await newFolder()}/service.db`, async () => 0),
      await createTarget('PostgreSQL', postgres.url, () => countConnections(postgres)),
    ]
    const failures: Error[] = []
    let isDone = false
    const isOver = () => isDone || failures.length > 0
    const gate = createGate()
    const visits = targets.flatMap(target =>
      callers.flatMap(kind => startCallers(kind, target.site, gate, isOver, failures)),
    )
    for (let count = 0; count < scale.samples && !isOver(); count++) {
      await delay((60_000 * scale.minutes) / scale.samples)
      await gate.close()
      for (const target of targets) await sample(target)
      gate.open()
    }
    isDone = true
    await Promise.all(visits)
    if (failures.length > 0) throw failures[0]
    const findings = targets.map(target => check(target, scale))
    for (const { service, site } of targets) {
      site.client.close()
      const { code, stderr } = await service.stop()
      assert.equal(code, 0)
      assert.doesNotMatch(stderr, /unhandled|rejection|"level":[56]0/i)
    }
    await postgres.stop()
    if (scale.judged.length < allFigures.length)
      findings.push(
        `growth is judged only of ${scale.judged.join(' and ')}, because the load lasts for ${scale.minutes} minute`,
      )
    return findings.join('; ')
  },
})

async function createTarget(name: string, databaseUrl: string, connections: Target['connections']): Promise<Target> {
  const [admin, other] = await createUsers(databaseUrl, { username: 'admin', superuser: true }, { username: 'other' })
  const config = {
    // Failed logins are part of the load.
    loginThrottle: { perAddress: '1000000/hour' },
  }
  // A busy machine may take long to highlight.
  const profiles = 'profiles: [directory(), snippets({ highlightingWait: 60_000 })]'
  const service = await startService({ databaseUrl, config, profiles, nodeArgs: insideArgs })
  return { name, service, connections, samples: [], site: await openSite(service.origin, admin!, other!) }
}

/** Lets visits start, or delays them while it is closed. */
interface Gate {
  enter<Result>(visit: () => Promise<Result>): Promise<Result>
  /** Resolves once all running visits have ended. */
  close(): Promise<void>
  open(): void
}

function createGate(): Gate {
  let opened = Promise.resolve()
  let open = () => {}
  const visits = new Set<Promise<unknown>>()
  return {
    async enter(visit) {
      await opened
      const visiting = visit()
      visits.add(visiting)
      return visiting.finally(() => visits.delete(visiting))
    },
    async close() {
      const next = Promise.withResolvers<void>()
      opened = next.promise
      open = next.resolve
      await Promise.allSettled(visits)
    },
    open: () => open(),
  }
}

function startCallers(
  { visit, count, pause }: Callers,
  site: Site,
  gate: Gate,
  isOver: () => boolean,
  failures: Error[],
): readonly Promise<void>[] {
  return Array.from({ length: count }, async () => {
    while (!isOver()) {
      await gate.enter(() => visit(site)).catch(error => failures.push(error as Error))
      await delay(pause * 2 * Math.random())
    }
  })
}

async function sample({ service, samples, connections }: Target): Promise<void> {
  const { rss, heapUsed, external, max } = await readInside(service)
  samples.push({
    memory: rss,
    heap: heapUsed,
    external,
    descriptors: await openDescriptors(service.pid),
    connections: await connections(),
    delay: max,
  })
}

async function countConnections(postgres: OwnPostgres): Promise<number> {
  const rows = await postgres.query("select from pg_stat_activity where application_name = 'resource-api'")
  return rows.length
}

function check({ name, site, samples }: Target, { warmUp, judged }: Scale): string {
  const compared = samples.slice(Math.floor(samples.length * warmUp))
  const third = Math.floor(compared.length / 3)
  const median = (part: readonly Sample[], key: keyof Sample) =>
    percentile(
      part.map(found => found[key]),
      0.5,
    )
  const medians = (key: Figure) => [median(compared.slice(0, third), key), median(compared.slice(-third), key)] as const
  const text = (key: Figure) => {
    const format = key === 'descriptors' || key === 'connections' ? String : formatMegabytes
    const [first, last] = medians(key)
    return `${key} ${format(first)} → ${format(last)}`
  }
  const counts = [...site.counts].toSorted(([one], [other]) => one - other)
  const total = counts.reduce((sum, [, count]) => sum + count, 0)
  const finding = `${name}: ${total} responses with ${counts.map(([status]) => status).join(', ')}; ${allFigures.map(text).join(', ')}, each the median of ${third} samples; the event loop was blocked for ${Math.max(...compared.map(found => found.delay)).toFixed(0)} ms at most`
  for (const key of judged) {
    const [first, last] = medians(key)
    assert.ok(last <= first + growth[key], `${key} grows: ${finding}`)
  }
  assert.ok(third >= 3, `only ${third} samples to compare: ${finding}`)
  return finding
}

const formatMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
