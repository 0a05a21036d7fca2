import type { RequestContext } from '../context.ts'
import { Throttled } from '../errors/exceptions.ts'
import type { HeaderFields } from '../response.ts'
import { formatRateLimitFields, type Quota } from './rate-limit-fields.ts'
import type { RateWindow } from './rate-store.ts'
import type { NamedRate, RateRequest, Throttle, Verdict } from './throttle.ts'

/** The result of all throttles together. */
export interface Throttling {
  /** Header fields that describe the client's rates, for any response. */
  readonly headers: HeaderFields
  /** The refusal with the longest wait; undefined if every throttle allows the request. */
  readonly refusal: Throttled | undefined
}

/**
 * Runs every throttle. The request is counted against every rate, or against none if one throttle refuses. It counts as `count`
 * requests.
 */
export async function checkThrottles(
  context: RequestContext,
  throttles: readonly Throttle[],
  count = 1,
): Promise<Throttling> {
  const results = await Promise.all(throttles.map(throttle => throttle.check(context)))
  const decided = results.filter(result => 'allowed' in result)
  const requests = results.filter(result => 'store' in result)
  const isRefused = decided.some(({ allowed }) => !allowed)
  const verdicts = [...decided, ...(isRefused ? requests.map(toAllowed) : await takeRates(requests, count))]
  const headers = formatRateLimitFields(verdicts.flatMap(({ quotas = [] }) => quotas))
  const refusals = verdicts.filter(verdict => !verdict.allowed)
  if (refusals.length === 0) return { headers, refusal: undefined }
  const waits = refusals.flatMap(refusal => refusal.wait ?? [])
  return { headers, refusal: waits.length === 0 ? new Throttled() : new Throttled(Math.max(...waits)) }
}

// Takes the requests from each rate, or none if one has fewer left. Returns a verdict for each store.
async function takeRates(requests: readonly RateRequest[], count: number): Promise<readonly Verdict[]> {
  const verdicts: Verdict[] = []
  const giveBacks: (() => Promise<void>)[] = []
  for (const [store, storeRequests] of Map.groupBy(requests, request => request.store)) {
    const rates = findUniqueRates(storeRequests)
    if (rates.length === 0) continue
    const taken = await store.take(rates, count)
    const quotas = rates.map((rate, index) => toQuota(rate, taken.windows[index]))
    if (!taken.allowed) {
      await Promise.all(giveBacks.map(giveBack => giveBack()))
      return [...verdicts, { allowed: false, wait: taken.wait / 1000, quotas }]
    }
    giveBacks.push(taken.giveBack)
    verdicts.push({ allowed: true, quotas })
  }
  return verdicts
}

// Describes rates that are not taken, because another throttle refused.
const toAllowed = ({ rates }: RateRequest): Verdict => ({
  allowed: true,
  quotas: rates.map(rate => toQuota(rate)),
})

// A rate that several throttles name is taken once.
const findUniqueRates = (requests: readonly RateRequest[]): readonly NamedRate[] => [
  ...new Map(requests.flatMap(({ rates }) => rates.map(rate => [rate.key, rate]))).values(),
]

const toQuota = ({ name, limit, period }: NamedRate, window?: RateWindow): Quota => ({
  name,
  limit,
  period: period / 1000,
  ...(window && { remaining: window.remaining, reset: window.resetsIn / 1000 }),
})
