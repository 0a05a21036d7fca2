// Compares two processes with one, on PostgreSQL.

import { freePort } from '../test/support/free-port.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { createCode, type Sizes } from './data.ts'
import { load } from './load.ts'
import { createPostgresData } from './postgres-data.ts'
import { type Program, programs, serviceEnvironment, startProgram } from './program.ts'
import { type Pair, type Row, type Section, summarizeRounds } from './report.ts'
import { connections, type Pace } from './rounds.ts'
import { formatRequest } from './wire.ts'
import { formatHeaders } from './workloads.ts'

const text = `\`resource-api serve --workers 2\` compared with \`--workers 1\`, on one PostgreSQL (without \`fsync\`). The load generator and
PostgreSQL share the processors with the service. With two cores, the throughput can only double if a request costs the
service much more than it costs them. So only long new snippets have a goal, because their highlighting is the bottleneck;
the other rows show the gain if the database and the generator take their share.`

interface Workload {
  readonly name: string
  readonly goal?: number
  readonly status: number
  readonly requests: readonly Buffer[]
}

export async function measureProcesses(sizes: Sizes, pace: Pace): Promise<Section> {
  const postgres = await startPostgres()
  const started: Program[] = []
  try {
    const works = createWorkloads(await createPostgresData(postgres.url, sizes))
    const ports = [await freePort(), await freePort()] as const
    for (const [index, port] of ports.entries()) started.push(await startService(postgres.url, port, index + 1))
    return { title: 'Processes', text, rows: await measure(works, ports, pace) }
  } finally {
    for (const program of started) await program.close()
    await postgres.stop()
  }
}

function startService(url: string, port: number, workers: number): Promise<Program> {
  return startProgram({
    args: [programs.service, 'serve', '--port', String(port), '--workers', String(workers)],
    environment: { ...serviceEnvironment, DATABASE_URL: url },
    port,
    path: '/snippet/snippets/1/',
  })
}

function createWorkloads(data: Parameters<typeof formatHeaders>[1] & { readonly sizes: Sizes }): readonly Workload[] {
  const { sizes } = data
  const get = (path: (index: number) => string, options: Parameters<typeof formatHeaders>[0]) =>
    createMany(index => formatRequest(path(index), { headers: formatHeaders(options, data) }))
  const userPage = (index: number) => `/directory/users/?page=${(index % 20) + 1}`
  const creates = (times: number) =>
    createMany(index =>
      formatRequest('/snippet/snippets/', {
        headers: formatHeaders({}, data),
        body: { code: createCode(index).repeat(times), language: 'python', style: 'friendly', linenos: true },
      }),
    )
  const snippet = (index: number) => `/snippet/snippets/${((index * 7919) % sizes.snippets) + 1}/`
  return [
    { name: 'new snippets of 44 to 164 lines', goal: 1.7, status: 201, requests: creates(4) },
    { name: 'new snippets of 11 to 41 lines', status: 201, requests: creates(1) },
    { name: 'HTML pages of the list of users', status: 200, requests: get(userPage, { isPage: true }) },
    { name: 'lists of users, token', status: 200, requests: get(userPage, {}) },
    { name: 'HTML pages of snippets', status: 200, requests: get(snippet, { isAnonymous: true, isPage: true }) },
    { name: 'snippets, anonymous', status: 200, requests: get(snippet, { isAnonymous: true }) },
  ]
}

const createMany = <Item>(make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: 1000 }, (_, index) => make(index))

async function measure(
  works: readonly Workload[],
  [one, two]: readonly [number, number],
  pace: Pace,
): Promise<readonly Row[]> {
  const rate = async ({ requests, status }: Workload, port: number, milliseconds: number) => {
    const { responses, seconds } = await load({ port, requests, status, connections, milliseconds, sleeps: true })
    return responses / seconds
  }
  const rounds = works.map((): Pair[] => [])
  for (const work of works) for (const port of [one, two]) await rate(work, port, pace.warmUp)
  for (let number = 0; number < pace.rounds; number++) {
    for (const [index, work] of works.entries()) {
      const isOneFirst = (number + index) % 2 === 0
      const first = await rate(work, isOneFirst ? one : two, pace.milliseconds)
      const second = await rate(work, isOneFirst ? two : one, pace.milliseconds)
      rounds[index]!.push(isOneFirst ? { one: second, other: first } : { one: first, other: second })
    }
  }
  return works.map(({ name, goal }, index) => ({
    work: `${name}: 2 processes`,
    against: '1 process',
    unit: 'req/s',
    ...summarizeRounds(rounds[index]!),
    ...(goal !== undefined && { goal: { atLeast: goal } }),
  }))
}
