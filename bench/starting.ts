// From the start of a program to its first answer, and the memory that it takes, before and after a load.

import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import type { Data } from './data.ts'
import { load } from './load.ts'
import { programs, serviceEnvironment, startProgram } from './program.ts'
import { figuresOf, type Row, type Section } from './report.ts'
import { connections, rotate } from './rounds.ts'
import { formatRequest } from './wire.ts'
import { headersOf } from './works.ts'

export interface StartingPace {
  readonly rounds: number
  /** Milliseconds of load before memory is looked at again. */
  readonly load: number
}

const text = `\`resource-api serve\` as it is built for the registry, and the opponents as JavaScript, over the same file, all with Node's
compile cache. The time is from the start of the process to its first answer with status 200; memory is what the
operating system counts (RSS), a second after that, and after several seconds of lists and objects by turns.`

const names = ['ours', 'by hand', 'bare'] as const
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
  const row = (work: string, figure: keyof Started, against: Exclude<Name, 'ours'>): Row => ({
    work,
    against,
    unit: figure === 'first' ? 'ms' : 'MB',
    ...figuresOf(rounds.map(round => ({ one: round.ours[figure], other: round[against][figure] }))),
    ...(against === 'by hand' && { goal: { below: 1.5 } }),
  })
  const both = (work: string, figure: keyof Started) => [row(work, figure, 'by hand'), row(work, figure, 'bare')]
  const rows = [
    ...both('start to the first answer', 'first'),
    ...both('memory, idle', 'idle'),
    ...both('memory after load', 'loaded'),
  ]
  return { title: 'Start and memory', text, rows }
}

async function startOnce(name: Name, data: Data, milliseconds: number): Promise<Started> {
  const port = await freePort()
  const program = await startProgram({ ...commandOf(name, data.path, port), port, path: '/snippet/snippets/1/' })
  try {
    await delay(milliseconds === 0 ? 0 : 1000)
    const idle = await program.memory()
    if (milliseconds > 0) await load({ port, requests: requestsOf(data), status: 200, connections, milliseconds })
    return { first: program.milliseconds, idle, loaded: await program.memory() }
  } finally {
    await program.close()
  }
}

function commandOf(name: Name, path: string, port: number) {
  if (name !== 'ours') return { args: [programs.opponent, name, path, String(port)] }
  return {
    args: [programs.service, 'serve', '--database', `sqlite:${path}`, '--port', String(port)],
    environment: serviceEnvironment,
  }
}

function requestsOf(data: Data): readonly Buffer[] {
  const headers = headersOf({}, data)
  return Array.from({ length: 1000 }, (_, index) => {
    const key = ((index * 7919) % 1000) + 1
    const path = [`/directory/users/?page=${key}`, `/directory/users/${key}/`, `/snippet/snippets/${key}/`][index % 3]!
    return formatRequest(path, { headers })
  })
}
