// The throttles by rates: each says whose requests are counted together, and how often those clients may ask.

import type { RequestContext } from '../context.ts'
import { clientAddress } from './client-address.ts'
import { parseRate } from './rate.ts'
import type { RateStore } from './rate-store.ts'
import type { NamedRate, Throttle } from './throttle.ts'

export interface RateThrottleOptions {
  /** One rate or several, which all must have some left: `'60/minute'`, `['60/minute', '1000/day']`. */
  readonly rates: string | readonly string[]
  readonly store: RateStore
}

/** How often callers without an identity may ask, by their address. Others are not counted. */
export const anonThrottle = (options: RateThrottleOptions): Throttle =>
  rateThrottle('anon', options, ({ user, request }) => (user.isAuthenticated ? undefined : clientAddress(request)))

/** How often a user may ask, wherever from; callers without an identity are counted by their address. */
export const userThrottle = (options: RateThrottleOptions): Throttle => rateThrottle('user', options, userOrAddress)

export interface ScopedThrottleOptions extends RateThrottleOptions {
  /** Views with the same scope share its rates. */
  readonly scope: string
}

/**
 * How often a user, else an address, may use the views of a scope.
 *
 * @example
 * throttles: [scopedThrottle({ scope: 'uploads', rates: '20/day', store })]
 */
export function scopedThrottle({ scope, ...options }: ScopedThrottleOptions): Throttle {
  if (!/^[\w.-]+$/.test(scope))
    throw new Error(`scopedThrottle(): the scope "${scope}" must be of letters, digits and . _ -`)
  if (scope === 'anon' || scope === 'user')
    throw new Error(`scopedThrottle(): "${scope}" is the name of another throttle: choose another scope`)
  return rateThrottle(scope, options, userOrAddress)
}

// Throttles by the rates under this name. `client` names the client for whom a request is counted; undefined means that
// the request is not counted.
function rateThrottle(
  name: string,
  { rates, store }: RateThrottleOptions,
  client: (context: RequestContext) => string | undefined,
): Throttle {
  const named = nameRates(name, rates)
  return Object.freeze({
    check(context: RequestContext) {
      const whose = client(context)
      return { store, rates: whose === undefined ? [] : named.map(rate => ({ ...rate, key: rate.key + whose })) }
    },
  })
}

// The user, else the address.
function userOrAddress({ user, request }: RequestContext): string {
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
