// What the processes of the service do with the signals to stop.

import { type StopReason, stopSignal } from '#server'
import { warn } from '../logging/standard-streams.ts'

/** Resolves when this process has to stop, and prints why. A second signal ends the process at once. */
export async function waitForStopSignal(): Promise<void> {
  warn(`${formatReason(await stopSignal())}: stopping`)
}

const formatReason = (reason: StopReason): string =>
  reason === 'parent' ? 'The process that started this one has ended' : reason

/** Makes a worker ignore the signals, because terminals and supervisors send them to its parent as well. */
export function ignoreStopSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined)
}

/** Ends the process after this many seconds if something, such as a hanging database, prevents its exit. */
export function exitAfter(seconds: number): void {
  setTimeout(() => process.exit(), 1000 * seconds).unref()
}
