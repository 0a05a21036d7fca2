// Sends the requests of one caller, and keeps the caller's cookies.

import { csrfCookie } from '#core'
import { type CookieJar, createCookieJar } from './cookie-jar.ts'
import type { Recorder } from './recorder.ts'
import { encodeBody } from './request-body.ts'
import { createPendingResponse, createResponse, type PendingResponse, type TestResponse } from './response.ts'
import type { Transport } from './transport.ts'

/** Header fields of a request; undefined removes a field that the client would send. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

type QueryValue = string | number | boolean

export interface RequestOptions {
  readonly headers?: RequestHeaders
  /** Parameters to add to the path; a list gives a parameter for each item, undefined gives none. */
  readonly query?: Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>
}

/** A request with any method. */
export interface TestRequest extends RequestOptions {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/**
 * Sends requests as one caller. A path begins with `/`; a URL from a response of the API, such as the link to the next
 * page, can be used instead. Redirects are not followed.
 *
 * A body that is URLSearchParams is sent as a form, FormData as multipart, a string or Uint8Array as it is, and any
 * other value as JSON.
 *
 * Cookies are kept. On unsafe methods, the CSRF cookie is also sent as the header field `X-CSRFToken`, as the scripts of
 * the pages do.
 */
export interface TestClient {
  get(path: string, options?: RequestOptions): PendingResponse
  head(path: string, options?: RequestOptions): PendingResponse
  options(path: string, options?: RequestOptions): PendingResponse
  post(path: string, body?: unknown, options?: RequestOptions): PendingResponse
  put(path: string, body?: unknown, options?: RequestOptions): PendingResponse
  patch(path: string, body?: unknown, options?: RequestOptions): PendingResponse
  delete(path: string, options?: RequestOptions): PendingResponse
  request(request: TestRequest): PendingResponse
  /** The caller's cookies by name. */
  readonly cookies: ReadonlyMap<string, string>
}

export interface ClientOptions {
  readonly transport: Transport
  /** The URL of the application as its links show it; default: the origin of the transport. */
  readonly publicUrl: string | undefined
  /** Sent with every request, such as the caller's token. */
  readonly headers: RequestHeaders
  readonly clock: () => Date
  /** The errors of the application that caused a response with 5xx. */
  readonly errors: Recorder<unknown>
  /** Throws if requests can no longer be sent. */
  readonly checkOpen: () => void
}

export function createTestClient(options: ClientOptions): TestClient {
  const jar = createCookieJar(options.clock)
  const request: TestClient['request'] = sent => createPendingResponse(send(sent, jar, options))
  return {
    request,
    get: (path, rest) => request({ ...rest, method: 'GET', path }),
    head: (path, rest) => request({ ...rest, method: 'HEAD', path }),
    options: (path, rest) => request({ ...rest, method: 'OPTIONS', path }),
    post: (path, body, rest) => request({ ...rest, method: 'POST', path, body }),
    put: (path, body, rest) => request({ ...rest, method: 'PUT', path, body }),
    patch: (path, body, rest) => request({ ...rest, method: 'PATCH', path, body }),
    delete: (path, rest) => request({ ...rest, method: 'DELETE', path }),
    get cookies() {
      return jar.values
    },
  }
}

async function send(request: TestRequest, jar: CookieJar, options: ClientOptions): Promise<TestResponse> {
  const { transport, publicUrl = transport.origin, headers, errors, checkOpen } = options
  checkOpen()
  const { method } = request
  const { origin } = new URL(publicUrl)
  const url = addQuery(toPath(request.path, origin), request.query)
  const { body, contentType } = await encodeBody(request.body)
  const fields = mergeHeaders(
    headers,
    { 'content-type': contentType, 'content-length': body === undefined ? undefined : String(Buffer.byteLength(body)) },
    formatCookies(method, jar, origin),
    request.headers ?? {},
  )
  const { result, items } = await errors.record(() => transport.send({ method, url, headers: fields, body }))
  jar.store([result.headers['set-cookie'] ?? []].flat())
  return createResponse({ request: `${method} ${url}`, response: result, errors: items })
}

// A browser sends Origin with unsafe requests; the pages' scripts add the CSRF token.
function formatCookies(method: string, jar: CookieJar, origin: string): RequestHeaders {
  const cookie = jar.format()
  if (cookie === undefined || isSafe(method)) return { cookie }
  return { cookie, origin, 'x-csrftoken': jar.values.get(csrfCookie) }
}

/** The safe methods of RFC 9110 §9.2.1. */
const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)

function toPath(path: string, origin: string): string {
  if (typeof path !== 'string') throw new TypeError(`the path is ${path}: give a text such as "/orders/"`)
  if (path.startsWith(`${origin}/`)) return path.slice(origin.length)
  if (path.startsWith('/')) return path
  if (URL.canParse(path))
    throw new Error(`the URL "${path}" is not one of the tested API, which is at ${origin}/: give a path`)
  throw new Error(`the path "${path}" must begin with a slash: write "/${path}"`)
}

function addQuery(path: string, query: RequestOptions['query'] = {}): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    [value ?? []].flat().map(item => [name, String(item)] as [string, string]),
  )
  if (parameters.length === 0) return path
  return `${path}${path.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`
}

// Later fields replace earlier ones, whatever the case of their names.
function mergeHeaders(...all: readonly RequestHeaders[]): Record<string, string | string[]> {
  const merged: Record<string, string | string[]> = {}
  for (const [name, value] of all.flatMap(headers => Object.entries(headers))) {
    if (value === undefined) delete merged[name.toLowerCase()]
    else merged[name.toLowerCase()] = typeof value === 'string' ? value : [...value]
  }
  return merged
}
