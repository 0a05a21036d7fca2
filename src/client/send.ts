// Sends requests with their header fields, time limits and retries.

import { formatBody } from './body.ts'
import { ClientError } from './errors.ts'
import type { ClientOptions, OutgoingRequest, RequestOptions } from './options.ts'
import { sendWithProgress } from './progress.ts'
import { readData } from './response.ts'
import { listSelecting } from './url.ts'

/** The state that all requests of a client share. */
export interface Connection {
  readonly options: ClientOptions
  /** The URL of the API, with a slash at the end. */
  readonly base: URL
  /** The ETags of the objects that were read. */
  readonly tags: WeakMap<object, string>
}

/** A request before the client adds its own header fields. */
export interface ClientRequest {
  readonly method: string
  /** The path below the API, without slashes at its ends. */
  readonly path: string
  readonly query?: URLSearchParams
  readonly data?: unknown
  readonly options?: RequestOptions | undefined
  /** True: the data of a response is the stream of its body. */
  readonly isStream?: boolean
}

/** The data of a response, and the response. */
export interface Received {
  readonly data: unknown
  readonly response: Response
}

const safeMethods = ['GET', 'HEAD', 'OPTIONS']
/** The longest wait after the first attempt, in milliseconds, if the server says nothing; it doubles with each attempt. */
const firstWait = 400

/** Sends a request and reads the response. Rejects with ClientError. */
export async function send(connection: Connection, request: ClientRequest): Promise<Received> {
  const { options: defaults } = connection
  const { options = {} } = request
  const body = formatBody(request.data)
  const timeout = options.timeout ?? defaults.timeout ?? (body instanceof FormData ? 0 : 60_000)
  const limit = timeout > 0 ? AbortSignal.timeout(timeout) : undefined
  const signals = [options.signal, limit].filter(signal => signal !== undefined)
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0]
  for (let retries = options.retries ?? defaults.retries ?? 2, attempt = 0; ; attempt++) {
    try {
      signal?.throwIfAborted()
      return await sendOnce(connection, request, body, signal)
    } catch (cause) {
      const error = toClientError(cause, connection, request, options.signal, limit)
      if (!(error instanceof ClientError) || retries-- <= 0 || !mayRepeat(request, error)) throw error
      const wait = error.seconds === undefined ? Math.random() * firstWait * 2 ** attempt : error.seconds * 1000
      if (wait > (defaults.maxWait ?? 30_000)) throw error
      await sleep(wait, signal)
    }
  }
}

// Without the query, which may contain what no log should have.
const formatName = ({ method, url: { origin, pathname } }: Pick<OutgoingRequest, 'method' | 'url'>): string =>
  `${method} ${origin}${pathname}`

/** Converts an error of the platform to a ClientError; a mistake of the programmer stays as it is. */
function toClientError(
  cause: unknown,
  connection: Connection,
  request: ClientRequest,
  signal: AbortSignal | undefined,
  limit: AbortSignal | undefined,
): unknown {
  const where = formatName({ ...request, url: createUrl(connection, request) })
  if (signal?.aborted) return new ClientError('aborted', `${where}: aborted`, { cause })
  if (limit?.aborted) return new ClientError('timeout', `${where}: the time limit passed`, { cause })
  if (cause instanceof Failure) return new ClientError('network', `${where}: no response`, { cause: cause.cause })
  return cause
}

/** An error of the network. `fetch` rejects with a TypeError, like a mistake in an interceptor, so this class tells them apart. */
class Failure extends Error {}

const orFailure = <Value>(promise: Promise<Value>): Promise<Value> =>
  promise.catch(cause => {
    throw cause instanceof ClientError ? cause : new Failure('', { cause })
  })

/** Whether a request that failed may be sent again, because it has no effect, or the same effect as once. */
function mayRepeat({ method, options = {} }: ClientRequest, { kind, status, seconds }: ClientError): boolean {
  // A 409 names a time while an earlier attempt with the same `Idempotency-Key` runs.
  const isRefused = kind === 'throttled' || status === 503 || (status === 409 && seconds !== undefined)
  if (!isRefused && kind !== 'network' && kind !== 'unavailable') return false
  if (safeMethods.includes(method) || (method === 'POST' && options.idempotencyKey !== undefined)) return true
  // If the first attempt had an effect, the object no longer matches.
  return (method === 'PUT' || method === 'DELETE') && (isRefused || options.ifMatch === undefined)
}

const sleep = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise(resolve => {
    const timer = setTimeout(resolve, milliseconds)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })

async function sendOnce(
  connection: Connection,
  request: ClientRequest,
  body: OutgoingRequest['body'],
  signal: AbortSignal | undefined,
): Promise<Received> {
  const { options, tags } = connection
  const { method, query, options: { onProgress, ifNoneMatch } = {} } = request
  const outgoing: OutgoingRequest = {
    method,
    url: createUrl(connection, request),
    headers: await createHeaders(connection, request, body),
    body,
    signal,
  }
  await options.interceptors?.request?.(outgoing)
  const init: RequestInit = {
    method,
    headers: outgoing.headers,
    ...(body !== undefined && { body }),
    ...(signal && { signal }),
    ...(options.session && { credentials: 'include' as const }),
  }
  const url = outgoing.url.href
  const sent = onProgress ? sendWithProgress(url, init, onProgress, options.fetch) : (options.fetch ?? fetch)(url, init)
  const received = await orFailure(sent)
  const response = (await options.interceptors?.response?.(received, outgoing)) ?? received
  if (request.isStream && response.ok) return { data: response.body, response }
  if (response.status === 304) return { data: typeof ifNoneMatch === 'object' ? ifNoneMatch : undefined, response }
  const data = await orFailure(readData(response, formatName(outgoing)))
  const tag = response.headers.get('etag')
  const isSelected = listSelecting(options).some(name => query?.has(name))
  if (tag !== null && !isSelected && typeof data === 'object' && data !== null) tags.set(data, tag)
  return { data, response }
}

function createUrl({ base, options }: Connection, { path, query }: ClientRequest): URL {
  const url = new URL(base)
  if (path !== '') url.pathname += path + (options.trailingSlash === false ? '' : '/')
  if (query) url.search = query.toString()
  return url
}

/** The header fields with which the client identifies its caller. */
export async function createOwnHeaders({ options }: Connection, method: string): Promise<Headers> {
  const { token, scheme = 'Token', headers: own, session } = options
  const headers = new Headers(typeof own === 'function' ? await own() : own)
  const secret = typeof token === 'function' ? await token() : token
  if (secret !== undefined) headers.set('authorization', `${scheme} ${secret}`)
  const csrfToken = session && !safeMethods.includes(method) && (session === true ? readCsrfCookie() : session())
  if (csrfToken) headers.set('x-csrftoken', csrfToken)
  return headers
}

const readCsrfCookie = (): string | undefined => {
  const { document } = globalThis as { readonly document?: { readonly cookie: string } }
  return /(?:^|; )csrftoken=([^;]*)/.exec(document?.cookie ?? '')?.[1]
}

async function createHeaders(
  connection: Connection,
  { method, options = {} }: ClientRequest,
  body: OutgoingRequest['body'],
): Promise<Headers> {
  const headers = await createOwnHeaders(connection, method)
  const { ifMatch, ifNoneMatch, idempotencyKey, prefer } = options
  const fields = {
    accept: headers.get('accept') ?? 'application/json',
    'content-type': typeof body === 'string' ? 'application/json' : undefined,
    'if-match': findTag(connection, ifMatch),
    'if-none-match': findTag(connection, ifNoneMatch),
    'idempotency-key': idempotencyKey,
    prefer,
    ...options.headers,
  }
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) headers.set(name, value)
  return headers
}

function findTag({ tags }: Connection, object: object | string | undefined): string | undefined {
  if (typeof object !== 'object') return object
  const tag = tags.get(object)
  // Without it, the request would not be conditional.
  if (tag === undefined)
    throw new TypeError('this object has no ETag: read it with retrieve(), without fields, omit and expand')
  return tag
}
