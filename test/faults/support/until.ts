// Waiting for what is to become true, never for time to pass.

import { setTimeout as delay } from 'node:timers/promises'

/**
 * What `look` answers once that is neither undefined nor false. It is asked every `pause` milliseconds (50), and what it
 * throws counts as false; throws after `within` milliseconds (10,000), saying what was waited for.
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
