// Waits for conditions instead of fixed times.

import { setTimeout as delay } from 'node:timers/promises'
import { startStopwatch } from './machine.ts'

/**
 * Calls `look` every `pause` milliseconds (default 50) until it returns neither undefined nor false, and returns that
 * value. An exception counts as false. Throws after `within` milliseconds without the delay of the machine (default two
 * minutes, for what no promise limits), with `what` in the message.
 */
export async function until<Result>(
  what: string,
  look: () => Promise<Result | undefined | false> | Result | undefined | false,
  { within = 120_000, pause = 50 }: { readonly within?: number; readonly pause?: number } = {},
): Promise<Result> {
  const passed = startStopwatch()
  let failure: unknown
  for (;;) {
    try {
      const seen = await look()
      if (seen !== undefined && seen !== false) return seen
    } catch (error) {
      failure = error
    }
    if (passed() > within) {
      const reason = failure instanceof Error ? `: ${failure.message}` : ''
      throw new Error(`not within ${within / 1000} s: ${what}${reason}`, { cause: failure })
    }
    await delay(pause)
  }
}
