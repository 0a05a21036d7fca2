// Measures workloads in turn: each round measures every group once, and the series of a group directly after one another,
// so that other load on the machine affects all of them.

import { fetchAll } from './check-equal.ts'
import type { Data } from './data.ts'
import { type Pair, type Row, summarizeRounds } from './report.ts'
import type { Measurement, Side, SideName, Sides } from './side.ts'
import { formatRequest, type RequestOptions } from './wire.ts'
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

export type Measure = (milliseconds: number) => Promise<Measurement>
type NamedMeasure = readonly [name: string, measure: Measure]
type Round = Readonly<Record<string, Measurement>>

/** Measures these groups. The rounds alternate between the sets of sides, because the engine compiles each process differently. */
export async function runRounds(
  groups: readonly Group[],
  sets: readonly Partial<Sides<SideName>>[],
  data: Data,
  pace: Pace,
): Promise<readonly Row[]> {
  const measures: NamedMeasure[][][] = []
  for (const sides of sets) measures.push(await createMeasures(groups, sides, data))
  for (const [, measure] of measures.flat(2)) await measure(pace.warmUp)
  const rounds = groups.map((): Round[] => [])
  for (let number = 0; number < pace.rounds; number++) {
    for (const [index, group] of measures[number % sets.length]!.entries()) {
      rounds[index]!.push(await round(rotate(group, Math.floor(number / sets.length) + index), pace.milliseconds))
    }
  }
  return groups.flatMap(({ compare }, index) => compare.map(comparison => createRow(comparison, rounds[index]!)))
}

async function createMeasures(
  groups: readonly Group[],
  sides: Partial<Sides<SideName>>,
  data: Data,
): Promise<NamedMeasure[][]> {
  const measures: NamedMeasure[][] = []
  for (const { series } of groups) {
    const ofGroup: NamedMeasure[] = []
    for (const [name, { side, work }] of Object.entries(series))
      ofGroup.push([name, await createMeasure(sides[side]!, work, data)])
    measures.push(ofGroup)
  }
  return measures
}

/** Prepares the requests of a workload to this side. */
export async function createMeasure(side: Side, work: Workload, data: Data): Promise<Measure> {
  const headers = formatHeaders(work, data)
  const requests: Buffer[] = []
  for (const path of work.paths(data)) {
    const own = work.isConditional ? await fetchCondition(side, path, headers) : {}
    requests.push(formatRequest(path, { headers: { ...headers, ...own } }))
  }
  return milliseconds => side.measure({ requests, status: work.status, connections, milliseconds })
}

async function fetchCondition(
  { port }: Side,
  path: string,
  headers: RequestOptions['headers'],
): Promise<RequestOptions['headers']> {
  const [reply] = await fetchAll([port], path, { headers })
  return { 'if-none-match': reply!.headers.etag! }
}

async function round(measures: readonly NamedMeasure[], milliseconds: number): Promise<Round> {
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
