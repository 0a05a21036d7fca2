// Tells when the process has to stop: after SIGTERM or SIGINT, or when npm, which started it, has ended (decision 095).

import { constants } from 'node:os'

/** Why the process has to stop: a signal, or the end of the process that started this one. */
export type StopReason = (typeof signals)[number] | 'parent'

const signals = ['SIGTERM', 'SIGINT'] as const

/** Milliseconds between two looks at the parent process. */
const parentInterval = 250

// Read early: a parent that has ended already cannot be told from one that never was.
const parent = process.ppid

/**
 * Resolves with the reason once the process has to stop. A second signal ends the process at once, with the exit code 128
 * + the number of the signal.
 *
 * npm, npx, pnpm and yarn run a script in a shell, which ends on SIGTERM and does not pass it on. So if one of them started
 * this process, the end of its parent counts too.
 *
 * @example
 * await stopSignal()
 * await app.drain()
 */
export function stopSignal(): Promise<StopReason> {
  const { promise, resolve } = Promise.withResolvers<StopReason>()
  let isSignalled = false
  for (const signal of signals) {
    process.on(signal, () => {
      if (isSignalled) process.exit(128 + constants.signals[signal])
      isSignalled = true
      resolve(signal)
    })
  }
  if ('npm_lifecycle_event' in process.env) whenParentEnds(() => resolve('parent'))
  return promise
}

function whenParentEnds(onEnd: () => void): void {
  const timer = setInterval(() => {
    if (isParentRunning()) return
    clearInterval(timer)
    onEnd()
  }, parentInterval).unref()
}

// Unix gives an orphan another parent; Windows keeps the id of the parent that has ended.
function isParentRunning(): boolean {
  if (process.ppid !== parent) return false
  try {
    return process.kill(parent, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
