// Compares a filtered, ordered and expanded list of 100,000 rows with the same by hand, on both databases.

import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { startPostgres } from '../test/support/postgres.ts'
import { checkEqual } from './check-equal.ts'
import type { Data } from './data.ts'
import { type Derivation, derivations } from './derived.ts'
import { countries, fillingStatements } from './queried.ts'
import type { Row, Section } from './report.ts'
import { type Pace, runRounds } from './rounds.ts'
import { openQueriedServices } from './service.ts'
import { withSides } from './side.ts'
import type { Group, Workload } from './workloads.ts'

const text = `\`GET /orders/\` with the filters \`status__in\`, \`total__gte\` and \`customer__country\`, ordered by \`-total\`, with
\`expand=customer\`, ten of 100,000 orders per page with the count of those found. The thousand queries differ in the country and
the page. By hand: Fastify with a schema of the query, one prepared statement for the rows (with a join) and one for the
count. The service keeps a count until the data changes; by hand, each request counts. PostgreSQL runs without \`fsync\`.

The last rows read lists whose objects have a value of related rows, or that are filtered by a condition through a path, as
\`bench/derived.ts\` declares them: without SQL, and with SQL of the same meaning, in the same service.`

const names = ['queries', 'queries by hand'] as const

const formatPath = (country: number, page: number): string =>
  `/orders/?status__in=open,paid&total__gte=2000&customer__country=country-${country}&ordering=-total&expand=customer&page=${page}`

const onePage: Workload = { status: 200, isAnonymous: true, paths: () => [formatPath(7, 3)] }
/** Each country has at least 50 pages. */
const manyPages: Workload = {
  status: 200,
  isAnonymous: true,
  paths: () =>
    Array.from({ length: 1000 }, (_, index) => formatPath(index % countries, (Math.floor(index / countries) % 50) + 1)),
}
/** The whole table, in its own order. */
const unfiltered: Workload = {
  status: 200,
  isAnonymous: true,
  paths: () => Array.from({ length: 1000 }, (_, index) => `/orders/?page=${((index * 7919) % 10_000) + 1}`),
}

export async function measureQuerying(data: Data, folder: string, pace: Pace): Promise<Section> {
  const file = join(folder, 'queried.db')
  await createTables(`sqlite:${file}`)
  const database = new DatabaseSync(file)
  for (const statement of fillingStatements()) database.exec(statement)
  database.close()
  const byHand = join(folder, 'queried-by-hand.db')
  copyFileSync(file, byHand)
  const onSqlite = await measure('SQLite', name => `sqlite:${name === 'queries' ? file : byHand}`, data, pace)
  const postgres = await startPostgres()
  try {
    await createTables(postgres.url)
    await fillPostgres(postgres.url)
    const onPostgres = await measure('PostgreSQL', () => postgres.url, data, pace)
    return { title: 'Queries', text, rows: [...onSqlite, ...onPostgres] }
  } finally {
    await postgres.stop()
  }
}

async function createTables(url: string): Promise<void> {
  const services = openQueriedServices(url)
  try {
    await services.migrate()
  } finally {
    await services.close()
  }
}

async function fillPostgres(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of fillingStatements()) await client.query(statement)
  } finally {
    await client.end()
  }
}

function measure(
  database: string,
  urlOf: (name: (typeof names)[number]) => string,
  data: Data,
  pace: Pace,
): Promise<readonly Row[]> {
  const groups = [
    compareWithHand(`one page of the query, ${database}`, onePage),
    compareWithHand(`1000 different queries, ${database}`, manyPages, 1.2),
    compareWithHand(`1000 pages without filters, ${database}`, unfiltered),
    ...compareDerivations(database),
  ]
  return withSides(names, urlOf, first =>
    withSides(names, urlOf, async second => {
      for (const work of [onePage, manyPages, unfiltered])
        await checkEqual(
          work,
          data,
          names.map(name => first[name].port),
        )
      return runRounds(groups, [first, second], data, pace)
    }),
  )
}

const compareWithHand = (work: string, what: Workload, goal?: number): Group => ({
  series: {
    service: { side: 'queries', work: what },
    'by hand': { side: 'queries by hand', work: what },
  },
  compare: [{ work, against: 'by hand', one: 'service', other: 'by hand', ...(goal !== undefined && { goal: goal }) }],
})

/** Pages of 10 that begin at any of 900 objects, so that the service does not have most of them in memory. */
const derivedPages = (side: 'declared' | 'written', derivation: Derivation): Workload => ({
  status: 200,
  isAnonymous: true,
  paths: () =>
    Array.from({ length: 900 }, (_, offset) => `/${side}-${derivation}/?${derivations[derivation]}offset=${offset}`),
})

const compareDerivations = (database: string): readonly Group[] =>
  (Object.keys(derivations) as Derivation[]).map(derivation => ({
    series: {
      declared: { side: 'queries', work: derivedPages('declared', derivation) },
      written: { side: 'queries', work: derivedPages('written', derivation) },
    },
    compare: [
      {
        work: `${derivation.replaceAll('-', ' ')} without SQL, ${database}`,
        against: 'SQL of the same meaning',
        one: 'declared',
        other: 'written',
        goal: 0.95,
      },
    ],
  }))
