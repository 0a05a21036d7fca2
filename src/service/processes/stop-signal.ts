// Handles SIGTERM and SIGINT: the first signal stops the service, the second ends the process at once.

import { constants } from 'node:os'
import { warn } from '../logging/standard-streams.ts'

const signals = ['SIGTERM', 'SIGINT'] as const

/** Resolves with the first stop signal. A second one ends the process at once, with exit code 128 + signal number. */
export function waitForStopSignal(): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>()
  let isStopping = false
  for (const signal of signals) {
    process.on(signal, () => {
      if (isStopping) process.exit(128 + constants.signals[signal])
      isStopping = true
      warn(`${signal}: stopping`)
      resolve(signal)
    })
  }
  return promise
}

/** Makes a worker ignore the signals, because terminals and supervisors send them to its parent as well. */
export function ignoreStopSignals(): void {
  for (const signal of signals) process.on(signal, () => undefined)
}

/** Ends the process after this many seconds if something, such as a hanging database, prevents its exit. */
export function exitAfter(seconds: number): void {
  setTimeout(() => process.exit(), 1000 * seconds).unref()
}
