// An HTTP client with keep-alive connections and a time limit for each request.

import { Agent, request as httpRequest } from 'node:http'
import { startDeadline } from './machine.ts'

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** A token to authenticate with. */
  readonly token?: string
  /** A body to send as JSON. */
  readonly json?: unknown
  /** Called once the last byte was passed to the operating system. */
  readonly onSent?: () => void
}

export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** From the first byte sent to the last byte read. */
  readonly milliseconds: number
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the type
  json(): any
}

export interface HttpClient {
  readonly origin: string
  /** Rejects if no complete response comes: the connection is refused or lost, or the time limit is exceeded. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>
  get(path: string, options?: AskOptions): Promise<Answer>
  close(): void
}

export interface ClientOptions {
  /** Milliseconds without the delay of the machine until a request is aborted; default: two minutes. */
  readonly timeout?: number
  /** The maximum number of connections; default: one per simultaneous request. */
  readonly connections?: number
  /** False opens a new connection for each request. */
  readonly keepAlive?: boolean
}

export function openClient(origin: string, options: ClientOptions = {}): HttpClient {
  const { timeout = 120_000, connections = Number.POSITIVE_INFINITY, keepAlive = true } = options
  const agent = new Agent({ keepAlive, maxSockets: connections })
  const ask: HttpClient['ask'] = (method, path, { headers = {}, token, json, onSent } = {}) => {
    const body = json === undefined ? undefined : JSON.stringify(json)
    const fields = {
      ...(token !== undefined && { authorization: `Token ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const start = performance.now()
    const request = httpRequest(`${origin}${path}`, { agent, method, headers: fields }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk as Buffer))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          text,
          milliseconds: performance.now() - start,
          json: () => JSON.parse(text),
        })
      })
    })
    const late = () => request.destroy(new Error(`no response to ${method} ${path} in ${timeout} ms`))
    const cancel = startDeadline(timeout, late)
    request.on('error', reject)
    if (onSent !== undefined) request.on('finish', onSent)
    request.end(body)
    return promise.finally(cancel)
  }
  return { origin, ask, get: (path, getOptions) => ask('GET', path, getOptions), close: () => agent.destroy() }
}
