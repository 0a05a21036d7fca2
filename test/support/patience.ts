// Time limits for tests: a busy machine takes many times longer than an idle one, and must not make a test fail.

import { setTimeout as delay } from 'node:timers/promises'

/** Milliseconds; for limits that a test must not reach. */
export const anHour = 3_600_000

/** Milliseconds in which every machine does what a test waits for; only broken code takes longer. */
export const patience = 300_000

/**
 * Runs a scenario in which some work must exceed a time limit and other work must not. A slow machine exceeds the limit
 * with the other work too, so the scenario is repeated with four times the limit, at most three times. Rejects with the
 * last error: broken code fails with every limit.
 *
 * @param shortest the first time limit, in the unit that the scenario expects
 */
export async function withinLimits(shortest: number, scenario: (limit: number) => Promise<void>): Promise<void> {
  for (const limit of [1, 4, 16].map(factor => factor * shortest)) {
    try {
      return await scenario(limit)
    } catch {}
  }
  await scenario(64 * shortest)
}

/** Resolves once the condition holds; rejects after {@link patience}. */
export async function eventually(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + patience; !(await condition()); await delay(20))
    if (performance.now() > end) throw new Error(`timed out waiting for: ${what}`)
}
