// Finds the provider's public keys: by discovery (OpenID Connect Discovery §4), unless their URL is configured.

import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose'
import { type FetchLimits, fetchJson } from './fetch-json.ts'
import { createLocalJWKSet } from './jose.ts'
import { isKeyUrl } from './secure-url.ts'

export interface KeyLocation {
  readonly issuer: string
  readonly jwksUri: string | undefined
}

/** Rejects if the provider cannot be reached, names another issuer, or has no usable key. */
export async function loadKeys({ issuer, jwksUri }: KeyLocation, limits: FetchLimits): Promise<JWTVerifyGetKey> {
  const url = jwksUri ?? (await discoverKeys(issuer, limits))
  const keys = readPublicKeys(await fetchJson(url, limits))
  if (keys.length === 0) throw new Error(`${url} has no public keys for signatures`)
  return createLocalJWKSet({ keys })
}

async function discoverKeys(issuer: string, limits: FetchLimits): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const metadata = (await fetchJson(url, limits)) as { issuer?: unknown; jwks_uri?: unknown } | null
  // Otherwise, one provider could speak for another (OpenID Connect Discovery §4.3).
  if (metadata?.issuer !== issuer)
    throw new Error(`${url} names the issuer ${quote(metadata?.issuer)}, not "${issuer}"`)
  if (!isKeyUrl(metadata.jwks_uri, issuer))
    throw new Error(`${url} has the jwks_uri ${quote(metadata.jwks_uri)}: no https URL`)
  return metadata.jwks_uri
}

const quote = (value: unknown): string => String(JSON.stringify(value)).slice(0, 200)

/** Symmetric keys and encryption keys are left out: no signature may be verified with them. */
function readPublicKeys(document: unknown): JSONWebKeySet['keys'] {
  const keys = (document as { keys?: unknown } | null)?.keys
  return Array.isArray(keys) ? keys.filter(isPublicKey) : []
}

const isPublicKey = (key: { kty?: unknown; use?: unknown; d?: unknown } | null): boolean =>
  ['RSA', 'EC', 'OKP'].includes(String(key?.kty)) && key?.use !== 'enc' && key?.d === undefined
