import { type RateThrottleOptions, rateThrottle, userOrAddress } from './rate-throttle.ts'
import type { Throttle } from './throttle.ts'

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
