import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Encrypts tokens that the service must show again, and hashes tokens for lookup. A stolen database reveals no token
 * without the service's secret.
 */
export interface Encryption {
  /**
   * Encrypts and authenticates the text with the first secret, bound to its context (such as the owner's id). Two
   * encryptions of the same text differ. One secret allows 2^32 encryptions (NIST SP 800-38D §8.3).
   */
  encrypt(plain: string, context: string): string
  /** Returns the text, or undefined if no secret decrypts it in this context. Never throws. */
  decrypt(encrypted: string, context: string): string | undefined
  /** SHA-256 in hex, for token lookup. Use it only for random texts: others could be guessed from the digest. */
  digest(token: string): string
}

/** The current secret, followed by earlier secrets that are still accepted. */
export type Secrets = readonly [current: string, ...fallbacks: string[]]

/** In characters. HKDF does not make a guessable secret stronger (RFC 5869 §4). */
const minSecretLength = 32

/** Throws a RangeError if a secret is shorter than {@link minSecretLength}. */
export function createEncryption(secrets: Secrets): Encryption {
  for (const secret of secrets) checkSecret(secret)
  const [key, ...fallbacks] = secrets.map(secret => deriveKey(secret, 'resource-api sealing v1 aes-256-gcm'))
  return {
    encrypt: (plain, context) => version + encrypt(key!, plain, context).toString('base64url'),
    decrypt(encrypted, context) {
      const bytes = parseEncrypted(encrypted)
      if (bytes === undefined) return undefined
      return (
        decrypt(key!, bytes, context) ??
        fallbacks.map(fallback => decrypt(fallback, bytes, context)).find(plain => plain !== undefined)
      )
    },
    digest: token => hash('sha256', token),
  }
}

/** A value that a browser keeps for a while, such as in a hidden field: it can neither read nor change it. */
export interface Seals<Value extends object> {
  /** The text to keep. It works only in the same context. */
  seal(value: Value, context: string): string
  /** Reads such a text; undefined if it is too old, or not one of this context. `expires`: in milliseconds since 1970. */
  open(sealed: string, context: string): (Value & { readonly expires: number }) | undefined
}

/** `lifetime`: in milliseconds. */
export function createSeals<Value extends object>(secrets: Secrets, lifetime: number, clock: () => Date): Seals<Value> {
  const { encrypt, decrypt } = createEncryption(secrets)
  return {
    seal: (value, context) => encrypt(JSON.stringify({ ...value, expires: clock().getTime() + lifetime }), context),
    open(sealed, context) {
      const text = decrypt(sealed, context)
      const value = text === undefined ? undefined : (JSON.parse(text) as Value & { readonly expires: number })
      return value !== undefined && value.expires > clock().getTime() ? value : undefined
    },
  }
}

/** Derives a secret for one purpose, in base64url. Derived secrets do not reveal each other or the original. */
export const deriveSecret = (secret: string, purpose: string): string =>
  deriveKey(secret, `resource-api ${purpose} v1`).toString('base64url')

/** Applies {@link deriveSecret} to each secret. */
export const deriveSecrets = (secrets: Secrets, purpose: string): readonly string[] =>
  secrets.map(secret => deriveSecret(secret, purpose))

/** The encrypted text is `v1.` followed by the base64url of nonce, ciphertext and tag. */
const version = 'v1.'
const cipher = 'aes-256-gcm'
/** In bytes; NIST SP 800-38D §8.2.2 (random nonce) and §5.2.1.2 (tag). */
const nonceLength = 12
const tagLength = 16

function checkSecret(secret: string) {
  if (secret.length >= minSecretLength) return
  throw new RangeError(
    `The secret has ${secret.length} characters; use at least ${minSecretLength} random characters, ` +
      'for example the output of "openssl rand -base64 32".',
  )
}

/** HKDF-SHA-256 (RFC 5869) without salt; each purpose yields an unrelated key. */
function deriveKey(secret: string, purpose: string) {
  return Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
}

function encrypt(key: Buffer, plain: string, context: string) {
  const nonce = randomBytes(nonceLength)
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagLength })
  encryption.setAAD(Buffer.from(context))
  const text = [encryption.update(plain, 'utf8'), encryption.final()]
  return Buffer.concat([nonce, ...text, encryption.getAuthTag()])
}

function parseEncrypted(encrypted: string): Buffer | undefined {
  if (!encrypted.startsWith(version)) return undefined
  const text = encrypted.slice(version.length)
  const bytes = Buffer.from(text, 'base64url')
  // Buffer skips characters outside base64url, so check that the text is exactly what encrypt() writes.
  const isExact = bytes.toString('base64url') === text
  return isExact && bytes.length >= nonceLength + tagLength ? bytes : undefined
}

function decrypt(key: Buffer, bytes: Buffer, context: string): string | undefined {
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceLength), {
    authTagLength: tagLength,
  })
  decryption.setAAD(Buffer.from(context))
  decryption.setAuthTag(bytes.subarray(-tagLength))
  const text = bytes.subarray(nonceLength, -tagLength)
  try {
    return Buffer.concat([decryption.update(text), decryption.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
