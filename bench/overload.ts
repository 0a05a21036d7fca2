// Under more load than it can serve: does the service go on serving, refuse the rest soon, and recover?

import { setTimeout as delay } from 'node:timers/promises'
import type { Data } from './data.ts'
import { load } from './load.ts'
import { type Offered, offer } from './open-loop.ts'
import { figuresOf, median, percentile, type Row, type Section } from './report.ts'
import { connections } from './rounds.ts'
import { type Side, withSides } from './side.ts'
import { formatRequest } from './wire.ts'
import { headersOf, userPages, type Work } from './works.ts'

export interface OverloadPace {
  readonly rounds: number
  /** Milliseconds in which the capacity is measured, and in which twice of it is offered. */
  readonly capacity: number
  readonly overload: number
}

const text = `First the capacity: sixteen connections that each wait for their answer. Then twice as many requests a second come at
their own times, whether the last ones are answered or not, over up to 1000 connections; times count from when a
request was due. Served is what was answered with 200 while requests came; the rest was refused with 503. A second and a
half later, requests one at a time are compared with those before.`

/** The most requests that are under way: beyond it they wait in the generator, and their time goes on. */
const mostUnderWay = 1000
const rest = 1500
const probes = { count: 100, perSecond: 100 }

const works: readonly { readonly name: string; readonly work: Work }[] = [
  { name: 'lists of users', work: userPages },
  { name: 'HTML pages of the list of users', work: { ...userPages, isPage: true } },
]

/** One round: rates per second, times in milliseconds. */
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
    ['ours'],
    () => data.path,
    async ({ ours }) => {
      const found: Row[] = []
      for (const { name, work } of works) {
        const headers = headersOf(work, data)
        const requests = work.paths(data).map(path => formatRequest(path, { headers }))
        await load({ port: ours.port, requests, status: 200, connections, milliseconds: pace.capacity })
        const rounds: Overloaded[] = []
        for (let number = 0; number < pace.rounds; number++) rounds.push(await overload(ours, requests, pace))
        found.push(...rowsOf(name, rounds))
      }
      return found
    },
  )
  return { title: 'Overload', text, rows }
}

async function overload({ port }: Side, requests: readonly Buffer[], pace: OverloadPace): Promise<Overloaded> {
  const before = await probe(port, requests)
  const { answers, seconds } = await load({ port, requests, status: 200, connections, milliseconds: pace.capacity })
  const capacity = answers / seconds
  const perSecond = 2 * capacity
  const offered = await offer({ port, requests, perSecond, milliseconds: pace.overload, connections: mostUnderWay })
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

/** The usual time of a request that nothing stands in the way of, in milliseconds. */
async function probe(port: number, requests: readonly Buffer[]): Promise<number> {
  const { count, perSecond } = probes
  const { times } = await offer({ port, requests, perSecond, milliseconds: (1000 * count) / perSecond, connections: 4 })
  return median(times.get(200) ?? [Number.POSITIVE_INFINITY])
}

function rowsOf(name: string, rounds: readonly Overloaded[]): readonly Row[] {
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
    ...figuresOf(rounds.map(round => ({ one: round[pairs[0]], other: round[pairs[1]] }))),
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

/** Milliseconds. A client that waits longer than this for a refusal has waited for nothing. */
const slowestRefusal = 250
