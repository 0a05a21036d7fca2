// Throttles decide whether a caller sends too many requests (LIM-THR-p1). They run after the permissions, so that a
// forbidden request does not count. Each returns either a verdict, or the rates against which to count the request. The
// request is counted against all rates of all throttles, or against none if a throttle refuses it.

import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { RequestContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import type { Quota } from './rate-limit-fields.ts'
import type { KeyedRate, RateStore } from './rate-store.ts'

/** The result of a throttle. */
export type ThrottleResult = Verdict | RateRequest

/** A verdict, and the rates for the response header. `wait` is in seconds. */
export type Verdict =
  | { readonly allowed: true; readonly quotas?: readonly Quota[] }
  | { readonly allowed: false; readonly wait?: number; readonly quotas?: readonly Quota[] }

/** The rates against which to count the request, and the store that counts. A used-up rate refuses the request. */
export interface RateRequest {
  readonly store: RateStore
  readonly rates: readonly NamedRate[]
}

/** A rate with the name that the response header shows. */
export interface NamedRate extends KeyedRate {
  readonly name: string
}

/** Refuses requests that come too fast, by rates or by a rule of its own. */
export interface Throttle<in User extends Identity = Identity> {
  /** Its rates, for the OpenAPI document. */
  readonly quotas?: readonly Quota[]
  readonly check: (context: RequestContext<User>) => MaybePromise<ThrottleResult>
}
