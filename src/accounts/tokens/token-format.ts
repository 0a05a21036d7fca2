// The form of a named token's key: what scanners of leaked secrets look for, and what a typing error does not pass.

import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 characters of base62 are 178 bits; six hold any CRC-32. */
const randomLength = 30
const checksumLength = 6

const form = new RegExp(`^[A-Za-z][A-Za-z0-9]*_([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`)

/** A new key: the prefix, 30 random characters, and their checksum, as in GitHub's tokens. */
export function createTokenKey(prefix: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return prefix + random + checksum(random)
}

/** Is it a key of this form, whatever its prefix, with the right checksum? */
export function isTokenKey(text: string): boolean {
  const [, random = '', sum] = form.exec(text) ?? []
  return sum !== undefined && checksum(random) === sum
}

function checksum(text: string): string {
  let digits = ''
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / alphabet.length))
    digits = alphabet[rest % alphabet.length] + digits
  return digits.padStart(checksumLength, '0')
}
