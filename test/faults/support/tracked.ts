// A client that knows of each request when its last byte was handed to the operating system, and what became of it.

import { Agent, request as httpRequest } from 'node:http'
import type { Answer, HttpClient } from './http.ts'

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
const patience = 30_000

/** Over connections that stay open, as many as there are requests at once; or a new one for each. */
export function openTrackedClient(origin: string, { keepAlive = true } = {}): TrackedClient {
  const agent = new Agent({ keepAlive })
  const requests: Tracked[] = []
  const ask: HttpClient['ask'] = (method, path, { headers = {}, token, json } = {}) => {
    const tracked: Tracked = { method, path, sentAt: undefined, outcome: undefined, endedAt: undefined }
    requests.push(tracked)
    const body = json === undefined ? undefined : JSON.stringify(json)
    const fields = {
      ...(token !== undefined && { authorization: `Token ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const start = performance.now()
    const end = (outcome: Answer | Error) => {
      tracked.outcome ??= outcome
      tracked.endedAt ??= performance.now()
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
    const signal = AbortSignal.timeout(patience)
    const request = httpRequest(`${origin}${path}`, { agent, method, headers: fields, signal }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk as Buffer))
      response.on('error', end)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        const { statusCode: status, headers: received } = response as { statusCode: number; headers: Answer['headers'] }
        end({ status, headers: received, text, milliseconds: performance.now() - start, json: () => JSON.parse(text) })
      })
    })
    request.on('error', end)
    request.on('finish', () => {
      tracked.sentAt = performance.now()
    })
    request.end(body)
    return promise
  }
  return { origin, requests, ask, get: (path, options) => ask('GET', path, options), close: () => agent.destroy() }
}
