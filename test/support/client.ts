// One client for services in the process and over a socket, over the transports of the test kit.

import type { FastifyInstance } from 'fastify'
import { checkTransport } from '../../src/testing/checked-transport.ts'
import {
  type HeaderFields,
  injectTransport,
  listenTransport,
  socketTransport,
  type Transport,
} from '../../src/testing/transport.ts'

export interface RequestOptions {
  readonly headers?: HeaderFields
  /** A raw body; its content type is in `headers`. */
  readonly body?: string | Buffer
  /** A body to send as JSON. */
  readonly json?: unknown
  /** A body to send as a form. */
  readonly form?: Readonly<Record<string, string>> | readonly (readonly [string, string])[]
  /** A token to authenticate with. */
  readonly token?: string
  /** `username:password` to authenticate with. */
  readonly basic?: string
}

export interface TestResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test knows what it expects
  json(): any
}

export interface Client {
  request(method: string, url: string, options?: RequestOptions): Promise<TestResponse>
  get(url: string, options?: RequestOptions): Promise<TestResponse>
  post(url: string, options?: RequestOptions): Promise<TestResponse>
  put(url: string, options?: RequestOptions): Promise<TestResponse>
  patch(url: string, options?: RequestOptions): Promise<TestResponse>
  delete(url: string, options?: RequestOptions): Promise<TestResponse>
  /** `http://host:port` as the service sees it. */
  readonly origin: string
  close(): void
}

/** A client that uses Fastify's `inject`. `checkDocument`: whether responses are compared with the OpenAPI document. */
export const injectClient = (app: FastifyInstance, checkDocument = true): Client =>
  createClient(checkDocument ? checkTransport(injectTransport(app), app) : injectTransport(app))

/** A client for a service that listens at this origin. */
export const connectTo = (origin: string, app?: FastifyInstance): Client =>
  createClient(app === undefined ? socketTransport(origin) : checkTransport(socketTransport(origin), app))

/** Makes the application listen on a free port, and returns a client for it. */
export const socketClient = async (app: FastifyInstance): Promise<Client> =>
  createClient(checkTransport(await listenTransport(app), app))

function createClient({ origin, send, close }: Transport): Client {
  const request: Client['request'] = async (method, url, options = {}) => {
    const { headers, body } = encode(options)
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const response = await send({ method, url, headers: { ...length, ...headers }, body })
    const text = response.body.toString('utf8')
    const fields = response.headers as Readonly<Record<string, string>>
    return { status: response.status, headers: fields, text, json: () => JSON.parse(text) }
  }
  return {
    origin,
    request,
    get: (url, options) => request('GET', url, options),
    post: (url, options) => request('POST', url, options),
    put: (url, options) => request('PUT', url, options),
    patch: (url, options) => request('PATCH', url, options),
    delete: (url, options) => request('DELETE', url, options),
    close,
  }
}

function encode({ headers = {}, body, json, form, token, basic }: RequestOptions) {
  const authorization =
    token === undefined ? basic && `Basic ${Buffer.from(basic).toString('base64')}` : `Token ${token}`
  const identified = { ...(authorization && { authorization }), ...headers }
  if (json !== undefined)
    return { headers: { 'content-type': 'application/json', ...identified }, body: JSON.stringify(json) }
  if (form === undefined) return { headers: identified, body }
  const encoded = new URLSearchParams(form as Record<string, string>).toString()
  return { headers: { 'content-type': 'application/x-www-form-urlencoded', ...identified }, body: encoded }
}

/** `fetch` in the process, for a client of `resource-api/client` with the base URL `http://localhost/`. */
export const injectFetch =
  ({ request, origin }: Client) =>
  async (url: string, { method = 'GET', headers, body }: RequestInit): Promise<Response> => {
    const { status, text, ...received } = await request(method, url.replace(origin, ''), {
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' && { body }),
    })
    return new Response(text === '' ? null : text, { status, headers: received.headers })
  }
