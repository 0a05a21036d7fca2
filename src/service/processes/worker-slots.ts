// Keeps the wanted number of workers running. Each worker has a slot, and is replaced when it exits. A slot whose
// workers repeatedly exit early is given up; the other slots continue.

import type { Worker } from 'node:cluster'
import { warn } from '../logging/standard-streams.ts'
import type { WorkerPool } from './worker-messages.ts'

export interface WorkerSlotsOptions {
  readonly count: number
  readonly fork: () => Worker
  /** Called when a slot has been given up. */
  readonly onChange: (pool: WorkerPool) => void
}

export interface WorkerSlots {
  readonly pool: WorkerPool
  /** Resolves with the signal or exit code of the last worker once all slots have been given up. */
  readonly allFailed: Promise<string>
  /** Stops replacing workers. */
  end(): void
}

/** An exit is early if it comes within this many milliseconds after the worker began to listen, or before. */
const earlyTime = 5000
/** Milliseconds between an early exit and the start of the replacement; each further early exit in a row doubles it. */
const firstPause = 100
/** A slot is given up after this many early exits in a row. */
export const maxFailures = 5

/** Puts `first`, which already listens, into the first slot, and starts the other workers. */
export function createWorkerSlots(first: Worker, { count, fork, onChange }: WorkerSlotsOptions): WorkerSlots {
  const { promise: allFailed, resolve } = Promise.withResolvers<string>()
  let [failed, isEnding] = [0, false]
  const giveUp = (reason: string) => {
    failed += 1
    warn(
      `worker: exited early ${maxFailures} times in a row, the last time with ${reason}; it is not replaced, ${count - failed} of ${count} workers remain`,
    )
    onChange({ wanted: count, failed })
    if (failed === count) resolve(reason)
  }
  const fillSlot = (worker: Worker, failures: number, initialListeningStart: number) => {
    let listeningStart = initialListeningStart
    worker.once('listening', () => {
      listeningStart = performance.now()
    })
    worker.once('exit', (code, signal) => {
      if (isEnding) return
      const reason = String(signal ?? code)
      const newFailures = performance.now() - listeningStart < earlyTime ? failures + 1 : 0
      if (newFailures === maxFailures) return giveUp(reason)
      const pause = newFailures === 0 ? 0 : firstPause * 2 ** (newFailures - 1)
      warn(`worker ${worker.process.pid} exited (${reason}): its replacement starts in ${pause} ms`)
      setTimeout(() => isEnding || start(newFailures), pause)
    })
  }
  const start = (failures: number) => fillSlot(fork(), failures, Number.POSITIVE_INFINITY)
  fillSlot(first, 0, performance.now())
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
