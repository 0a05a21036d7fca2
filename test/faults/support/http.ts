// A client that waits for no answer longer than it is told to, over connections that stay open.

import { Agent, request as httpRequest } from 'node:http'

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The key of a token to authenticate with. */
  readonly token?: string
  /** A body to send as JSON. */
  readonly json?: unknown
  /** Milliseconds until it is given up; default: the client's. */
  readonly timeout?: number
  /** Told once the last byte was handed to the operating system. */
  readonly onSent?: () => void
}

export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** From the first byte sent to the last one read. */
  readonly milliseconds: number
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what it expects
  json(): any
}

export interface HttpClient {
  readonly origin: string
  /** Rejects where no whole answer comes: the connection is refused or lost, or it takes too long. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>
  get(path: string, options?: AskOptions): Promise<Answer>
  close(): void
}

export interface ClientOptions {
  /** Milliseconds until a request is given up; default 10,000. */
  readonly timeout?: number
  /** The most connections; default: as many as there are requests at once. */
  readonly connections?: number
  /** False: a connection for each request. */
  readonly keepAlive?: boolean
}

export function openClient(origin: string, options: ClientOptions = {}): HttpClient {
  const { timeout: usual = 10_000, connections = Number.POSITIVE_INFINITY, keepAlive = true } = options
  const agent = new Agent({ keepAlive, maxSockets: connections })
  const ask: HttpClient['ask'] = (method, path, { headers = {}, token, json, timeout = usual, onSent } = {}) => {
    const body = json === undefined ? undefined : JSON.stringify(json)
    const fields = {
      ...(token !== undefined && { authorization: `Token ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...headers,
    }
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const start = performance.now()
    const signal = AbortSignal.timeout(timeout)
    const fail = (error: Error) =>
      reject(signal.aborted ? new Error(`no answer to ${method} ${path} in ${timeout} ms`) : error)
    const request = httpRequest(`${origin}${path}`, { agent, method, headers: fields, signal }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk as Buffer))
      response.on('error', fail)
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
    request.on('error', fail)
    if (onSent !== undefined) request.on('finish', onSent)
    request.end(body)
    return promise
  }
  return { origin, ask, get: (path, given) => ask('GET', path, given), close: () => agent.destroy() }
}
