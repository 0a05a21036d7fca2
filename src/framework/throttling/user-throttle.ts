import { type RateThrottleOptions, rateThrottle, userOrAddress } from './rate-throttle.ts'
import type { Throttle } from './throttle.ts'

/** How often a user may ask, wherever from; callers without an identity are counted by their address. */
export const userThrottle = (options: RateThrottleOptions): Throttle => rateThrottle('user', options, userOrAddress)
