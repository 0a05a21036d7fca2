// Measures workloads in turn: each round measures every group once, and the series of a group directly after one another,
// so that other load on the machine affects all of them.

import type { Data } from './data.ts'
import { type Pair, type Row, summarizeRounds } from './report.ts'
import type { Measurement, Sides } from './side.ts'
import { formatRequest } from './wire.ts'
import type { Comparison, Group, Workload } from './workloads.ts'
import { formatHeaders } from './workloads.ts'

export interface Pace {
  readonly rounds: number
  /** The duration of one measurement. */
  readonly milliseconds: number
  readonly warmUp: number
}

/** Enough to keep one server core busy; from about a dozen connections on, the number makes no difference. */
export const connections = 16

type Measure = (milliseconds: number) => Promise<Measurement>
type Round = Readonly<Record<string, Measurement>>

/** Measures these groups. The rounds alternate between the sets of sides, because the engine compiles each process differently. */
export async function runRounds(
  groups: readonly Group[],
  sets: readonly Partial<Sides<Group['series'][string]['side']>>[],
  data: Data,
  pace: Pace,
): Promise<readonly Row[]> {
  const measures = sets.map(sides =>
    groups.map(({ series }) =>
      Object.entries(series).map(([name, { side, work }]) => [name, createMeasure(sides[side]!, work, data)] as const),
    ),
  )
  for (const [, measure] of measures.flat(2)) await measure(pace.warmUp)
  const rounds = groups.map((): Round[] => [])
  for (let number = 0; number < pace.rounds; number++) {
    for (const [index, group] of measures[number % sets.length]!.entries()) {
      rounds[index]!.push(await round(rotate(group, Math.floor(number / sets.length) + index), pace.milliseconds))
    }
  }
  return groups.flatMap(({ compare }, index) => compare.map(comparison => createRow(comparison, rounds[index]!)))
}

function createMeasure(side: Sides<Group['series'][string]['side']>['service'], work: Workload, data: Data): Measure {
  const headers = formatHeaders(work, data)
  const requests = work.paths(data).map(path => formatRequest(path, { headers }))
  return milliseconds => side.measure({ requests, status: work.status, connections, milliseconds })
}

async function round(measures: readonly (readonly [string, Measure])[], milliseconds: number): Promise<Round> {
  const found: Record<string, Measurement> = {}
  for (const [name, measure] of measures) found[name] = await measure(milliseconds)
  return found
}

/** Rotates the items, so that each is first in some rounds. */
export function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}

function createRow({ work, against, one, other, goal }: Comparison, rounds: readonly Round[]): Row {
  const pairs = (figure: keyof Measurement): Pair[] =>
    rounds.map(found => ({ one: found[one]![figure], other: found[other]![figure] }))
  const { ratio: _, ...processor } = summarizeRounds(pairs('processor'))
  return {
    work,
    against,
    unit: 'req/s',
    ...summarizeRounds(pairs('rate')),
    ...(goal !== undefined && { goal: { atLeast: goal } }),
    processor,
  }
}
