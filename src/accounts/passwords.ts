import { argon2, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createTaskQueue } from '../framework/task-queue.ts'

/** The longest password that is hashed, in bytes of UTF-8; a longer one is refused before any work. */
export const maxPasswordLength = 4096

/**
 * The password as a PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$hash` (RFC 9106).
 *
 * The password is hashed as it was given, without Unicode normalisation: Django does so too, and whoever
 * typed a decomposed letter there could not log in here after any other choice.
 *
 * Rejects with a RangeError beyond {@link maxPasswordLength}, with `QueueFull` when too many hashes wait.
 */
export async function hashPassword(password: string): Promise<string> {
  if (isTooLong(password)) throw new RangeError(`A password has at most ${maxPasswordLength} bytes.`)
  const salt = randomBytes(saltLength)
  const hash = await hashing.run(() => deriveArgon2id(password, salt, current, hashLength))
  return `${currentPrefix}${toBase64(salt)}$${toBase64(hash)}`
}

/**
 * Whether the password is the stored one: an argon2id PHC string, or Django's
 * `pbkdf2_sha256$iterations$salt$hash`. A stored value that is null, unusable or malformed answers false
 * at the price of a wrong password in our own format. Rejects with `QueueFull` when too many hashes wait.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (isTooLong(password)) return false
  const known = parseStored(stored ?? '')
  const { derive, hash } = known ?? decoy
  const isSame = timingSafeEqual(await hashing.run(() => derive(password)), hash)
  return isSame && known !== undefined
}

/** Whether the whole string is a hash that {@link verifyPassword} can check. */
export function isPasswordHash(text: string): boolean {
  return parseStored(text) !== undefined
}

/** Whether a password that was just verified should be hashed and stored anew: other format, other cost. */
export function needsRehash(stored: string): boolean {
  return !stored.startsWith(currentPrefix) || parseArgon2id(stored) === undefined
}

interface Argon2Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

interface StoredPassword {
  hash: Buffer
  /** Answers as many bytes as `hash` has. */
  derive(password: string): Promise<Buffer>
}

/** OWASP Password Storage Cheat Sheet, argon2id. */
const current: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 }
const currentPrefix = `$argon2id$v=19$m=${current.memory},t=${current.passes},p=${current.parallelism}$`
/** Bytes; RFC 9106 §4. */
const saltLength = 16
const hashLength = 32

/** What a stored string may ask for: 128 MiB covers the defaults of Django (100 MiB) and argon2-cffi (64). */
const most = { memory: 131_072, passes: 10, parallelism: 16, iterations: 10_000_000 }

const runArgon2 = promisify(argon2)
const runPbkdf2 = promisify(pbkdf2)

/** Two of the four threads of libuv's pool stay free for file system and name look-ups. */
const hashing = createTaskQueue({ running: 2, maxWaiting: 100 })

const decoy = createArgon2id(current, Buffer.alloc(saltLength), Buffer.alloc(hashLength))

function isTooLong(password: string) {
  return Buffer.byteLength(password) > maxPasswordLength
}

function deriveArgon2id(password: string, salt: Buffer, cost: Argon2Cost, length: number) {
  return runArgon2('argon2id', { message: password, nonce: salt, tagLength: length, ...cost })
}

function toBase64(bytes: Buffer) {
  return bytes.toString('base64').replaceAll('=', '')
}

function parseStored(stored: string): StoredPassword | undefined {
  return parseArgon2id(stored) ?? parseDjango(stored)
}

/** Salts of 8 to 64 bytes, hashes of 16 to 64, both in base64 without padding. */
const phc = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{22,86})$/

function parseArgon2id(stored: string): StoredPassword | undefined {
  const [, m, t, p, salt = '', hash = ''] = phc.exec(stored) ?? []
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  if (!isAffordable(cost)) return undefined
  return createArgon2id(cost, Buffer.from(salt, 'base64'), Buffer.from(hash, 'base64'))
}

/** Least values: RFC 9106 §3.1. A string that did not match arrives here as NaN and is refused as well. */
function isAffordable({ memory, passes, parallelism }: Argon2Cost) {
  const isEnough = passes >= 1 && parallelism >= 1 && memory >= 8 * parallelism
  return isEnough && memory <= most.memory && passes <= most.passes && parallelism <= most.parallelism
}

function createArgon2id(cost: Argon2Cost, salt: Buffer, hash: Buffer): StoredPassword {
  return { hash, derive: password => deriveArgon2id(password, salt, cost, hash.length) }
}

/** Django's `PBKDF2PasswordHasher`: the salt is text, the hash 32 bytes in padded base64. */
const django = /^pbkdf2_sha256\$([1-9]\d{0,7})\$([^$]{1,128})\$([A-Za-z\d+/]{43}=)$/

function parseDjango(stored: string): StoredPassword | undefined {
  const [, iterations, salt = '', hash = ''] = django.exec(stored) ?? []
  if (!(Number(iterations) <= most.iterations)) return undefined
  const derive = (password: string) => runPbkdf2(password, salt, Number(iterations), 32, 'sha256')
  return { hash: Buffer.from(hash, 'base64'), derive }
}
