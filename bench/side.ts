// A side of the benchmark: a server process that can be measured.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type LoadOptions, load } from './load.ts'

export const sideNames = ['service', 'service, by cursor', 'hand-written', 'bare'] as const
export type SideName =
  | (typeof sideNames)[number]
  | 'without a document'
  | 'queries'
  | 'queries by hand'
  | 'many'
  | 'many by hand'

export interface Side {
  readonly name: SideName
  readonly port: number
  measure(options: Omit<LoadOptions, 'port'>): Promise<Measurement>
  close(): Promise<void>
}

export interface Measurement {
  /** Requests per second. */
  readonly rate: number
  /** Processor time of the server per request, in microseconds; other processes affect it less than the rate. */
  readonly processor: number
}

export type Sides<Name extends SideName> = Readonly<Record<Name, Side>>

/** Starts the sides, passes them to `work`, and stops them in any case. `pathOf` returns the SQLite file of each, or the URL of its database for `queries`. */
export async function withSides<Name extends SideName, Result>(
  names: readonly Name[],
  pathOf: (name: Name) => string,
  work: (sides: Sides<Name>) => Promise<Result>,
): Promise<Result> {
  const sides = await Promise.all(names.map(name => startSide(name, pathOf(name))))
  try {
    return await work(Object.fromEntries(sides.map(side => [side.name, side])) as Sides<Name>)
  } finally {
    await Promise.all(sides.map(side => side.close()))
  }
}

/** Starts a side with this file. Node's flags are passed on: `--cpu-prof` writes a profile of each side. */
async function startSide(name: SideName, path: string): Promise<Side> {
  const child = fork(new URL('server.ts', import.meta.url), [name, path])
  const port = await receiveMessage<number>(child)
  return {
    name,
    port,
    async measure(options) {
      const before = await processorTime(child)
      const { responses, refused, seconds } = await load({ ...options, port })
      if (refused > 0) process.stderr.write(`${name}: ${refused} of ${responses + refused} requests were refused\n`)
      return { rate: responses / seconds, processor: ((await processorTime(child)) - before) / responses }
    },
    async close() {
      const exit = once(child, 'exit', { signal: AbortSignal.timeout(10_000) })
      child.disconnect()
      await exit.catch(() => child.kill('SIGKILL'))
    },
  }
}

async function processorTime(child: ChildProcess): Promise<number> {
  child.send('processor time')
  const { user, system } = await receiveMessage<NodeJS.CpuUsage>(child)
  return user + system
}

/** Returns the next message of a server; rejects if it exits. */
export function receiveMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise<Message>((resolve, reject) => {
    const exit = () => reject(new Error('a server exited'))
    child.once('exit', exit)
    child.once('message', (message: Message) => {
      child.off('exit', exit)
      resolve(message)
    })
  })
}
