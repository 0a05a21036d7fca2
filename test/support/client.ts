// One client for services in the process and over a socket.

import { Agent, request as httpRequest } from 'node:http'
import type { FastifyInstance } from 'fastify'

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | string[]>>
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

type Send = (
  method: string,
  url: string,
  headers: Record<string, string | string[]>,
  body: string | Buffer | undefined,
) => Promise<Omit<TestResponse, 'json'>>

/** A client that uses Fastify's `inject`. */
export function injectClient(app: FastifyInstance): Client {
  return createClient('http://localhost', async (method, url, headers, body) => {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { host: 'localhost', ...headers },
      ...(body !== undefined && { payload: body }),
    })
    return {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
      text: response.body,
    }
  })
}

/** A client for a service that listens at this origin. */
export function connectTo(origin: string): Client {
  const agent = new Agent({ keepAlive: true })
  return { ...createClient(origin, sender(origin, agent)), close: () => agent.destroy() }
}

/** Makes the application listen on a free port, and returns a client for it. */
export async function socketClient(app: FastifyInstance): Promise<Client> {
  return connectTo(await app.listen({ host: '127.0.0.1', port: 0 }))
}

function sender(origin: string, agent: Agent): Send {
  return (method, url, headers, body) => {
    const { promise, resolve, reject } = Promise.withResolvers<Omit<TestResponse, 'json'>>()
    const request = httpRequest(`${origin}/`, { agent, method, path: url, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk as Buffer))
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers as Record<string, string>,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    request.on('error', reject)
    request.end(body)
    return promise
  }
}

function createClient(origin: string, send: Send): Client {
  const request: Client['request'] = async (method, url, options = {}) => {
    const { headers, body } = encode(options)
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const response = await send(method, url, { ...length, ...headers }, body)
    return { ...response, json: () => JSON.parse(response.text) }
  }
  return {
    origin,
    request,
    get: (url, options) => request('GET', url, options),
    post: (url, options) => request('POST', url, options),
    put: (url, options) => request('PUT', url, options),
    patch: (url, options) => request('PATCH', url, options),
    delete: (url, options) => request('DELETE', url, options),
    close: () => undefined,
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
