import { hash, hkdfSync } from 'node:crypto'
import { listSecrets, type Secret } from '../../base/secret.ts'
import { createSipHash, maxTextLength } from './siphash.ts'

/** Computes the digest of a text, in the alphabet of base64url. Nobody can find two texts with the same digest. */
export type Digest = (text: string) => string

/**
 * Creates the digest of an API. With a secret, that of short texts is SipHash, whose key nobody knows; it takes less time than
 * SHA-256 (decision 067).
 */
export function createDigest(secret: Secret | undefined): Digest {
  if (secret === undefined) return sha256
  const [current] = listSecrets(secret) as [string, ...string[]]
  const sipHash = createSipHash(new Uint8Array(hkdfSync('sha256', current, '', 'entity tags', 16)))
  return text => (text.length <= maxTextLength ? sipHash(text) : sha256(text))
}

// 162 bits.
const sha256: Digest = text => hash('sha256', text, 'base64url').slice(0, 27)
