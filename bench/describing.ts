// Measures what the OpenAPI document costs: its first request, and the requests that do not ask for it.

import type { Data } from './data.ts'
import { median, type Row, type Section } from './report.ts'
import { type Pace, runRounds } from './rounds.ts'
import { type SideName, withSides } from './side.ts'
import type { Group, Workload } from './workloads.ts'

export interface DescribingPace extends Pace {
  /** How many services are started for the first request. */
  readonly starts: number
}

const text = `The service with its document, and with the setting \`openapi: false\`. The first request makes the document of the whole
service; it is measured in a process that has responded to one other request. Later requests get it from memory.`

const names = ['service', 'without a document'] as const

const reads: Workload = {
  status: 200,
  isAnonymous: true,
  paths: ({ sizes }) => Array.from({ length: sizes.snippets }, (_, index) => `/snippet/snippets/${index + 1}/`),
}

const group: Group = {
  series: { with: { side: 'service', work: reads }, without: { side: 'without a document', work: reads } },
  compare: [{ work: 'objects', against: 'without a document', one: 'with', other: 'without', goal: 0.97 }],
}

/** Milliseconds. */
const maxFirst = 100

export async function measureDescribing(data: Data, pace: DescribingPace): Promise<Section> {
  const { path } = data
  const rows = await withSides(
    names,
    () => path,
    first =>
      withSides(
        names,
        () => path,
        second => runRounds([group], [first, second], data, pace),
      ),
  )
  return { title: 'The document', text, rows: [...(await measureFirst(path, pace.starts)), ...rows] }
}

async function measureFirst(path: string, starts: number): Promise<readonly Row[]> {
  const times: number[][] = []
  for (let number = 0; number < starts; number++)
    times.push(
      await withSides(
        ['service'] satisfies SideName[],
        () => path,
        async ({ service: { port } }) => {
          await timeRequest(`http://127.0.0.1:${port}/snippet/snippets/1/`)
          const document = `http://127.0.0.1:${port}/openapi.json`
          return [await timeRequest(document), await timeRequest(document)]
        },
      ),
    )
  const [first, second] = [0, 1].map(index => median(times.map(each => each[index]!)))
  const row = { against: '', unit: 'ms' } as const
  return [
    { ...row, work: 'the first request for the document', one: first!, goal: { atMost: maxFirst } },
    { ...row, work: 'the second', one: second! },
  ]
}

/** Milliseconds until the body has arrived. */
async function timeRequest(url: string): Promise<number> {
  const start = performance.now()
  const response = await fetch(url)
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${url}: ${response.status}`)
  return performance.now() - start
}
