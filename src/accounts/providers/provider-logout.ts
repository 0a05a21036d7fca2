// Checks the tokens with which a provider ends sessions here (OpenID Connect Back-Channel Logout 1.0 §2.6).

import { createRequire } from 'node:module'
import type * as Jose from 'jose'
import { isObject } from '#core'

/** A logout token that was checked. The sessions end that match `subject` and `sid`; an undefined one matches all of the issuer. */
export interface ProviderLogout {
  readonly issuer: string
  readonly subject: string | undefined
  readonly sid: string | undefined
  /** The token's own key, which works once. */
  readonly jti: string
  /** In milliseconds since 1970: the token is refused from then on. */
  readonly expires: number
}

type LogoutVerifier = (
  token: string,
  provider: { readonly issuer: string; readonly jwks_uri?: string | undefined },
) => Promise<ProviderLogout>

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** In seconds. */
const [maxAge, clockTolerance] = [600, 60]
/** In milliseconds: a provider may have replaced its keys a moment ago. */
const cooldownDuration = 5000

/** `fetch`: fetches the keys of the provider. */
export function createLogoutVerifier(
  clientId: string,
  fetch: (url: string, options: never) => Promise<Response>,
  clock: () => Date,
): LogoutVerifier {
  const jose = loadJose()
  let keys: { readonly url: string; readonly find: Jose.JWTVerifyGetKey } | undefined
  const findKeys = (url: string) => {
    const options = { cooldownDuration, [jose.customFetch]: fetch as Jose.FetchImplementation }
    if (keys?.url !== url) keys = { url, find: jose.createRemoteJWKSet(new URL(url), options) }
    return keys.find
  }
  return async (token, { issuer, jwks_uri: url }) => {
    if (url === undefined) throw new Error('the provider has no jwks_uri')
    const { payload, protectedHeader } = await jose.jwtVerify(token, findKeys(url), {
      ...{ issuer, audience: clientId, clockTolerance, currentDate: clock(), maxTokenAge: maxAge },
      requiredClaims: ['jti', 'events'],
    })
    const type = (protectedHeader.typ ?? 'jwt').toLowerCase().replace(/^application\//, '')
    if (type !== 'jwt' && type !== 'logout+jwt') throw new Error(`the token has the type ${type}, not logout+jwt`)
    return readLogout(payload, issuer)
  }
}

function readLogout(claims: Jose.JWTPayload, issuer: string): ProviderLogout {
  const { events, jti, sub, sid, iat, exp = Number.POSITIVE_INFINITY } = claims
  if (!isObject(events) || !isObject(events[event])) throw new Error('the token has no event of a logout')
  // An ID token must not work as a logout token.
  if ('nonce' in claims) throw new Error('the token has a nonce')
  if (typeof jti !== 'string' || jti === '') throw new Error('the token has no jti')
  for (const value of [sub, sid])
    if (value !== undefined && (typeof value !== 'string' || value.includes('\0')))
      throw new Error('sub or sid is not a text')
  if (sub === undefined && sid === undefined) throw new Error('the token has neither sub nor sid')
  const expires = 1000 * (Math.min(exp, iat! + maxAge) + clockTolerance + 1)
  return { issuer, subject: sub, sid: sid as string | undefined, jti, expires }
}

/** The package that openid-client brings. */
function loadJose(): typeof Jose {
  const { resolve } = createRequire(import.meta.url)
  return createRequire(resolve('openid-client'))('jose')
}
