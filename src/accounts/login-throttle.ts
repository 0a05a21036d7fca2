// Slows down whoever guesses passwords: failures count for the address together with the account, and for the address.
// So nobody locks an owner out who comes from another address. An attempt counts before its password is checked, and is
// given back when it succeeds: guesses that come at once are no more than those that come in a row.

import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Throttled } from '../framework/errors/exceptions.ts'
import { createKeyedQueues } from '../framework/task-queue.ts'
import { clientAddress } from '../framework/throttling/client-address.ts'
import { parseRate } from '../framework/throttling/rate.ts'
import type { RateStore } from '../framework/throttling/rate-store.ts'

/** Logins of one address at once, and those that wait. */
export const loginsOfAddress = { running: 2, maxWaiting: 100 }

export interface LoginThrottleOptions {
  readonly store: RateStore
  /** Failures of one address with one account; default `10/5 minutes`. */
  readonly perAccount?: string
  /** Failures of one address; default `100/hour`. */
  readonly perAddress?: string
}

export interface LoginThrottle {
  /**
   * What `verify` answers, which is undefined for credentials that are wrong. Throws Throttled, and does not verify,
   * after too many failures; whether there is such an account makes no difference.
   */
  guard<Found>(
    request: Pick<FastifyRequest, 'ip'>,
    username: string,
    verify: () => Promise<Found | undefined>,
  ): Promise<Found | undefined>
}

export function createLoginThrottle({
  store,
  perAccount = '10/5 minutes',
  perAddress = '100/hour',
}: LoginThrottleOptions): LoginThrottle {
  const [ofAccount, ofAddress] = [parseRate(perAccount), parseRate(perAddress)]
  // So right passwords that come at once do not use up the rates before they are given back, and no address takes all
  // places in the queue of password hashes.
  const queues = createKeyedQueues<string>(loginsOfAddress)
  const attempt = async <Found>(address: string, username: string, verify: () => Promise<Found | undefined>) => {
    const taken = await store.take([
      { ...ofAccount, key: `brake account ${address} ${accountDigest(username)}` },
      { ...ofAddress, key: `brake address ${address}` },
    ])
    if (!taken.allowed) throw new Throttled(taken.wait / 1000)
    let isFailure = false
    try {
      const found = await verify()
      isFailure = found === undefined
      return found
    } finally {
      if (!isFailure) await taken.giveBack()
    }
  }
  return {
    guard(request, username, verify) {
      const address = clientAddress(request)
      return queues(address, () => attempt(address, username, verify))
    },
  }
}

// Names are compared in this form (users.ts), and their spellings share one count. People type passwords here, too.
const accountDigest = (username: string): string => hash('sha256', username.normalize('NFKC'))
