// A server whose responses a test decides, such as those of a proxy that fails.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Responds to a request; `attempt` counts from 1. */
export type Respond = (response: ServerResponse, request: ReceivedRequest, attempt: number) => void

export interface ScriptedServer {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
}

/** Starts a server, until the test ends. */
export async function startScriptedServer(context: TestContext, respond: Respond): Promise<ScriptedServer> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = await incoming.toArray()
    const { method = '', url = '', headers } = incoming
    const request = { method, url, headers, body: Buffer.concat(chunks).toString() }
    requests.push(request)
    respond(response, request, requests.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`, requests }
}

/** Responds with JSON. */
export const sendJson = (response: ServerResponse, status: number, data: unknown, headers: object = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(data))
