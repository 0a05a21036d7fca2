import type { Quota } from './rate-limit-fields.ts'
import type { RateWindow } from './rate-store.ts'
import type { NamedRate, RateRequest, Verdict } from './throttle.ts'

/** Takes from all rates, or from none where one is used up; a verdict for each store that was asked. */
export async function takeRates(requests: readonly RateRequest[]): Promise<readonly Verdict[]> {
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

/** Where the rates are not asked, their limits are told all the same. */
export const describeRates = ({ rates }: RateRequest): Verdict => ({
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
