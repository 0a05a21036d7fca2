// Works by turns: in each round every group once, and its series directly after one another, so that what else the
// machine does meets them all.

import type { Data } from './data.ts'
import { figuresOf, type Pair, type Row } from './report.ts'
import type { Measurement, Sides } from './side.ts'
import { formatRequest } from './wire.ts'
import type { Comparison, Group, Work } from './works.ts'
import { headersOf } from './works.ts'

export interface Pace {
  readonly rounds: number
  /** Of one measurement. */
  readonly milliseconds: number
  readonly warmUp: number
}

/** Enough to keep one server core busy, which a dozen connections and more do alike. */
export const connections = 16

type Measure = (milliseconds: number) => Promise<Measurement>
type Round = Readonly<Record<string, Measurement>>

/** The rows of these groups. Rounds take the sets of sides by turns: no two processes are compiled alike by the engine. */
export async function runRounds(
  groups: readonly Group[],
  sets: readonly Partial<Sides<Group['series'][string]['side']>>[],
  data: Data,
  pace: Pace,
): Promise<readonly Row[]> {
  const measures = sets.map(sides =>
    groups.map(({ series }) =>
      Object.entries(series).map(([name, { side, work }]) => [name, measureOf(sides[side]!, work, data)] as const),
    ),
  )
  for (const [, measure] of measures.flat(2)) await measure(pace.warmUp)
  const rounds = groups.map((): Round[] => [])
  for (let number = 0; number < pace.rounds; number++) {
    for (const [index, group] of measures[number % sets.length]!.entries()) {
      rounds[index]!.push(await round(rotate(group, Math.floor(number / sets.length) + index), pace.milliseconds))
    }
  }
  return groups.flatMap(({ compare }, index) => compare.map(comparison => rowOf(comparison, rounds[index]!)))
}

function measureOf(side: Sides<Group['series'][string]['side']>['ours'], work: Work, data: Data): Measure {
  const headers = headersOf(work, data)
  const requests = work.paths(data).map(path => formatRequest(path, { headers }))
  return milliseconds => side.measure({ requests, status: work.status, connections, milliseconds })
}

async function round(measures: readonly (readonly [string, Measure])[], milliseconds: number): Promise<Round> {
  const found: Record<string, Measurement> = {}
  for (const [name, measure] of measures) found[name] = await measure(milliseconds)
  return found
}

/** Nobody is always first. */
export function rotate<Item>(items: readonly Item[], by: number): readonly Item[] {
  const start = by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}

function rowOf({ work, against, one, other, goal }: Comparison, rounds: readonly Round[]): Row {
  const pairs = (figure: keyof Measurement): Pair[] =>
    rounds.map(found => ({ one: found[one]![figure], other: found[other]![figure] }))
  const { ratio: _, ...processor } = figuresOf(pairs('processor'))
  return {
    work,
    against,
    unit: 'req/s',
    ...figuresOf(pairs('rate')),
    ...(goal !== undefined && { goal: { atLeast: goal } }),
    processor,
  }
}
