// Throttles failed logins. Failures are counted per address and account, and per address alone, so an attacker at
// another address cannot lock out the owner. Each attempt is counted before its password is checked, and is subtracted
// again if it succeeds, so concurrent guesses are limited like sequential ones.

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { clientAddress, createKeyedQueues, parseRate, type RateStore, Throttled } from '#core'

/** Concurrent and waiting logins per address. */
export const loginQueueLimits = { maxRunning: 2, maxWaiting: 100 }

export interface LoginThrottleOptions {
  readonly store: RateStore
  /** Failed logins per address and account; default `10/5 minutes`. */
  readonly perAccount?: string
  /** Failed logins per address; default `100/hour`. */
  readonly perAddress?: string
}

export interface LoginThrottle {
  /**
   * Returns the result of `verify`, which must be undefined for wrong credentials. After too many failures, throws
   * Throttled without calling `verify`, whether or not the account exists.
   */
  guard<Found>(
    request: Pick<FastifyRequest, 'ip'>,
    username: string,
    verify: () => Promise<Found | undefined>,
  ): Promise<Found | undefined>
}

/** The guard of a login without a throttle. */
export const unguarded: LoginThrottle['guard'] = (_request, _username, verify) => verify()

/**
 * Creates the throttle of failed logins.
 *
 * @example
 * const throttle = createLoginThrottle({ store: memoryStore(), perAccount: '5/minute' })
 * app.post('/login', request => throttle.guard(request, name, () => users.verify(name, password)))
 */
export function createLoginThrottle({
  store,
  perAccount = '10/5 minutes',
  perAddress = '100/hour',
}: LoginThrottleOptions): LoginThrottle {
  const [accountRate, addressRate] = [parseRate(perAccount), parseRate(perAddress)]
  // Limits concurrent logins per address. Otherwise, many concurrent correct logins could exhaust a rate before any of
  // them is subtracted again, and one address could fill the queue of password hashes.
  const runQueued = createKeyedQueues<string>(loginQueueLimits)
  const attempt = async <Found>(address: string, username: string, verify: () => Promise<Found | undefined>) => {
    const reservation = await store.take([
      { ...accountRate, key: `login account ${address} ${hashUsername(username)}` },
      { ...addressRate, key: `login address ${address}` },
    ])
    if (!reservation.allowed) throw new Throttled(reservation.wait / 1000)
    let isFailure = false
    try {
      const found = await verify()
      isFailure = found === undefined
      return found
    } finally {
      if (!isFailure) await reservation.giveBack()
    }
  }
  return {
    guard(request, username, verify) {
      const address = clientAddress(request)
      return runQueued(address, () => attempt(address, username, verify))
    },
  }
}

// Normalises the username like users.ts, so that all Unicode forms of a username share one count. It is hashed
// because people sometimes type their password into this field.
const hashUsername = (username: string): string => hash('sha256', username.normalize('NFKC'))
