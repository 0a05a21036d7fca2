// SIGTERM and SIGINT: the first asks to end, the second ends at once.

import { constants } from 'node:os'
import { warn } from '../logging/standard-streams.ts'

const signals = ['SIGTERM', 'SIGINT'] as const

/** The signal that asks this process to end. A second one ends it at once, with the exit code that shells expect. */
export function stopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let isAsked = false
  for (const signal of signals) {
    process.on(signal, () => {
      if (isAsked) process.exit(128 + constants.signals[signal])
      isAsked = true
      warn(`${signal}: stopping`)
      resolve(signal)
    })
  }
  return promise
}

/** For a worker: it ignores the signals, because terminals and supervisors send them to its parent as well. */
export function leaveSignalsToParent(): void {
  for (const signal of signals) process.on(signal, () => undefined)
}

/** Ends the process after so many seconds if something, such as a database that hangs, keeps it from ending. */
export function endWithin(seconds: number): void {
  setTimeout(() => process.exit(), 1000 * seconds).unref()
}
