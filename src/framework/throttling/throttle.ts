// Decides whether the caller asks too often (LIM-THR-p1). Runs after the permissions, so that a refused request
// uses up no rate; rejects with Throttled. A throttle decides by itself, or names rates: they are taken once no throttle
// has refused, all of them or none.

import type { RequestContext } from '../context.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Quota } from './rate-limit-fields.ts'
import type { KeyedRate, RateStore } from './rate-store.ts'

/** What a throttle found. */
export type ThrottleResult = Verdict | RateRequest

/** A decision, and the rates that the client is told of. `wait` is in seconds. */
export type Verdict =
  | { readonly allowed: true; readonly quotas?: readonly Quota[] }
  | { readonly allowed: false; readonly wait?: number; readonly quotas?: readonly Quota[] }

/** The rates that decide. */
export interface RateRequest {
  readonly store: RateStore
  readonly rates: readonly NamedRate[]
}

/** A rate with the name that the client is told. */
export interface NamedRate extends KeyedRate {
  readonly name: string
}

/** A rate, or any other reason to slow callers down. */
export interface Throttle {
  check(context: RequestContext): MaybePromise<ThrottleResult>
}
