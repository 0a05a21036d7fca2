import type { RequestContext } from '../context.ts'
import { Throttled } from '../errors/exceptions.ts'
import type { HeaderFields } from '../response.ts'
import { type Quota, rateLimitFields } from './rate-limit-fields.ts'
import type { RateWindow } from './rate-store.ts'
import type { NamedRate, RateRequest, Throttle, Verdict } from './throttle.ts'

/** The result of all throttles together. */
export interface Throttling {
  /** Tell the client its rates, whatever the response will be. */
  readonly headers: HeaderFields
  /** The refusal with the longest wait; undefined where every throttle lets the request pass. */
  readonly refusal: Throttled | undefined
}

/** Asks every throttle; rates are taken from all of them, or from none where one refuses. */
export async function checkThrottles(context: RequestContext, throttles: readonly Throttle[]): Promise<Throttling> {
  const results = await Promise.all(throttles.map(throttle => throttle.check(context)))
  const decided = results.filter(result => 'allowed' in result)
  const requests = results.filter(result => 'store' in result)
  const isRefused = decided.some(({ allowed }) => !allowed)
  const verdicts = [...decided, ...(isRefused ? requests.map(describeRates) : await takeRates(requests))]
  const headers = rateLimitFields(verdicts.flatMap(({ quotas = [] }) => quotas))
  const refusals = verdicts.filter(verdict => !verdict.allowed)
  if (refusals.length === 0) return { headers, refusal: undefined }
  const waits = refusals.flatMap(refusal => refusal.wait ?? [])
  return { headers, refusal: waits.length === 0 ? new Throttled() : new Throttled(Math.max(...waits)) }
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
