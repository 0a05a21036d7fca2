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
import { type Measurement, type Side, startSide } from './side.ts'
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
  const ours = await startSide('ours', data.path)
  const byHand = await startSide('by hand', data.path)
  try {
    for (const work of works) await checkEqual(work, data, [ours, byHand])
    for (const work of works) {
      for (const side of [ours, byHand]) await measure(side, work, data, pace.warmUp)
    }
    const rounds = works.map((): Round[] => [])
    for (let number = 0; number < pace.rounds; number++) {
      for (const [index, work] of works.entries()) {
        rounds[index]!.push(await round(ours, byHand, work, data, pace, (number + index) % 2 === 0))
      }
    }
    return works.map((work, index) => resultOf(work, rounds[index]!))
  } finally {
    await Promise.all([ours.close(), byHand.close()])
  }
}

async function round(
  ours: Side,
  byHand: Side,
  work: Work,
  data: Data,
  { milliseconds }: Pace,
  oursFirst: boolean,
): Promise<Round> {
  const first = await measure(oursFirst ? ours : byHand, work, data, milliseconds)
  const second = await measure(oursFirst ? byHand : ours, work, data, milliseconds)
  return oursFirst ? { ours: first, byHand: second } : { ours: second, byHand: first }
}

function measure(side: Side, work: Work, data: Data, milliseconds: number): Promise<Measurement> {
  const headers = headersOf(work, data)
  const requests = work.paths.map(path => formatRequest(path, headers))
  return side.measure({ requests, status: work.status, connections, milliseconds })
}
