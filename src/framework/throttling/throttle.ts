// Decides whether the caller sends too many requests (LIM-THR-p1). Runs after the permissions, so that a refused
// request does not count. Rejects with Throttled. A throttle returns a verdict, or rates that are taken once no
// throttle has refused: either all of them or none.

import type { RequestContext } from '../context.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Quota } from './rate-limit-fields.ts'
import type { KeyedRate, RateStore } from './rate-store.ts'

/** The result of a throttle. */
export type ThrottleResult = Verdict | RateRequest

/** A verdict, and the rates for the response header. `wait` is in seconds. */
export type Verdict =
  | { readonly allowed: true; readonly quotas?: readonly Quota[] }
  | { readonly allowed: false; readonly wait?: number; readonly quotas?: readonly Quota[] }

/** Rates that decide the request. */
export interface RateRequest {
  readonly store: RateStore
  readonly rates: readonly NamedRate[]
}

/** A rate with the name that the response header shows. */
export interface NamedRate extends KeyedRate {
  readonly name: string
}

/** Slows callers down, by rates or for any other reason. */
export interface Throttle {
  check(context: RequestContext): MaybePromise<ThrottleResult>
}
