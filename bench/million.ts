// Measures lists of a million rows: the first read after a write, by how the list counts, and the whole list as one response.

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres.ts'
import { type Pair, type Row, type Section, summarizeRounds } from './report.ts'
import { rotate } from './rounds.ts'
import { receiveMessage } from './side.ts'

export interface MillionPace {
  readonly rounds: number
  readonly rows: number
}

const text = `A table with a million rows of three columns. Each round changes a row and then reads the first page of each list once: a count is
kept until the data changes, so this is the read that counts. \`exact\` counts all rows, \`bounded\` stops at 10,000
(\`count: { atMost: 10_000 }\`), and \`uncounted\` counts nothing ([pagination.md](pagination.md#long-lists)). A filter by a column
without an index reads the whole table to count, and only the first rows to show a page. The last rows read all objects in one response,
and compare the most memory (RSS) meanwhile with that before.`

const lists = ['exact', 'bounded', 'uncounted'] as const
type List = (typeof lists)[number]

interface Server {
  readonly port: number
  readMemory(): Promise<number>
  close(): Promise<void>
}

export async function measureMillion(folder: string, pace: MillionPace): Promise<Section> {
  const onSqlite = await measure('SQLite', `sqlite:${join(folder, 'million.db')}`, pace)
  const postgres = await startPostgres()
  try {
    const onPostgres = await measure('PostgreSQL', postgres.url, pace)
    return { title: 'A million rows', text, rows: [...onSqlite, ...onPostgres] }
  } finally {
    await postgres.stop()
  }
}

async function measure(database: string, url: string, pace: MillionPace): Promise<readonly Row[]> {
  const server = await startServer(url, pace.rows)
  try {
    const rows: Row[] = []
    for (const [what, query] of [
      ['first page', ''],
      ['first page, filtered', '?status=open'],
    ] as const)
      rows.push(...compareCounts(`${what}, ${database}`, await measureReads(server, query, pace)))
    return [...rows, await measureWhole(server, `all objects in one response, ${database}`, pace)]
  } finally {
    await server.close()
  }
}

async function measureReads({ port }: Server, query: string, { rounds, rows }: MillionPace) {
  const found: Record<List, number>[] = []
  for (let number = 0; number < rounds; number++) {
    const round: Partial<Record<List, number>> = {}
    for (const list of rotate(lists, number)) {
      await ask(port, 'PATCH', `/exact/${((number * 7919) % rows) + 1}/`, 200, { title: `Changed ${number} ${list}` })
      const start = performance.now()
      await ask(port, 'GET', `/${list}/${query}`, 200)
      round[list] = performance.now() - start
    }
    found.push(round as Record<List, number>)
  }
  return found
}

const compareCounts = (work: string, rounds: readonly Record<List, number>[]): readonly Row[] => {
  const pairs = (one: List): readonly Pair[] => rounds.map(round => ({ one: round[one], other: round.uncounted }))
  return (['exact', 'bounded'] as const).map(list => ({
    work: `${work}: ${list}`,
    against: 'uncounted',
    unit: 'ms',
    ...summarizeRounds(pairs(list)),
  }))
}

async function measureWhole(server: Server, work: string, { rows }: MillionPace): Promise<Row> {
  const before = await server.readMemory()
  let most = before
  const sample = setInterval(async () => {
    most = Math.max(most, await server.readMemory())
  }, 100)
  const objects = await ask(server.port, 'GET', '/all/', 200)
  clearInterval(sample)
  if (objects !== rows) throw new Error(`${work}: ${objects} of ${rows} objects`)
  const memory = summarizeRounds([{ one: most / 1e6, other: before / 1e6 }])
  return { work, against: 'memory before', unit: 'MB', ...memory, goal: { below: 2 } }
}

/** Sends a request, and counts the objects of the response, by their ends, without keeping them. */
async function ask(port: number, method: string, path: string, status: number, body?: object): Promise<number> {
  const sent = request({ port, host: '127.0.0.1', method, path, headers: { 'content-type': 'application/json' } })
  sent.end(body && JSON.stringify(body))
  const [response] = await once(sent, 'response')
  let objects = 0
  for await (const part of response) objects += part.toString('latin1').split('}').length - 1
  if (response.statusCode !== status) throw new Error(`${method} ${path} responded ${response.statusCode}`)
  return objects
}

async function startServer(url: string, rows: number): Promise<Server> {
  const child = fork(new URL('million-server.ts', import.meta.url), [url, String(rows)])
  const port = await receiveMessage<number>(child)
  return {
    port,
    readMemory() {
      child.send('memory')
      return receiveMessage(child)
    },
    async close() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
