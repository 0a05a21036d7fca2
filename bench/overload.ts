// Measures whether the service, under more load than it can handle, serves what it can, refuses the rest at once, and
// recovers.

import { setTimeout as delay } from 'node:timers/promises'
import type { Data } from './data.ts'
import { load } from './load.ts'
import { type Offered, offer } from './open-loop.ts'
import { median, percentile, type Row, type Section, summarizeRounds } from './report.ts'
import { connections } from './rounds.ts'
import { type Side, withSides } from './side.ts'
import { formatRequest } from './wire.ts'
import { formatHeaders, userPages, type Workload } from './workloads.ts'

export interface OverloadPace {
  readonly rounds: number
  /** Milliseconds for measuring the capacity, and for offering twice that load. */
  readonly capacity: number
  readonly overload: number
}

const text = `First, the capacity is measured with sixteen connections that each wait for the response. Then twice as many requests per
second are sent at fixed times, independently of the responses, over up to 1000 connections; times count from when a request
was due. Requests with a 200 while the load lasted count as served; the others were refused with 503. A second and a half
later, single requests are compared with single requests before the overload.`

/** The maximum of requests in flight. Further requests wait in the generator, and their clock keeps running. */
const maxInFlight = 1000
const rest = 1500
const probes = { count: 100, perSecond: 100 }

const works: readonly { readonly name: string; readonly work: Workload }[] = [
  { name: 'lists of users', work: userPages },
  { name: 'HTML pages of the list of users', work: { ...userPages, isPage: true } },
]

/** The result of one round: rates per second, times in milliseconds. */
interface Overloaded {
  readonly capacity: number
  readonly offered: number
  readonly served: number
  readonly lost: number
  readonly refusedSlow: number
  readonly refusedAtOnce: number
  readonly servedSlow: number
  readonly late: number
  readonly before: number
  readonly after: number
}

export async function measureOverload(data: Data, pace: OverloadPace): Promise<Section> {
  const rows = await withSides(
    ['service'],
    () => data.path,
    async ({ service }) => {
      const found: Row[] = []
      for (const { name, work } of works) {
        const headers = formatHeaders(work, data)
        const requests = work.paths(data).map(path => formatRequest(path, { headers }))
        await load({ port: service.port, requests, status: 200, connections, milliseconds: pace.capacity })
        const rounds: Overloaded[] = []
        for (let number = 0; number < pace.rounds; number++) rounds.push(await overload(service, requests, pace))
        found.push(...createRows(name, rounds))
      }
      return found
    },
  )
  return { title: 'Overload', text, rows }
}

async function overload({ port }: Side, requests: readonly Buffer[], pace: OverloadPace): Promise<Overloaded> {
  const before = await probe(port, requests)
  const { responses, seconds } = await load({ port, requests, status: 200, connections, milliseconds: pace.capacity })
  const capacity = responses / seconds
  const perSecond = 2 * capacity
  const offered = await offer({ port, requests, perSecond, milliseconds: pace.overload, connections: maxInFlight })
  await delay(rest)
  return { ...figures(offered), capacity, before, after: await probe(port, requests) }
}

function figures({
  due,
  seconds,
  times,
  inTime,
  sentTimes,
  lateness,
}: Offered): Omit<Overloaded, 'capacity' | 'before' | 'after'> {
  const [served, refused] = [times.get(200) ?? [], times.get(503) ?? []]
  return {
    offered: due / seconds,
    served: (inTime.get(200) ?? 0) / seconds,
    lost: due - served.length - refused.length,
    refusedSlow: percentile(refused, 0.99),
    refusedAtOnce: percentile(sentTimes.get(503) ?? [], 0.99),
    servedSlow: percentile(served, 0.99),
    late: percentile(lateness, 0.99),
  }
}

/** The median time of a request without other load, in milliseconds. */
async function probe(port: number, requests: readonly Buffer[]): Promise<number> {
  const { count, perSecond } = probes
  const { times } = await offer({ port, requests, perSecond, milliseconds: (1000 * count) / perSecond, connections: 4 })
  return median(times.get(200) ?? [Number.POSITIVE_INFINITY])
}

function createRows(name: string, rounds: readonly Overloaded[]): readonly Row[] {
  const alone = (what: string, figure: keyof Overloaded, goal?: Row['goal']): Row => ({
    work: `${name}: ${what}`,
    against: '',
    unit: figure === 'lost' ? 'requests' : 'ms',
    one: median(rounds.map(round => round[figure])),
    ...(goal && { goal }),
  })
  const against = (
    what: string,
    other: string,
    unit: Row['unit'],
    pairs: readonly [keyof Overloaded, keyof Overloaded],
  ) => ({
    work: `${name}: ${what}`,
    against: other,
    unit,
    ...summarizeRounds(rounds.map(round => ({ one: round[pairs[0]], other: round[pairs[1]] }))),
  })
  return [
    against('offered', 'capacity', 'req/s', ['offered', 'capacity']),
    { ...against('served', 'capacity', 'req/s', ['served', 'capacity']), goal: { atLeast: 0.8 } },
    alone('neither served nor refused', 'lost', { atMost: 0 }),
    alone('refused, 99th percentile', 'refusedSlow', { atMost: slowestRefusal }),
    alone('refused, 99th percentile from when it was sent', 'refusedAtOnce'),
    alone('served, 99th percentile', 'servedSlow'),
    { ...against('afterwards', 'before', 'ms', ['after', 'before']), goal: { atMost: 1.5 } },
    alone('generator late, 99th percentile', 'late'),
  ]
}

/** The longest acceptable time of a refusal, in milliseconds. */
const slowestRefusal = 250
