import { clientAddress } from './client-address.ts'
import { type RateThrottleOptions, rateThrottle } from './rate-throttle.ts'
import type { Throttle } from './throttle.ts'

/** How often callers without an identity may ask, by their address. Others are not counted. */
export const anonThrottle = (options: RateThrottleOptions): Throttle =>
  rateThrottle('anon', options, ({ user, request }) => (user.isAuthenticated ? undefined : clientAddress(request)))
