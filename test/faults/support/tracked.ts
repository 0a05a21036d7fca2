// A client that knows of each request when its last byte was handed to the operating system, and what became of it.

import { type Answer, type HttpClient, openClient } from './http.ts'

export interface Tracked {
  readonly method: string
  readonly path: string
  /** By `performance.now()`; undefined as long as it is not wholly sent. */
  sentAt: number | undefined
  /** Undefined as long as neither has come. */
  outcome: Answer | Error | undefined
  endedAt: number | undefined
}

export interface TrackedClient extends HttpClient {
  /** Every request so far, in the order in which they were made. */
  readonly requests: readonly Tracked[]
}

/** Milliseconds that a request may take. */
const timeout = 30_000

/** Over connections that stay open, as many as there are requests at once; or a new one for each. */
export function openTrackedClient(origin: string, { keepAlive = true } = {}): TrackedClient {
  const client = openClient(origin, { timeout, keepAlive })
  const requests: Tracked[] = []
  const ask: HttpClient['ask'] = async (method, path, options) => {
    const tracked: Tracked = { method, path, sentAt: undefined, outcome: undefined, endedAt: undefined }
    requests.push(tracked)
    const onSent = () => {
      tracked.sentAt = performance.now()
    }
    const end = (outcome: Answer | Error) => Object.assign(tracked, { outcome, endedAt: performance.now() })
    try {
      const answer = await client.ask(method, path, { ...options, onSent })
      end(answer)
      return answer
    } catch (error) {
      end(error as Error)
      throw error
    }
  }
  return { ...client, requests, ask, get: (path, options) => ask('GET', path, options) }
}
