import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Keeps keys that must be answered again readable for the service alone, and findable without reading them.
 * A stolen database without the service's secret holds neither.
 */
export interface Sealer {
  /**
   * Encrypts and authenticates the text, bound to its context (such as the owner's id). Two seals of the
   * same text differ. One secret is good for 2^32 seals (NIST SP 800-38D §8.3).
   */
  seal(plain: string, context: string): string
  /** The text, or undefined for what this secret did not seal in this context. Never throws. */
  unseal(sealed: string, context: string): string | undefined
  /** SHA-256 in hex, for the look-up; only for random keys, which cannot be guessed from it. */
  digest(key: string): string
}

/** Characters; RFC 5869 §4 does not make a guessable secret stronger. */
export const minSecretLength = 32

/** Throws a RangeError when the secret is shorter than {@link minSecretLength}. */
export function createEncryption(secret: string): Sealer {
  checkSecret(secret)
  const key = deriveKey(secret, 'resource-api sealing v1 aes-256-gcm')
  return {
    seal: (plain, context) => version + encrypt(key, plain, context).toString('base64url'),
    unseal(sealed, context) {
      const bytes = parseSealed(sealed)
      return bytes && decrypt(key, bytes, context)
    },
    digest: key => hash('sha256', key),
  }
}

/** A secret for another purpose, in base64url; nobody finds one from the other. */
export const deriveSecret = (secret: string, purpose: string): string =>
  deriveKey(secret, `resource-api ${purpose} v1`).toString('base64url')

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

function parseSealed(sealed: string): Buffer | undefined {
  if (!sealed.startsWith(version)) return undefined
  const text = sealed.slice(version.length)
  const bytes = Buffer.from(text, 'base64url')
  // Buffer skips what is not base64url; only the spelling that seal() writes is accepted.
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
