import { Throttled } from '../../errors/exceptions.ts'
import type { RequestContext } from '../../http/context.ts'
import type { HeaderFields } from '../../http/response.ts'
import { formatRateLimitFields, type Quota } from './rate-limit-fields.ts'
import type { RateWindow } from './rate-store.ts'
import type { NamedRate, RateRequest, Throttle, Verdict } from './throttle.ts'

/** The result of all throttles together. */
export interface Throttling {
  /** Header fields that describe the client's rates, for any response. */
  readonly headers: HeaderFields
  /** The refusal with the longest wait; undefined if every throttle allows the request. */
  readonly refusal: Throttled | undefined
  /** Undoes the count. */
  giveBack(): Promise<void>
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
  const taken = isRefused ? { verdicts: requests.map(toAllowed), giveBack: keep } : await takeRates(requests, count)
  const verdicts = [...decided, ...taken.verdicts]
  const { giveBack } = taken
  const headers = formatRateLimitFields(verdicts.flatMap(({ quotas = [] }) => quotas))
  const refusals = verdicts.filter(verdict => !verdict.allowed)
  if (refusals.length === 0) return { headers, refusal: undefined, giveBack }
  const waits = refusals.flatMap(refusal => refusal.wait ?? [])
  const refusal = new Throttled(waits.length === 0 ? undefined : Math.max(...waits), undefined, undefined, headers)
  return { headers, refusal, giveBack }
}

/** The most requests that the rates of the throttles allow at once; Infinity if they have no rates. */
export async function findMostRequests(context: RequestContext, throttles: readonly Throttle[]): Promise<number> {
  const results = await Promise.all(throttles.map(throttle => throttle.check(context)))
  return Math.min(...results.flatMap(result => ('rates' in result ? result.rates.map(({ limit }) => limit) : [])))
}

const keep = async (): Promise<void> => undefined

interface TakenRates extends Pick<Throttling, 'giveBack'> {
  /** A verdict for each store. */
  readonly verdicts: readonly Verdict[]
}

// Takes the requests from each rate, or none if one has fewer left.
async function takeRates(requests: readonly RateRequest[], count: number): Promise<TakenRates> {
  const verdicts: Verdict[] = []
  const giveBacks: (() => Promise<void>)[] = []
  const giveBack = async () => void (await Promise.all(giveBacks.map(undo => undo())))
  for (const [store, storeRequests] of Map.groupBy(requests, request => request.store)) {
    const rates = findUniqueRates(storeRequests)
    if (rates.length === 0) continue
    const taken = await store.take(rates, count)
    const quotas = rates.map((rate, index) => toQuota(rate, taken.windows[index]))
    if (!taken.allowed) {
      await giveBack()
      return { verdicts: [...verdicts, { allowed: false, wait: taken.wait / 1000, quotas }], giveBack: keep }
    }
    giveBacks.push(taken.giveBack)
    verdicts.push({ allowed: true, quotas })
  }
  return { verdicts, giveBack }
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
