// Keeps the provider's keys. A request waits for the provider only if there are no keys yet, or if its token names an
// unknown key; keys that are too old are replaced in the background. If the provider is down, the present keys stay.

import type { FastifyRequest } from 'fastify'
import type { JWTVerifyGetKey } from 'jose'
import { errors } from './jose.ts'

export interface KeySetOptions {
  readonly load: () => Promise<JWTVerifyGetKey>
  /** Seconds. */
  readonly maxAge: number
  /** Seconds. */
  readonly cooldown: number
  readonly clock: () => Date
}

type Header = Parameters<JWTVerifyGetKey>[0]
type Key = Awaited<ReturnType<JWTVerifyGetKey>>

export interface KeySet {
  /** Finds the key that the header of a token names. Rejects if there is none, or if no keys could be fetched yet. */
  find(header: Header, request: Logging): Promise<Key>
}

/** The request that needs a key. Its logger is created only when it logs something. */
type Logging = Pick<FastifyRequest, 'log'>

/** No keys could be fetched yet. */
export class KeysUnavailable extends Error {}

/** After a failed fetch, seconds until the next one: the provider may be back soon. */
const retryDelay = 5

/** Creates an empty key set; the first token that needs a key fills it. */
export function createKeySet({ load, maxAge, cooldown, clock }: KeySetOptions): KeySet {
  let keys: JWTVerifyGetKey | undefined
  let loadedAt = 0
  let triedAt: number | undefined
  let isFailing = false
  let loading: Promise<void> | undefined

  const now = () => clock().getTime() / 1000
  // A clock that is set back must not prevent fetches until it catches up, so only the distance counts.
  const isWithin = (seconds: number, since: number | undefined) =>
    since !== undefined && Math.abs(now() - since) < seconds

  async function replaceKeys(request: Logging): Promise<void> {
    try {
      keys = await load()
      loadedAt = now()
      if (isFailing) request.log.info('the keys of the OpenID provider could be fetched again')
      isFailing = false
    } catch (err) {
      if (!isFailing) request.log.error({ err }, 'the keys of the OpenID provider could not be fetched')
      isFailing = true
    }
  }

  /** Never rejects. All callers share one fetch, and within the cooldown there is none. */
  function reload(request: Logging): Promise<void> {
    if (loading !== undefined) return loading
    if (isWithin(isFailing ? Math.min(retryDelay, cooldown) : cooldown, triedAt)) return Promise.resolve()
    loading = replaceKeys(request).finally(() => {
      loading = undefined
      triedAt = now()
    })
    return loading
  }

  return {
    async find(header, request) {
      if (keys === undefined) await reload(request)
      else if (!isWithin(maxAge, loadedAt)) void reload(request)
      if (keys === undefined) throw new KeysUnavailable()
      const known = keys
      try {
        return await known(header, unsigned)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        await reload(request)
        if (keys === known) throw error
        return await keys(header, unsigned)
      }
    },
  }
}

// A key is found by the protected header alone.
const unsigned = { payload: '', signature: '' }
