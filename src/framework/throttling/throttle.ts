// Decides whether the caller asks too often (LIM-THR-p1). Runs after the permissions, so that a refused request
// uses up no rate; rejects with Throttled. A throttle decides by itself, or names rates: they are taken once no throttle
// has refused, all of them or none.

import { Throttled } from '../errors/exceptions.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { RequestContext } from '../view.ts'
import { type Quota, rateLimitFields } from './rate-limit-fields.ts'
import type { KeyedRate, RateStore, RateWindow } from './rate-store.ts'

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
  check(context: RequestContext): MaybePromise<ThrottleResult>
}

/** Asks every throttle; throws Throttled with the longest wait of those that refuse. */
export async function checkThrottles(context: RequestContext): Promise<void> {
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

// Takes one of each rate, or of none if one is used up; returns a verdict for each store that was asked.
async function takeRates(requests: readonly RateRequest[]): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  const givers: (() => Promise<void>)[] = []
  for (const [store, ofStore] of Map.groupBy(requests, request => request.store)) {
    const rates = uniqueRates(ofStore)
    if (rates.length === 0) continue
    const taken = await store.take(rates)
    const quotas = rates.map((rate, index) => toQuota(rate, taken.windows[index]))
    if (!taken.allowed) {
      await Promise.all(givers.map(giveBack => giveBack()))
      return [...verdicts, { allowed: false, wait: taken.wait / 1000, quotas }]
    }
    givers.push(taken.giveBack)
    verdicts.push({ allowed: true, quotas })
  }
  return verdicts
}

// The verdict for rates that are not taken: the client is told their limits all the same.
const describeRates = ({ rates }: RateRequest): Verdict => ({
  allowed: true,
  quotas: rates.map(rate => toQuota(rate)),
})

// A rate that several throttles name is one.
const uniqueRates = (requests: readonly RateRequest[]): readonly NamedRate[] => [
  ...new Map(requests.flatMap(({ rates }) => rates.map(rate => [rate.key, rate]))).values(),
]

const toQuota = ({ name, limit, period }: NamedRate, window?: RateWindow): Quota => ({
  name,
  limit,
  period: period / 1000,
  ...(window && { remaining: window.remaining, reset: window.resetsIn / 1000 }),
})
