// A real OpenID Connect provider on this machine, with people who log in without a password.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

export interface LoginProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** The people by subject, with their claims. */
  readonly people: Map<string, Readonly<Record<string, unknown>>>
  /** What the userinfo endpoint responds instead of the claims; default: the claims. */
  userinfo: object | undefined
  /** A path whose response has a body that does not end; default: none. */
  endless: string | undefined
  /** The subject of the person who sits at the browser; undefined: the person refuses. */
  person: string | undefined
  /** Goes through the pages of the provider, and returns the URL to which it sends the browser back. */
  visit(url: string): Promise<string>
  /** Replaces the keys with which the provider signs. */
  rotateKeys(): Promise<void>
  /** Signs a token with the key of the provider. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, string>>): Promise<string>
  /** Gets what the provider sends to the client by itself, such as logout tokens; default: nobody. */
  deliver: ((url: string, body: URLSearchParams) => Promise<number>) | undefined
  /** Logs the person of the last visit out at the provider, which tells the client. */
  logOut(): Promise<void>
  /** Stops to listen until `start`. */
  stop(): Promise<void>
  start(): Promise<void>
}

const scopes = ['openid', 'profile', 'email', 'groups']

/** `redirectUris`: where the client may receive codes. */
export async function startLoginProvider(redirectUris: readonly string[]): Promise<LoginProvider> {
  const client = { client_id: 'shop', client_secret: 'a-secret-of-the-shop-with-32-characters' }
  const people: LoginProvider['people'] = new Map()
  let server: Server | undefined
  let port = 0
  let key: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
  let kid: string
  let cookies = new Map<string, string>()
  let handle: (request: IncomingMessage, response: ServerResponse) => void
  const own: LoginProvider = {
    get issuer() {
      return `http://127.0.0.1:${port}`
    },
    clientId: client.client_id,
    clientSecret: client.client_secret,
    people,
    userinfo: undefined,
    endless: undefined,
    person: undefined,
    deliver: undefined,
    async visit(url) {
      cookies = new Map()
      return visit(url, cookies)
    },
    sign: (claims, header = {}) => new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, ...header }).sign(key),
    async logOut() {
      const options = { headers: { cookie: formatCookies(cookies) } }
      const page = await (await fetch(`${own.issuer}/session/end`, options)).text()
      const [, action = ''] = /action="([^"]*)"/.exec(page) ?? []
      const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page) ?? []
      const body = new URLSearchParams({ xsrf, logout: 'yes' })
      const response = await fetch(action, { ...options, method: 'POST', body, redirect: 'manual' })
      if (response.status >= 400) throw new Error(await response.text())
    },
    async rotateKeys() {
      const { privateKey } = await generateKeyPair('RS256', { extractable: true })
      key = privateKey
      kid = `key-${Math.random()}`
      const logout = redirectUris[0]!.replace('callback/', 'backchannel-logout/')
      const metadata = { backchannel_logout_uri: logout, backchannel_logout_session_required: true }
      const jwks = { keys: [{ ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }] }
      const configuration = configure({ ...client, ...metadata, redirect_uris: [...redirectUris] }, people, jwks)
      configuration.fetch = async (url, options) => {
        const status = await own.deliver?.(String(url), new URLSearchParams(String(options?.body)))
        return new Response(null, { status: status ?? 503 })
      }
      const provider = new Provider(own.issuer, configuration)
      handle = (request, response) => {
        if (request.url === own.endless) return sendEndlessBody(response)
        if (own.userinfo !== undefined && request.url === '/me')
          return void response.setHeader('content-type', 'application/json').end(JSON.stringify(own.userinfo))
        if (!request.url!.startsWith('/interaction/')) return provider.callback()(request, response)
        const result =
          own.person === undefined
            ? { error: 'access_denied', error_description: 'The person refused.' }
            : { login: { accountId: own.person } }
        return void provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
      }
    },
    async stop() {
      server?.closeAllConnections()
      server?.close()
      if (server !== undefined) await once(server, 'close')
      server = undefined
    },
    async start() {
      server = createServer((request, response) => handle(request, response))
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
      port = (server.address() as AddressInfo).port
    },
  }
  await own.start()
  await own.rotateKeys()
  return own
}

function configure(
  client: { readonly client_id: string; readonly client_secret: string; readonly redirect_uris: string[] },
  people: LoginProvider['people'],
  jwks: NonNullable<Configuration['jwks']>,
): Configuration {
  return {
    clients: [{ ...client, grant_types: ['authorization_code'], response_types: ['code'] }],
    jwks,
    scopes,
    claims: {
      openid: ['sub'],
      profile: ['preferred_username'],
      email: ['email', 'email_verified'],
      groups: ['groups'],
    },
    pkce: { required: () => true },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    cookies: { keys: ['a key of the cookies of the test'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true },
      backchannelLogout: { enabled: true },
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client!.clientId, accountId: oidc.session!.accountId! })
      grant.addOIDCScope(scopes.join(' '))
      await grant.save()
      return grant
    },
  }
}

const formatCookies = (cookies: ReadonlyMap<string, string>): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

/** Sends JSON until the connection is closed. */
function sendEndlessBody(response: ServerResponse): void {
  const body = Readable.from(
    (function* () {
      yield '{"endless":"'
      for (;;) yield 'x'.repeat(65_536)
    })(),
  )
  response.setHeader('content-type', 'application/json')
  pipeline(body, response, () => undefined)
}

/** Follows the redirects of the provider with a fresh browser. */
async function visit(url: string, cookies: Map<string, string>): Promise<string> {
  const { origin } = new URL(url)
  for (let step = 0; step < 10; step++) {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: formatCookies(cookies) } })
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';', 1)[0]!.split(/=(.*)/)
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    if (location === null) throw new Error(`the provider shows a page: ${response.status} ${await response.text()}`)
    url = new URL(location, url).href
    if (new URL(url).origin !== origin) return url
  }
  throw new Error('the provider does not stop to redirect')
}
