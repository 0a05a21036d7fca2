// `npm run bench`: the service against handlers written by hand, each in a process of its own, by turns, so that what
// else the machine does meets both. Exits with 1 where a ratio misses its goal. `-- --quick` only tries everything.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkEqual } from './check-equal.ts'
import { createData, type Data } from './data.ts'
import { formatRequest } from './load.ts'
import { formatTable, missesGoal, type Result, type Round, resultOf, writeResults } from './report.ts'
import { type Measurement, type Side, type SideName, sideNames, startSide } from './side.ts'
import { headersOf, type Work, works } from './works.ts'

interface Pace {
  readonly rounds: number
  readonly milliseconds: number
  readonly warmUp: number
}

// Many short rounds: what else the machine does comes in bursts, and a round should lie within one.
const usual: Pace = { rounds: 28, milliseconds: 500, warmUp: 1500 }
const quick: Pace = { rounds: 2, milliseconds: 300, warmUp: 300 }

// Enough to keep one server core busy, which a dozen connections and more do alike.
const connections = 16

const { values: flags } = parseArgs({ options: { quick: { type: 'boolean', default: false } } })
const folder = mkdtempSync(join(tmpdir(), 'resource-api-bench-'))
try {
  const results = await run(await createData(folder), flags.quick ? quick : usual)
  process.stdout.write(`${formatTable(results)}\n`)
  writeResults(results)
  if (!flags.quick && results.some(missesGoal)) process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}

async function run(data: Data, pace: Pace): Promise<readonly Result[]> {
  const sides = Object.fromEntries(
    await Promise.all(sideNames.map(async name => [name, await startSide(name, data.path)] as const)),
  ) as Sides
  try {
    for (const work of works) {
      if (work.against === undefined) await checkEqual(work, data, [sides.ours, sides['by hand']])
    }
    const matches = works.map(work => matchOf(sides, work, data))
    for (const { one, other } of matches) {
      await one(pace.warmUp)
      await other(pace.warmUp)
    }
    const rounds = works.map((): Round[] => [])
    for (let number = 0; number < pace.rounds; number++) {
      for (const [index, match] of matches.entries()) {
        rounds[index]!.push(await round(match, pace, (number + index) % 2 === 0))
      }
    }
    return works.map((work, index) => resultOf(work, rounds[index]!))
  } finally {
    await Promise.all(Object.values(sides).map(side => side.close()))
  }
}

type Sides = Readonly<Record<SideName, Side>>
type Measure = (milliseconds: number) => Promise<Measurement>

/** A work and what it is measured against. */
interface Match {
  readonly one: Measure
  readonly other: Measure
}

function matchOf(sides: Sides, work: Work, data: Data): Match {
  const headers = headersOf(work, data)
  const measureOn = (side: Side, paths: readonly string[]): Measure => {
    const requests = paths.map(path => formatRequest(path, headers))
    return milliseconds => side.measure({ requests, status: work.status, connections, milliseconds })
  }
  const side = sides[work.side ?? 'ours']
  const { against } = work
  return {
    one: measureOn(side, work.paths(data)),
    other: measureOn(against ? side : sides['by hand'], (against ?? work).paths(data)),
  }
}

async function round({ one, other }: Match, { milliseconds }: Pace, oneFirst: boolean): Promise<Round> {
  const first = await (oneFirst ? one : other)(milliseconds)
  const second = await (oneFirst ? other : one)(milliseconds)
  return oneFirst ? { one: first, other: second } : { one: second, other: first }
}
