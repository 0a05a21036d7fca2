// The codes of authenticator apps: TOTP (RFC 6238) with what every app knows, SHA-1, six digits and thirty seconds.

import { createHmac, randomBytes } from 'node:crypto'

/** In seconds. */
const period = 30
const digits = 6
/** How many steps the clock of a phone may differ. */
const tolerance = 1

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A random text in base32 (RFC 4648), of 5 bits per character. */
export const randomBase32 = (length: number): string =>
  Array.from(randomBytes(length), byte => alphabet[byte % 32]).join('')

/** A new secret of 160 bits in base32. */
export const createTotpSecret = (): string => randomBase32(32)

/**
 * The number of the step to which this code belongs, near `seconds` since 1970; undefined if it is wrong. Only steps after `lastStep`
 * count, so that no code works twice.
 */
export function findTotpStep(
  secret: string,
  code: string,
  { seconds, lastStep }: { readonly seconds: number; readonly lastStep: number },
): number | undefined {
  const now = Math.floor(seconds / period)
  for (let step = now - tolerance; step <= now + tolerance; step++)
    if (step > lastStep && createTotpCode(secret, step) === code) return step
  return undefined
}

export function createTotpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The address that an authenticator app reads. */
export function formatTotpUri(
  secret: string,
  { site, username }: { readonly site: string; readonly username: string },
): string {
  const label = `${encodeURIComponent(site)}:${encodeURIComponent(username)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(site)}`
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, character => alphabet.indexOf(character).toString(2).padStart(5, '0')).join('')
  return Buffer.from(bits.match(/.{8}/g)!.map(byte => Number.parseInt(byte, 2)))
}
