// Decides whether the caller asks too often (LIM-THR-p1). Runs after the permissions, so that a refused request
// uses up no rate; rejects with Throttled. A throttle decides by itself, or names rates: they are taken once no throttle
// has refused, all of them or none.

import { Throttled } from '../errors/exceptions.ts'
import type { Soon } from '../soon.ts'
import type { Context } from '../view.ts'
import { type Quota, rateLimitFields } from './rate-limit-fields.ts'
import type { KeyedRate, RateStore } from './rate-store.ts'
import { describeRates, takeRates } from './take-rates.ts'

/** What a throttle found. */
export type ThrottleResult = Verdict | RateRequest

/** A decision, and the rates that the client is told of. `wait` is in seconds. */
export type Verdict =
  | { readonly allowed: true; readonly quotas?: readonly Quota[] }
  | { readonly allowed: false; readonly wait?: number; readonly quotas?: readonly Quota[] }

/** The rates that decide. */
export interface RateRequest {
  readonly store: RateStore
  readonly rates: readonly NamedRate[]
}

/** A rate with the name that the client is told. */
export interface NamedRate extends KeyedRate {
  readonly name: string
}

/** A rate, or any other reason to slow callers down. */
export interface Throttle {
  check(context: Context): Soon<ThrottleResult>
}

/** Asks every throttle; throws Throttled with the longest wait of those that refuse. */
export async function checkThrottles(context: Context): Promise<void> {
  const { throttles } = context.view
  const results = await Promise.all(throttles.map(throttle => throttle.check(context)))
  const decided = results.filter(result => 'allowed' in result)
  const requests = results.filter(result => 'store' in result)
  const isRefused = decided.some(({ allowed }) => !allowed)
  const verdicts = [...decided, ...(isRefused ? requests.map(describeRates) : await takeRates(requests))]
  Object.assign(context.notes.headers, rateLimitFields(verdicts.flatMap(({ quotas = [] }) => quotas)))
  const refusals = verdicts.filter(verdict => !verdict.allowed)
  if (refusals.length === 0) return
  const waits = refusals.flatMap(refusal => refusal.wait ?? [])
  throw waits.length === 0 ? new Throttled() : new Throttled(Math.max(...waits))
}
