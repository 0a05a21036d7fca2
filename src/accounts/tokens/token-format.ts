// The format of named tokens. Secret scanners recognise the prefix, and the checksum detects typing errors.

import { randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 base62 characters hold 178 bits; six hold any CRC-32. */
const randomLength = 30
const checksumLength = 6

const pattern = new RegExp(`^[A-Za-z][A-Za-z0-9]*_([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`)

/** Creates a token: the prefix, 30 random characters, and their checksum, like GitHub's tokens. */
export function createNamedToken(prefix: string): string {
  const random = Array.from({ length: randomLength }, () => alphabet[randomInt(alphabet.length)]).join('')
  return prefix + random + checksum(random)
}

/** Returns whether the text has this format, with any prefix and a correct checksum. */
export function isNamedToken(text: string): boolean {
  const [, random = '', sum] = pattern.exec(text) ?? []
  return sum !== undefined && checksum(random) === sum
}

function checksum(text: string): string {
  let digits = ''
  for (let value = crc32(text); value > 0; value = Math.floor(value / alphabet.length))
    digits = alphabet[value % alphabet.length] + digits
  return digits.padStart(checksumLength, '0')
}
