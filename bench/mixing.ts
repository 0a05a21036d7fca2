// Measures how fast each work is in a process that also does all other work, as services do.

import type { Data } from './data.ts'
import { type Pair, type Row, type Section, summarizeRounds } from './report.ts'
import { createMeasure, type Measure, type Pace } from './rounds.ts'
import { type Measurement, type Side, type Sides, withSides } from './side.ts'
import { mixedWorks } from './workloads.ts'

const text = `In each round, new processes of the service and of the bare opponent serve all these works, in two random orders: the first one
warms them up, and the second one is measured. A third process of the service serves only one of the works, another one in each
measurement. A ratio below 1 beside "a process of its own" is what the other works cost: the engine compiles the code for all of them.`

interface Round {
  readonly service: readonly Measurement[]
  readonly bare: readonly Measurement[]
  readonly alone: readonly Measurement[]
}

export async function measureMixing(data: Data, pace: Pace): Promise<Section> {
  const random = createRandom(pace.rounds)
  const rounds: Round[] = []
  for (let number = 0; number < pace.rounds; number++) {
    const alone: Measurement[] = []
    for (const { work } of mixedWorks)
      alone.push(
        await withSide('service', data, async side => measureAlone(await createMeasure(side, work, data), pace)),
      )
    const service = await withSide('service', data, side => measureAll(side, data, pace, random))
    rounds.push({ service, alone, bare: await withSide('bare', data, side => measureAll(side, data, pace, random)) })
  }
  const rows = mixedWorks.flatMap(({ name, goal }, index) => [
    createRow(
      { work: name, against: 'bare', goal: { atLeast: goal } },
      rounds,
      ({ service, bare }) => [service, bare],
      index,
    ),
    createRow({ work: name, against: 'a process of its own' }, rounds, ({ service, alone }) => [service, alone], index),
  ])
  return { title: 'One process for all works', text, rows }
}

const withSide = <Name extends 'service' | 'bare', Result>(
  name: Name,
  { path }: Data,
  work: (side: Side) => Promise<Result>,
): Promise<Result> =>
  withSides(
    [name],
    () => path,
    (sides: Sides<Name>) => work(sides[name]),
  )

async function measureAlone(measure: Measure, { warmUp, milliseconds }: Pace): Promise<Measurement> {
  await measure(warmUp)
  return measure(milliseconds)
}

/** Measures all works in one process, and returns the results in the order of the works. */
async function measureAll(side: Side, data: Data, pace: Pace, random: () => number): Promise<readonly Measurement[]> {
  const measures: Measure[] = []
  for (const { work } of mixedWorks) measures.push(await createMeasure(side, work, data))
  for (const measure of shuffle(measures, random)) await measure(pace.warmUp)
  const found = new Map<Measure, Measurement>()
  for (const measure of shuffle(measures, random)) found.set(measure, await measure(pace.milliseconds))
  return measures.map(measure => found.get(measure)!)
}

function createRow(
  row: Pick<Row, 'work' | 'against' | 'goal'>,
  rounds: readonly Round[],
  choose: (round: Round) => readonly [one: readonly Measurement[], other: readonly Measurement[]],
  index: number,
): Row {
  const pairs = (figure: keyof Measurement): Pair[] =>
    rounds.map(round => {
      const [one, other] = choose(round)
      return { one: one[index]![figure], other: other[index]![figure] }
    })
  const { ratio: _, ...processor } = summarizeRounds(pairs('processor'))
  return { ...row, unit: 'req/s', ...summarizeRounds(pairs('rate')), processor }
}

function shuffle<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map(item => [random(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item)
}

/** Numbers from 0 to 1 that are the same in each run with this seed: a linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
