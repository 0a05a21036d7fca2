import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Keeps tokens that must be shown again readable for the service alone, and lets them be found without being read.
 * A stolen database without the service's secret holds neither.
 */
export interface Encryption {
  /**
   * Encrypts and authenticates the text with the first secret, bound to its context (such as the owner's id). Two
   * encryptions of the same text differ. One secret is good for 2^32 of them (NIST SP 800-38D §8.3).
   */
  encrypt(plain: string, context: string): string
  /** The text; undefined where none of the secrets encrypted it in this context. Never throws. */
  decrypt(encrypted: string, context: string): string | undefined
  /** SHA-256 in hex, to find a token by; only for random texts, which cannot be guessed from it. */
  digest(token: string): string
}

/** The current secret, and after it earlier ones that are still accepted. */
export type Secrets = readonly [current: string, ...fallbacks: string[]]

/** Characters; RFC 5869 §4 does not make a guessable secret stronger. */
export const minSecretLength = 32

/** Throws a RangeError when a secret is shorter than {@link minSecretLength}. */
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

/** A secret for another purpose, in base64url; nobody finds one from the other. */
export const deriveSecret = (secret: string, purpose: string): string =>
  deriveKey(secret, `resource-api ${purpose} v1`).toString('base64url')

/** As `deriveSecret`, of each of the secrets. */
export const deriveSecrets = (secrets: Secrets, purpose: string): readonly string[] =>
  secrets.map(secret => deriveSecret(secret, purpose))

/** The text form is `v1.` and the base64url of nonce, ciphertext and tag. */
const version = 'v1.'
const cipher = 'aes-256-gcm'
/** Bytes; the random nonce and the tag of NIST SP 800-38D §8.2.2 and §5.2.1.2. */
const nonceLength = 12
const tagLength = 16

function checkSecret(secret: string) {
  if (secret.length >= minSecretLength) return
  throw new RangeError(
    `The secret has ${secret.length} characters; give ${minSecretLength} random ones or more, ` +
      'for example those of "openssl rand -base64 32".',
  )
}

/** HKDF-SHA-256 (RFC 5869) without salt; another purpose yields an unrelated key. */
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
  // Buffer skips what is not base64url; only the spelling that encrypt() writes is accepted.
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
