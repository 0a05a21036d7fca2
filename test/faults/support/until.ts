// Waits for conditions instead of fixed times.

import { setTimeout as delay } from 'node:timers/promises'

/**
 * Calls `look` every `pause` milliseconds (default 50) until it returns neither undefined nor false, and returns that
 * value. An exception counts as false. Throws after `within` milliseconds (default 10,000), with `what` in the message.
 */
export async function until<Result>(
  what: string,
  look: () => Promise<Result | undefined | false> | Result | undefined | false,
  { within = 10_000, pause = 50 }: { readonly within?: number; readonly pause?: number } = {},
): Promise<Result> {
  const deadline = performance.now() + within
  let failure: unknown
  for (;;) {
    try {
      const seen = await look()
      if (seen !== undefined && seen !== false) return seen
    } catch (error) {
      failure = error
    }
    if (performance.now() > deadline) {
      const reason = failure instanceof Error ? `: ${failure.message}` : ''
      throw new Error(`not within ${within / 1000} s: ${what}${reason}`, { cause: failure })
    }
    await delay(pause)
  }
}
