// Sends one request to a server: in the process with Fastify's `inject`, or over a socket.

import { Agent, request as httpRequest } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Header fields by name; a list is sent as several fields. */
export type HeaderFields = Readonly<Record<string, string | string[]>>

/** A request as it is sent. */
export interface RawRequest {
  readonly method: string
  /** The path with its query. */
  readonly url: string
  readonly headers: HeaderFields
  readonly body: string | Uint8Array | undefined
}

/** A response as it arrived; the names of the header fields are in lower case. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

export interface Transport {
  /** `http://host:port` as the server sees it. */
  readonly origin: string
  send(request: RawRequest): Promise<RawResponse>
  /** Closes the connections; the server keeps running. */
  close(): void
}

/** Sends requests in the process, without a socket. */
export const injectTransport = (app: FastifyInstance): Transport => ({
  origin: 'http://localhost',
  async send({ method, url, headers, body }) {
    const response = await app.inject({
      method: method as 'GET',
      url,
      headers: { host: 'localhost', ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : Buffer.from(body) }),
    })
    return {
      status: response.statusCode,
      headers: response.headers as RawResponse['headers'],
      body: response.rawPayload,
    }
  },
  close: () => undefined,
})

/** Sends requests to a server that listens at this origin. */
export function socketTransport(origin: string): Transport {
  const agent = new Agent({ keepAlive: true })
  return { origin, send: request => sendOver(agent, origin, request), close: () => agent.destroy() }
}

/** Makes the application listen on a free port. */
export async function listenTransport(app: FastifyInstance): Promise<Transport> {
  return socketTransport(await app.listen({ host: '127.0.0.1', port: 0 }))
}

function sendOver(agent: Agent, origin: string, { method, url, headers, body }: RawRequest): Promise<RawResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
  const options = { agent, method, path: url, headers }
  const request = httpRequest(`${origin}/`, options, response => {
    const chunks: Buffer[] = []
    response.on('data', chunk => chunks.push(chunk as Buffer))
    response.on('error', reject)
    response.on('end', () =>
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
    )
  })
  request.on('error', reject)
  request.end(body)
  return promise
}
