// Decides whether the caller asks too often (LIM-THR-p1). Runs after the permissions, so that a refused request
// uses up no rate; rejects with Throttled.

import { Throttled } from '../errors/exceptions.ts'
import type { Context } from '../view.ts'

/** What a throttle found. `wait` is in seconds. */
export type ThrottleResult = { readonly allowed: true } | { readonly allowed: false; readonly wait?: number }

/** A rate, or any other reason to slow callers down. */
export interface Throttle {
  check(context: Context): ThrottleResult | Promise<ThrottleResult>
}

/** Asks every throttle; throws Throttled with the longest wait of those that refuse. */
export function checkThrottles(context: Context): void | Promise<void> {
  const { throttles } = context.view
  return throttles.length === 0 ? undefined : askAll(throttles, context)
}

async function askAll(throttles: readonly Throttle[], context: Context): Promise<void> {
  const results = await Promise.all(throttles.map(throttle => throttle.check(context)))
  const refusals = results.filter(result => !result.allowed)
  if (refusals.length === 0) return
  const waits = refusals.flatMap(refusal => refusal.wait ?? [])
  throw waits.length === 0 ? new Throttled() : new Throttled(Math.max(...waits))
}
