// Measures writes: new snippets, and the reads of other clients meanwhile. Each side has its own copy of the file.

import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createCode, type Data } from './data.ts'
import { load } from './load.ts'
import { offer } from './open-loop.ts'
import { percentile, type Row, type Section, summarizeRounds } from './report.ts'
import { type Pace, rotate } from './rounds.ts'
import { type Side, type SideName, type Sides, withSides } from './side.ts'
import { formatRequest } from './wire.ts'
import { formatHeaders, snippet } from './workloads.ts'

const creators = 8
const readersPerSecond = 200
const names = ['service', 'hand-written', 'bare'] as const
type Name = (typeof names)[number]

const text = `Each side has its own copy of the database file. Eight connections create snippets of 11 to 41 lines of Python; each sends its
next request when the last response has arrived. Meanwhile 200 requests per second read other snippets, sent at fixed times;
their response times count from when they were due. The generator sleeps while it waits, because the service can use both
processors.`

export async function measureWriting(data: Data, pace: Pace): Promise<Section> {
  const rows = await withCopies(names, data, sides => runCreates(sides, data, pace))
  return { title: 'Writing', text, rows }
}

/** Starts the sides with a copy of the database file for each, passes them to `work`, and stops them. */
export function withCopies<Name extends SideName, Result>(
  names: readonly Name[],
  { path }: Data,
  work: (sides: Sides<Name>) => Promise<Result>,
): Promise<Result> {
  const copies = Object.fromEntries(names.map(name => [name, copyDatabase(path, name)])) as Record<Name, string>
  return withSides(names, name => copies[name], work)
}

function copyDatabase(path: string, name: string): string {
  const copy = join(dirname(path), `${name.replace(' ', '-')}.db`)
  copyFileSync(path, copy)
  return copy
}

/** The result of one side in one round: new snippets per second, and the times of the reads in milliseconds. */
interface Created {
  readonly rate: number
  readonly middle: number
  readonly slow: number
}

async function runCreates(sides: Sides<Name>, data: Data, pace: Pace): Promise<readonly Row[]> {
  const measure = createMeasure(data)
  for (const name of names) await measure(sides[name], pace.warmUp)
  const rounds: Readonly<Record<Name, Created>>[] = []
  for (let number = 0; number < pace.rounds; number++) {
    const found: Partial<Record<Name, Created>> = {}
    for (const name of rotate(names, number)) found[name] = await measure(sides[name], pace.milliseconds)
    rounds.push(found as Record<Name, Created>)
  }
  const row = (work: string, against: Exclude<Name, 'service'>, figure: keyof Created, goal?: Row['goal']): Row => ({
    work,
    against,
    unit: figure === 'rate' ? 'req/s' : 'ms',
    ...summarizeRounds(rounds.map(round => ({ one: round.service[figure], other: round[against][figure] }))),
    ...(goal && { goal }),
  })
  return [
    row('new snippets, token', 'hand-written', 'rate', { atLeast: 1 }),
    row('new snippets, token', 'bare', 'rate'),
    row('reads meanwhile, 99th percentile', 'hand-written', 'slow', { atMost: 0.2 }),
    row('reads meanwhile, 99th percentile', 'bare', 'slow'),
    row('reads meanwhile, median', 'hand-written', 'middle'),
  ]
}

function createMeasure(data: Data): (side: Side, milliseconds: number) => Promise<Created> {
  const headers = formatHeaders({}, data)
  const creates = Array.from({ length: 1000 }, (_, index) => {
    const body = {
      title: `New ${index}`,
      code: createCode(index),
      linenos: index % 2 === 0,
      language: 'python',
      style: 'friendly',
    }
    return formatRequest('/snippet/snippets/', { headers, body })
  })
  const reads = snippet.paths(data).map(path => formatRequest(path, { headers: formatHeaders(snippet, data) }))
  return async ({ port }, milliseconds) => {
    const [made, others] = await Promise.all([
      load({ port, requests: creates, status: 201, connections: creators, milliseconds, sleeps: true }),
      offer({ port, requests: reads, perSecond: readersPerSecond, milliseconds, connections: 64, sleeps: true }),
    ])
    const times = others.times.get(200) ?? []
    if (times.length < others.due) throw new Error(`${others.due - times.length} reads failed`)
    return { rate: made.responses / made.seconds, middle: percentile(times, 0.5), slow: percentile(times, 0.99) }
  }
}
