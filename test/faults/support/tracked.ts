// An HTTP client that records when each request was completely sent, and its outcome.

import { type Answer, type HttpClient, openClient } from './http.ts'

export interface Tracked {
  readonly method: string
  readonly path: string
  /** A time of `performance.now()`; undefined until the request is completely sent. */
  sentAt: number | undefined
  /** Undefined until the response or an error has come. */
  outcome: Answer | Error | undefined
  endedAt: number | undefined
}

export interface TrackedClient extends HttpClient {
  /** All requests so far, in order. */
  readonly requests: readonly Tracked[]
}

/** Opens a client with keep-alive connections, or with a new connection for each request. */
export function openTrackedClient(origin: string, { keepAlive = true } = {}): TrackedClient {
  const client = openClient(origin, { keepAlive })
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
