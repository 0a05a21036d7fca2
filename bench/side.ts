// A side as the bench sees it: a process that can be measured.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type LoadOptions, load } from './load.ts'

export const sideNames = ['ours', 'ours, by cursor', 'by hand'] as const
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

/** Starts a side over this file. Node's own flags are passed on: `--cpu-prof` writes a profile of each side. */
export async function startSide(name: SideName, path: string): Promise<Side> {
  const child = fork(new URL('server.ts', import.meta.url), [name, path])
  const port = (await answerOf(child)) as number
  return {
    name,
    port,
    async measure(options) {
      const before = await processorTime(child)
      const { answers, seconds } = await load({ ...options, port })
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
