// The discovery document and the keys of a provider that a test controls: it can replace each response, and stop the
// server and start it again on the same port.

import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK } from 'jose'

export const discoveryPath = '/.well-known/openid-configuration'
export const keysPath = '/keys'

export interface SigningKey {
  readonly alg: string
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicJwk: JWK
}

export async function createSigningKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

/** A body to send as JSON, or a function that writes the response. */
export type Reply = object | ((response: ServerResponse) => void)

export interface KeyServer {
  readonly issuer: string
  /** The paths of all requests so far. */
  readonly requests: string[]
  /** Replaces the reply of a path. */
  reply(path: string, reply: Reply): void
  stop(): Promise<void>
  restart(): Promise<void>
}

export async function startKeyServer(keys: readonly JWK[]): Promise<KeyServer> {
  const replies = new Map<string, Reply>()
  const requests: string[] = []
  let server: Server
  const start = async (port: number) => {
    server = createServer(({ url = '' }, response) => {
      requests.push(url)
      const reply = replies.get(url)
      if (typeof reply === 'function') reply(response)
      else if (reply === undefined) response.writeHead(404).end()
      else response.setHeader('content-type', 'application/json').end(JSON.stringify(reply))
    })
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await start(0)
  const issuer = `http://127.0.0.1:${port}`
  replies.set(discoveryPath, { issuer, jwks_uri: issuer + keysPath })
  replies.set(keysPath, { keys })
  return {
    issuer,
    requests,
    reply: (path, reply) => void replies.set(path, reply),
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
    restart: async () => void (await start(port)),
  }
}
