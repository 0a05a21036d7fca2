// A side as the bench sees it: a process that can be measured.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type LoadOptions, load } from './load.ts'

export const sideNames = ['ours', 'ours, by cursor', 'by hand', 'bare'] as const
export type SideName = (typeof sideNames)[number]

export interface Side {
  readonly name: SideName
  readonly port: number
  measure(options: Omit<LoadOptions, 'port'>): Promise<Measurement>
  close(): Promise<void>
}

export interface Measurement {
  /** Requests per second. */
  readonly rate: number
  /** Processor time of the server per request, in microseconds: other processes disturb it less than the rate. */
  readonly processor: number
}

export type Sides<Name extends SideName> = Readonly<Record<Name, Side>>

/** Starts sides, hands them over, and ends them whatever comes of it. `pathOf` is the SQLite file of each. */
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

/** Starts a side over this file. Node's own flags are passed on: `--cpu-prof` writes a profile of each side. */
async function startSide(name: SideName, path: string): Promise<Side> {
  const child = fork(new URL('server.ts', import.meta.url), [name, path])
  const port = (await answerOf(child)) as number
  return {
    name,
    port,
    async measure(options) {
      const before = await processorTime(child)
      const { answers, refused, seconds } = await load({ ...options, port })
      if (refused > 0) process.stderr.write(`${name}: ${refused} of ${answers + refused} requests were refused\n`)
      return { rate: answers / seconds, processor: ((await processorTime(child)) - before) / answers }
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
  const { user, system } = (await answerOf(child)) as NodeJS.CpuUsage
  return user + system
}

function answerOf(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const exit = () => reject(new Error('a server ended'))
    child.once('exit', exit)
    child.once('message', message => {
      child.off('exit', exit)
      resolve(message)
    })
  })
}
