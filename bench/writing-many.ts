// Compares requests that write several objects with the same by hand, on both databases.

import { join } from 'node:path'
import { startPostgres } from '../test/support/postgres.ts'
import { fetchAll } from './check-equal.ts'
import { load } from './load.ts'
import { type Row, type Section, summarizeRounds } from './report.ts'
import { type Pace, rotate } from './rounds.ts'
import { type Side, withSides } from './side.ts'
import { formatRequest } from './wire.ts'
import { createTables, productCount } from './written.ts'

const text = `\`POST /orders/\` with an order and its ten lines, each of which refers to one of ${productCount} products, and \`POST /items/\`
with an array of 1,000 objects (\`bulk: 'atomic'\`). By hand: Fastify, code that validates each field and has the same errors, one
statement that finds the products, and one transaction with prepared statements; on PostgreSQL, one statement inserts all rows of a
table. Both respond with the new objects. Eight connections; PostgreSQL runs without \`fsync\`. The generator sleeps while it waits,
because PostgreSQL and the service can use both processors. Each side is warmed up for eight seconds, until its code is compiled.`

const names = ['many', 'many by hand'] as const
type Name = (typeof names)[number]

const bodies = {
  order: Array.from({ length: 100 }, (_, index) => ({
    number: `A-${index}`,
    lines: Array.from({ length: 10 }, (_line, nth) => ({
      product: ((index * 31 + nth * 7) % productCount) + 1,
      quantity: nth + 1,
    })),
  })),
  items: Array.from({ length: 5 }, (_, index) =>
    Array.from({ length: 1000 }, (_item, nth) => ({
      name: `Item ${index} ${nth}`,
      note: 'A note with "quotes".',
      amount: nth * 7,
    })),
  ),
}

const workloads = [
  { work: 'an order with ten lines', path: '/orders/', bodies: bodies.order },
  { work: '1,000 items', path: '/items/', bodies: bodies.items },
] as const

export async function measureWritingMany(folder: string, pace: Pace): Promise<Section> {
  const files = Object.fromEntries(
    names.map(name => [name, `sqlite:${join(folder, `${name.replaceAll(' ', '-')}.db`)}`]),
  ) as Record<Name, string>
  for (const url of Object.values(files)) await createTables(url)
  const onSqlite = await measure('SQLite', name => files[name], pace)
  const postgres = await startPostgres()
  try {
    await createTables(postgres.url)
    const onPostgres = await measure('PostgreSQL', () => postgres.url, pace)
    return { title: 'Several objects in one request', text, rows: [...onSqlite, ...onPostgres] }
  } finally {
    await postgres.stop()
  }
}

// The sides may make different keys, whose lengths differ.
async function checkSame(ports: readonly number[], path: string, body: object): Promise<void> {
  const replies = await fetchAll(ports, path, { headers: { host: 'localhost' }, body })
  const [one, other] = replies.map(({ status, headers: { 'content-length': _, ...headers }, body: text }) =>
    JSON.stringify([status, headers, text.replaceAll(/"id":\d+/g, '"id":0')]),
  )
  if (one !== other) throw new Error(`${path}: the sides differ:\n${one}\n${other}`)
}

async function measure(database: string, findUrl: (name: Name) => string, pace: Pace): Promise<readonly Row[]> {
  return withSides(names, findUrl, async sides => {
    const rows: Row[] = []
    for (const { work, path, bodies: own } of workloads) {
      await checkSame(
        names.map(name => sides[name].port),
        path,
        own[0]!,
      )
      const requests = own.map(body => formatRequest(path, { headers: { host: 'localhost' }, body }))
      const run = async ({ port }: Side, milliseconds: number) => {
        const { responses, seconds } = await load({
          port,
          requests,
          status: 201,
          connections: 8,
          milliseconds,
          sleeps: true,
        })
        return responses / seconds
      }
      for (const name of names) await run(sides[name], pace.warmUp)
      const rounds: { one: number; other: number }[] = []
      for (let number = 0; number < pace.rounds; number++) {
        const rates: Partial<Record<Name, number>> = {}
        for (const name of rotate(names, number)) rates[name] = await run(sides[name], pace.milliseconds)
        rounds.push({ one: rates.many!, other: rates['many by hand']! })
      }
      rows.push({
        work: `${work}, ${database}`,
        against: 'by hand',
        unit: 'req/s',
        ...summarizeRounds(rounds),
        goal: { atLeast: 1 },
      })
    }
    return rows
  })
}
