// What the throttles by rates have in common: whose requests count together, and how often those may ask.

import type { Context } from '../view.ts'
import { clientAddress } from './client-address.ts'
import { parseRate } from './rate.ts'
import type { RateStore } from './rate-store.ts'
import type { NamedRate, Throttle } from './throttle.ts'

export interface RateThrottleOptions {
  /** One rate or several, which all must have some left: `'60/minute'`, `['60/minute', '1000/day']`. */
  readonly rates: string | readonly string[]
  readonly store: RateStore
}

/** Throttles by the rates, under this name; `client` says whom a request counts for, or that it does not count. */
export function rateThrottle(
  name: string,
  { rates, store }: RateThrottleOptions,
  client: (context: Context) => string | undefined,
): Throttle {
  const named = nameRates(name, rates)
  return Object.freeze({
    check(context: Context) {
      const whose = client(context)
      return { store, rates: whose === undefined ? [] : named.map(rate => ({ ...rate, key: rate.key + whose })) }
    },
  })
}

/** The user, else the address. */
export function userOrAddress({ user, request }: Context): string {
  return user.isAuthenticated && user.id !== null ? `user ${user.id}` : clientAddress(request)
}

function nameRates(name: string, texts: string | readonly string[]): readonly NamedRate[] {
  const rates = [texts].flat().map(parseRate)
  if (rates.length === 0) throw new Error(`the throttle "${name}" has no rates: give one, such as 60/minute`)
  if (new Set(rates.map(({ period }) => period)).size < rates.length)
    throw new Error(`the throttle "${name}" has two rates for one period: leave out the higher one`)
  return rates.map(({ limit, period, per }) => ({
    name: rates.length === 1 ? name : `${name}-${per}`,
    key: `${name} ${period} `,
    limit,
    period,
  }))
}
