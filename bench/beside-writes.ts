// Measures lists and objects while others write, as services live: each write makes the service read again what it kept.

import type { Data } from './data.ts'
import { load } from './load.ts'
import { offer } from './open-loop.ts'
import { percentile, type Row, type Section, summarizeRounds } from './report.ts'
import { type Pace, rotate } from './rounds.ts'
import type { Side, Sides } from './side.ts'
import { formatRequest } from './wire.ts'
import { formatHeaders, mixedWorks } from './workloads.ts'
import { withCopies } from './writing.ts'

const text = `Each side has its own copy of the database file. Connections read the lists and objects of the section above in turn; each
sends its next request when the last response has arrived. Meanwhile short snippets are created at fixed times; the response times of
these count from when they were due. The generator sleeps while it waits, because the service highlights in a thread of its own.`

const names = ['service', 'bare'] as const
type Name = (typeof names)[number]

/** How many snippets are created in a second, and how many connections read. */
const loads = [
  { writes: 20, connections: 1 },
  { writes: 20, connections: 16 },
  { writes: 20, connections: 256 },
  { writes: 200, connections: 16 },
] as const
type Load = (typeof loads)[number]

interface Found {
  /** Reads per second. */
  readonly rate: number
  /** Milliseconds of the writes. */
  readonly middle: number
  readonly slow: number
}

export async function measureBesideWrites(data: Data, pace: Pace): Promise<Section> {
  const rows = await withCopies(names, data, sides => runLoads(sides, data, pace))
  return { title: 'Lists and objects while others write', text, rows }
}

async function runLoads(sides: Sides<Name>, data: Data, pace: Pace): Promise<readonly Row[]> {
  const measure = createMeasure(data)
  for (const name of names) for (const each of loads) await measure(sides[name], each, pace.warmUp)
  const rounds: Readonly<Record<Name, readonly Found[]>>[] = []
  for (let number = 0; number < pace.rounds; number++) {
    const round: Record<Name, Found[]> = { service: [], bare: [] }
    for (const each of loads)
      for (const name of rotate(names, number)) round[name].push(await measure(sides[name], each, pace.milliseconds))
    rounds.push(round)
  }
  return loads.flatMap(({ writes, connections }, index) => {
    const row = (work: string, figure: keyof Found): Row => ({
      work: `${work}, ${connections} ${connections === 1 ? 'connection' : 'connections'}, ${writes} writes a second`,
      against: 'bare',
      unit: figure === 'rate' ? 'req/s' : 'ms',
      ...summarizeRounds(
        rounds.map(({ service, bare }) => ({ one: service[index]![figure], other: bare[index]![figure] })),
      ),
    })
    return [row('reads', 'rate'), row('writes meanwhile, median', 'middle'), row('writes, 99th percentile', 'slow')]
  })
}

function createMeasure(data: Data): (side: Side, load: Load, milliseconds: number) => Promise<Found> {
  const body = { title: 'New', code: 'x', linenos: false, language: 'python', style: 'friendly' }
  const create = formatRequest('/snippet/snippets/', { headers: formatHeaders({}, data), body })
  // The works that read one row or one list, each page of them in turn.
  const works = mixedWorks.filter(({ work }) => work.status === 200)
  const paths = works.map(({ work }) => work.paths(data))
  const reads = Array.from({ length: 1000 }, (_, index) =>
    works.map(({ work }, nth) =>
      formatRequest(paths[nth]![index % paths[nth]!.length]!, { headers: formatHeaders(work, data) }),
    ),
  ).flat()
  return async ({ name, port }, { writes, connections }, milliseconds) => {
    const [read, made] = await Promise.all([
      load({ port, requests: reads, status: 200, connections, milliseconds, sleeps: true }),
      offer({ port, requests: [create], perSecond: writes, milliseconds, connections: 16, sleeps: true }),
    ])
    const times = made.times.get(201) ?? []
    if (times.length < made.due) {
      const statuses = [...made.times].map(([status, { length }]) => `${length} × ${status}`).join(', ')
      process.stderr.write(`${name}: of ${made.due} writes: ${statuses}\n`)
    }
    return { rate: read.responses / read.seconds, middle: percentile(times, 0.5), slow: percentile(times, 0.99) }
  }
}
