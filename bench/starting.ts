// Measures the time from the start of a program to its first response, and its memory before and after load.

import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import type { Data } from './data.ts'
import { load } from './load.ts'
import { programs, serviceEnvironment, startProgram } from './program.ts'
import { type Row, type Section, summarizeRounds } from './report.ts'
import { connections, rotate } from './rounds.ts'
import { formatRequest } from './wire.ts'
import { formatHeaders } from './workloads.ts'

export interface StartingPace {
  readonly rounds: number
  /** Milliseconds of load before memory is measured again. */
  readonly load: number
}

const text = `\`resource-api serve\` as it is built for the registry, with the flag of [deployment.md](deployment.md#memory), and the opponents
as JavaScript, with the same database file, all with Node's compile cache. The time is from the start of the process to its first
response with status 200. Memory is the resident set size (RSS) a second after that, and after several seconds of requests for lists
and objects in turn.`

const names = ['service', 'hand-written', 'bare'] as const
type Name = (typeof names)[number]

interface Started {
  readonly first: number
  readonly idle: number
  readonly loaded: number
}

export async function measureStarting(data: Data, pace: StartingPace): Promise<Section> {
  // The first start fills the compile cache.
  for (const name of names) await startOnce(name, data, 0)
  const rounds: Readonly<Record<Name, Started>>[] = []
  for (let number = 0; number < pace.rounds; number++) {
    const found: Partial<Record<Name, Started>> = {}
    for (const name of rotate(names, number)) found[name] = await startOnce(name, data, pace.load)
    rounds.push(found as Record<Name, Started>)
  }
  const row = (work: string, figure: keyof Started, against: Exclude<Name, 'service'>): Row => ({
    work,
    against,
    unit: figure === 'first' ? 'ms' : 'MB',
    ...summarizeRounds(rounds.map(round => ({ one: round.service[figure], other: round[against][figure] }))),
    ...(against === 'hand-written' && { goal: { below: 1.5 } }),
  })
  const both = (work: string, figure: keyof Started) => [row(work, figure, 'hand-written'), row(work, figure, 'bare')]
  const rows = [
    ...both('start to the first response', 'first'),
    ...both('memory, idle', 'idle'),
    ...both('memory after load', 'loaded'),
  ]
  return { title: 'Start and memory', text, rows }
}

async function startOnce(name: Name, data: Data, milliseconds: number): Promise<Started> {
  const port = await freePort()
  const program = await startProgram({ ...createCommand(name, data.path, port), port, path: '/snippet/snippets/1/' })
  try {
    await delay(milliseconds === 0 ? 0 : 1000)
    const idle = await program.memory()
    if (milliseconds > 0) await load({ port, requests: formatRequests(data), status: 200, connections, milliseconds })
    return { first: program.milliseconds, idle, loaded: await program.memory() }
  } finally {
    await program.close()
  }
}

function createCommand(name: Name, path: string, port: number) {
  if (name !== 'service') return { args: [programs.opponent, name, path, String(port)] }
  const options = ['--database', `sqlite:${path}`, '--port', String(port)]
  return {
    args: ['--max-semi-space-size=8', programs.service, 'serve', ...options],
    environment: serviceEnvironment,
  }
}

function formatRequests(data: Data): readonly Buffer[] {
  const headers = formatHeaders({}, data)
  return Array.from({ length: 1000 }, (_, index) => {
    const key = ((index * 7919) % 1000) + 1
    const path = [`/directory/users/?page=${key}`, `/directory/users/${key}/`, `/snippet/snippets/${key}/`][index % 3]!
    return formatRequest(path, { headers })
  })
}
