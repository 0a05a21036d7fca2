// What writes: each side on a copy of the file of its own. New snippets, and how others fare meanwhile.

import { copyFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, type Data } from './data.ts'
import { load } from './load.ts'
import { offer } from './open-loop.ts'
import { figuresOf, percentile, type Row, type Section } from './report.ts'
import { type Pace, rotate } from './rounds.ts'
import { type Side, type Sides, withSides } from './side.ts'
import { formatRequest } from './wire.ts'
import { headersOf, snippet } from './works.ts'

const creators = 8
const readersPerSecond = 200
const names = ['ours', 'by hand', 'bare'] as const
type Name = (typeof names)[number]

const text = `Each side has a copy of the file to itself. New snippets are Python of 11 to 41 lines; eight connections create them, each
the next once the last one is answered. Meanwhile 200 requests a second ask for other snippets, whether the last ones are
answered or not; their times count from when they were due. The generator sleeps while it waits: ours has work for both processors.`

export async function measureWriting(data: Data, pace: Pace): Promise<Section> {
  const copies = Object.fromEntries(names.map(name => [name, copyOf(data.path, name)])) as Record<Name, string>
  const rows = await withSides(
    names,
    name => copies[name],
    sides => runCreates(sides, data, pace),
  )
  return { title: 'Writing', text, rows }
}

function copyOf(path: string, name: string): string {
  const copy = join(dirname(path), `${name.replace(' ', '-')}.db`)
  copyFileSync(path, copy)
  return copy
}

/** What one side did in one round: new snippets per second, and the times of the others' requests in milliseconds. */
interface Created {
  readonly rate: number
  readonly middle: number
  readonly slow: number
}

async function runCreates(sides: Sides<Name>, data: Data, pace: Pace): Promise<readonly Row[]> {
  const measure = createsOn(data)
  for (const name of names) await measure(sides[name], pace.warmUp)
  const rounds: Readonly<Record<Name, Created>>[] = []
  for (let number = 0; number < pace.rounds; number++) {
    const found: Partial<Record<Name, Created>> = {}
    for (const name of rotate(names, number)) found[name] = await measure(sides[name], pace.milliseconds)
    rounds.push(found as Record<Name, Created>)
  }
  const row = (work: string, against: Exclude<Name, 'ours'>, figure: keyof Created, goal?: Row['goal']): Row => ({
    work,
    against,
    unit: figure === 'rate' ? 'req/s' : 'ms',
    ...figuresOf(rounds.map(round => ({ one: round.ours[figure], other: round[against][figure] }))),
    ...(goal && { goal }),
  })
  return [
    row('new snippets, token', 'by hand', 'rate', { atLeast: 1 }),
    row('new snippets, token', 'bare', 'rate'),
    row('others meanwhile, 99th percentile', 'by hand', 'slow', { atMost: 0.2 }),
    row('others meanwhile, 99th percentile', 'bare', 'slow'),
    row('others meanwhile, median', 'by hand', 'middle'),
  ]
}

function createsOn(data: Data): (side: Side, milliseconds: number) => Promise<Created> {
  const headers = headersOf({}, data)
  const creates = Array.from({ length: 1000 }, (_, index) => {
    const body = {
      title: `New ${index}`,
      code: codeOf(index),
      linenos: index % 2 === 0,
      language: 'python',
      style: 'friendly',
    }
    return formatRequest('/snippet/snippets/', { headers, body })
  })
  const reads = snippet.paths(data).map(path => formatRequest(path, { headers: headersOf(snippet, data) }))
  return async ({ port }, milliseconds) => {
    const [made, others] = await Promise.all([
      load({ port, requests: creates, status: 201, connections: creators, milliseconds, sleeps: true }),
      offer({ port, requests: reads, perSecond: readersPerSecond, milliseconds, connections: 64, sleeps: true }),
    ])
    const times = others.times.get(200) ?? []
    if (times.length < others.due) throw new Error(`${others.due - times.length} of the others' requests failed`)
    return { rate: made.answers / made.seconds, middle: percentile(times, 0.5), slow: percentile(times, 0.99) }
  }
}
