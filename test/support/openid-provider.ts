// A real OpenID Connect provider on this machine, whose access tokens are JWTs for one API.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

export interface OpenIdProvider {
  readonly issuer: string
  /** Gets an access token by client credentials, for the API with this URL. */
  issueToken(resource: string, scope: string): Promise<string>
  stop(): Promise<void>
}

const client = { client_id: 'robot', client_secret: 'a-secret-of-the-robot' }
const scope = 'notes:read notes:write'

export async function startProvider(): Promise<OpenIdProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    clients: [{ ...client, grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'provider-1', alg: 'RS256', use: 'sig' }] },
    scopes: scope.split(' '),
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_context, resource) => ({ scope, audience: resource, accessTokenFormat: 'jwt' }),
      },
    },
  })
  server.on('request', provider.callback())
  return {
    issuer,
    async issueToken(resource, scope) {
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
      })
      const body = (await response.json()) as { access_token?: string }
      if (body.access_token === undefined) throw new Error(JSON.stringify(body))
      return body.access_token
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
