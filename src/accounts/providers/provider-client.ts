// The requests to one provider: OpenID Connect, authorization code with PKCE, state and nonce. The library checks the responses, also
// the signature of the ID token.

import { createRequire } from 'node:module'
import type * as OpenIdClient from 'openid-client'
import { isLoopbackUrl, limitBody } from '#core'
import { createLogoutVerifier, type ProviderLogout } from './provider-logout.ts'
import type { ProviderClaims, ProviderSettings } from './provider-settings.ts'

/** The secrets of one login, which only the browser keeps that began it. */
export interface ProviderSecrets {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface ProviderClient {
  /** Resolves to the URL to which the browser goes. Rejects if the provider cannot be reached. */
  begin(): Promise<{ readonly url: URL; readonly secrets: ProviderSecrets }>
  /** Exchanges the code in the query for the claims. Rejects for the reasons of {@link explainFailure}. */
  finish(query: string, secrets: ProviderSecrets): Promise<ProviderClaims>
  /** Checks a logout token. Rejects for the reasons of {@link explainFailure}. */
  verifyLogout(token: string): Promise<ProviderLogout>
  /** The URL at which people log out at the provider; undefined if it has none. */
  findLogoutUrl(returnUrl: string): Promise<URL | undefined>
}

/** Why a login at a provider failed. */
export type ProviderFailure = 'down' | 'denied' | 'failed'

export function createProviderClient(
  settings: ProviderSettings,
  redirectUri: string,
  clock: () => Date,
): ProviderClient {
  const library = loadLibrary()
  const verifyLogout = createLogoutVerifier(settings.clientId, fetchLimited, clock)
  const discovery = createDiscovery(library, settings)
  return {
    async begin() {
      const configuration = await discovery.find()
      const verifier = library.randomPKCECodeVerifier()
      const secrets = { state: library.randomState(), nonce: library.randomNonce(), verifier }
      const url = library.buildAuthorizationUrl(configuration, {
        ...settings.parameters,
        redirect_uri: redirectUri,
        scope: (settings.scopes ?? defaultScopes).join(' '),
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, secrets }
    },
    async finish(query, { state, nonce, verifier }) {
      const configuration = await discovery.refresh()
      const url = new URL(redirectUri)
      url.search = query
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const tokens = await library.authorizationCodeGrant(configuration, url, checks)
      const claims = tokens.claims()!
      if (configuration.serverMetadata().userinfo_endpoint === undefined) return { ...claims }
      const details = await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
      return { ...details, ...claims }
    },
    async verifyLogout(token) {
      return verifyLogout(token, (await discovery.find()).serverMetadata())
    },
    async findLogoutUrl(returnUrl) {
      const configuration = await discovery.find()
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined
      return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUrl })
    },
  }
}

const defaultScopes = ['openid', 'profile', 'email']

/** In seconds: people wait for the provider. */
const timeout = 10
/** In milliseconds: how long the description of a provider is used for the links to it. */
const maxAge = 300_000

/** In bytes: a description, keys or claims are some thousand. */
const maxBytes = 1_000_000

const fetchLimited = async (...request: Parameters<OpenIdClient.CustomFetch>): Promise<Response> =>
  limitBody(await fetch(...(request as Parameters<typeof fetch>)), maxBytes)

interface Discovery {
  /** Fetches the description of the provider, unless it is known. */
  find(): Promise<OpenIdClient.Configuration>
  /** Fetches it in any case. Its keys are fetched again then, so that a provider may replace them at any time. */
  refresh(): Promise<OpenIdClient.Configuration>
}

function createDiscovery(
  library: typeof OpenIdClient,
  { issuer, clientId, clientSecret }: ProviderSettings,
): Discovery {
  const server = new URL(issuer)
  const insecure = isLoopbackUrl(server) ? [library.allowInsecureRequests] : []
  const execute = [library.enableNonRepudiationChecks, ...insecure]
  const options = { execute, timeout, [library.customFetch]: fetchLimited }
  let found: { readonly configuration: Promise<OpenIdClient.Configuration>; readonly time: number } | undefined
  const refresh = () => {
    const configuration = library.discovery(server, clientId, clientSecret, undefined, options)
    const own = { configuration, time: performance.now() }
    found = own
    // A failure is not kept.
    configuration.catch(() => {
      if (found === own) found = undefined
    })
    return configuration
  }
  return {
    find: () => (found !== undefined && performance.now() - found.time < maxAge ? found.configuration : refresh()),
    refresh,
  }
}

/** Finds the reason of a call of the client that was rejected. */
export function explainFailure(error: unknown): ProviderFailure {
  const { code, error: name } = error as { readonly code?: unknown; readonly error?: unknown }
  if (name === 'access_denied') return 'denied'
  // `fetch` rejects with a TypeError if there is no connection.
  return error instanceof TypeError || unreachableCodes.includes(code as string) ? 'down' : 'failed'
}

const unreachableCodes = [
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  // The body is no JSON, or too large.
  'OAUTH_PARSE_ERROR',
  // The keys cannot be fetched.
  'ERR_JWKS_TIMEOUT',
  'ERR_JOSE_GENERIC',
]

function loadLibrary(): typeof OpenIdClient {
  try {
    return createRequire(import.meta.url)('openid-client')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new Error('createAccounts(): providers need the package openid-client: npm install openid-client@6', {
      cause: error,
    })
  }
}
