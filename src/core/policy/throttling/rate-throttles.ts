// Throttles with rates: each counts the requests of a user or address, and limits how many are allowed per period.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import type { RequestContext } from '../../http/context.ts'
import { clientAddress } from './client-address.ts'
import { parseRate } from './rate.ts'
import type { RateStore } from './rate-store.ts'
import type { NamedRate, Throttle } from './throttle.ts'

export interface RateThrottleOptions {
  /** One rate, or several that must all have requests left: `'60/minute'`, `['60/minute', '1000/day']`. */
  readonly rates: string | readonly string[]
  readonly store: RateStore
}

/** Limits callers without an identity, by their address. Authenticated requests are not counted. */
export const anonThrottle = (options: RateThrottleOptions): Throttle =>
  createRateThrottle('anonThrottle()', 'anon', options, ({ user, request }) =>
    user.isAuthenticated ? undefined : clientAddress(request),
  )

/** Limits a user across all addresses; callers without a primary key are limited by their address. */
export const userThrottle = (options: RateThrottleOptions): Throttle =>
  createRateThrottle('userThrottle()', 'user', options, identifyClient)

export interface ScopedThrottleOptions extends RateThrottleOptions {
  /** Views with the same scope share its counts. */
  readonly scope: string
}

/**
 * Limits the requests of a user, else of an address, to the views of a scope.
 *
 * @example
 * throttles: [scopedThrottle({ scope: 'uploads', rates: '20/day', store })]
 */
export function scopedThrottle({ scope, ...options }: ScopedThrottleOptions): Throttle {
  if (!/^[\w.-]+$/.test(scope))
    throw new Error(`scopedThrottle(): the scope "${scope}" must consist of letters, digits and . _ -`)
  if (scope === 'anon' || scope === 'user')
    throw new Error(`scopedThrottle(): "${scope}" is the name of a built-in throttle: choose another scope`)
  return createRateThrottle('scopedThrottle()', scope, options, identifyClient)
}

// Creates a throttle with this name. `findClient` returns the client whose requests are counted, or undefined if the
// request is not counted.
function createRateThrottle(
  where: string,
  name: string,
  options: RateThrottleOptions,
  findClient: (context: RequestContext) => string | undefined,
): Throttle {
  checkRateOptions(where, options)
  const { rates, store } = options
  const namedRates = nameRates(name, rates)
  return Object.freeze({
    quotas: namedRates.map(({ name: rate, limit, period }) => ({ name: rate, limit, period: period / 1000 })),
    check(context: RequestContext) {
      const clientKey = findClient(context)
      return {
        store,
        rates: clientKey === undefined ? [] : namedRates.map(rate => ({ ...rate, key: rate.key + clientKey })),
      }
    },
  })
}

const optionNames: OptionNames<RateThrottleOptions> = { rates: true, store: true }

// Node runs TypeScript without checking types, and a throttle without a store would fail at the first request.
function checkRateOptions(where: string, options: Partial<RateThrottleOptions> = {}): void {
  checkOptionNames(where, options, optionNames)
  if (options.rates === undefined)
    throw new Error(`${where}: the option "rates" is missing: give one, such as 60/minute`)
  if (typeof options.store?.take !== 'function')
    throw new Error(
      `${where}: the option "store" must be a store that counts the requests: write store: memoryStore(), or databaseStore(database) to share the counts of several processes`,
    )
}

// Identifies the client by user, else by address. A text is quoted, so that `'1'` and `1` are distinct.
function identifyClient({ user, request }: RequestContext): string {
  const { isAuthenticated, id } = user
  // A scheme that is written in JavaScript may leave the id out.
  if (!isAuthenticated || id === null || id === undefined) return clientAddress(request)
  return `user ${typeof id === 'string' ? JSON.stringify(id) : id}`
}

function nameRates(name: string, texts: string | readonly string[]): readonly NamedRate[] {
  const rates = [texts].flat().map(parseRate)
  if (rates.length === 0) throw new Error(`the throttle "${name}" has no rates: give one, such as 60/minute`)
  if (new Set(rates.map(({ period }) => period)).size < rates.length)
    throw new Error(`the throttle "${name}" has two rates for the same period: remove the higher one`)
  return rates.map(({ limit, period, per }) => ({
    name: rates.length === 1 ? name : `${name}-${per}`,
    key: `${name} ${period} `,
    limit,
    period,
  }))
}
