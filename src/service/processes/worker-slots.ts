// Keeps the wanted number of workers: each stands in a slot of its own, and is replaced when it dies. A slot whose
// workers die early again and again is given up; the others go on.

import type { Worker } from 'node:cluster'
import { warn } from '../logging/standard-streams.ts'
import type { WorkerPool } from './worker-messages.ts'

export interface WorkerSlotsOptions {
  readonly count: number
  readonly fork: () => Worker
  /** Called whenever a slot has been given up. */
  readonly onChange: (pool: WorkerPool) => void
}

export interface WorkerSlots {
  readonly pool: WorkerPool
  /** Resolves with what the last worker ended with, once every slot has been given up. */
  readonly allFailed: Promise<string>
  /** From now on no worker is replaced. */
  end(): void
}

/** A death within so many milliseconds after the worker began to listen, or before it did, is early. */
const early = 5000
/** The pause before the replacement after an early death, in milliseconds; each further one doubles it. */
const firstPause = 100
/** After so many early deaths in a row, a slot is given up. */
export const mostFailures = 5

/** Puts a worker that listens already into the first slot, and starts the others. */
export function createWorkerSlots(first: Worker, { count, fork, onChange }: WorkerSlotsOptions): WorkerSlots {
  const { promise: allFailed, resolve } = Promise.withResolvers<string>()
  let [failed, isEnding] = [0, false]
  const giveUp = (reason: string) => {
    failed += 1
    warn(
      `worker: ${mostFailures} in a row ended early, the last with ${reason}; it is not replaced, ${count - failed} of ${count} remain`,
    )
    onChange({ wanted: count, failed })
    if (failed === count) resolve(reason)
  }
  const fill = (worker: Worker, failures: number, listeningSince: number) => {
    let began = listeningSince
    worker.once('listening', () => {
      began = performance.now()
    })
    worker.once('exit', (code, signal) => {
      if (isEnding) return
      const reason = String(signal ?? code)
      const further = performance.now() - began < early ? failures + 1 : 0
      if (further === mostFailures) return giveUp(reason)
      const pause = further === 0 ? 0 : firstPause * 2 ** (further - 1)
      warn(`worker ${worker.process.pid} ended (${reason}): a new one starts in ${pause} ms`)
      setTimeout(() => isEnding || start(further), pause)
    })
  }
  const start = (failures: number) => fill(fork(), failures, Number.POSITIVE_INFINITY)
  fill(first, 0, performance.now())
  for (let number = 1; number < count; number++) start(0)
  return {
    get pool() {
      return { wanted: count, failed }
    },
    allFailed,
    end() {
      isEnding = true
    },
  }
}
