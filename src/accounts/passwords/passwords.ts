import { argon2, pbkdf2, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createTaskQueue } from '#core'

/** The maximum length of a password, in bytes of UTF-8. A longer password is rejected before it is hashed. */
export const maxPasswordLength = 4096

/**
 * Hashes a password to a PHC string, `$argon2id$v=19$m=…,t=…,p=…$salt$hash` (RFC 9106).
 *
 * The password is not Unicode-normalised, because Django does not normalise it either. Otherwise, users whose imported
 * Django password contains decomposed letters could not log in.
 *
 * Rejects with a RangeError beyond {@link maxPasswordLength}, and with `QueueFull` if too many hashes wait. Needs neither
 * a database nor a secret.
 *
 * @example
 * const stored = await hashPassword('correct horse battery staple')
 * const isValid = await verifyPassword('correct horse battery staple', stored)
 */
export async function hashPassword(password: string): Promise<string> {
  if (isTooLong(password)) throw new RangeError(`A password has at most ${maxPasswordLength} bytes.`)
  const salt = randomBytes(saltLength)
  const cost = currentCost
  const hash = await hashQueue.run(() => deriveArgon2id(password, salt, cost, hashLength))
  return `${formatPrefix(cost)}${toBase64(salt)}$${toBase64(hash)}`
}

/**
 * Whether the password matches the stored hash: an argon2id PHC string, or one of Django's `pbkdf2_sha256$…`, `scrypt$…` and
 * `argon2$argon2id$…`. Returns false for a stored value that is null or malformed, after as much work
 * as for a wrong password. Rejects with `QueueFull` if too many hashes wait.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  if (isTooLong(password)) return false
  const parsed = parseStored(stored ?? '')
  const { derive, hash } = parsed ?? createDummy()
  const isSame = timingSafeEqual(await hashQueue.run(() => derive(password)), hash)
  return isSame && parsed !== undefined
}

/** Whether the text is a hash that {@link verifyPassword} can check. */
export function isPasswordHash(text: string): boolean {
  return parseStored(text) !== undefined
}

/** Whether the stored hash has an old format or cost, so that the password should be hashed again. */
export function needsRehash(stored: string): boolean {
  return !stored.startsWith(formatPrefix(currentCost)) || parseArgon2id(stored) === undefined
}

interface Argon2Cost {
  /** KiB. */
  memory: number
  passes: number
  parallelism: number
}

interface StoredPassword {
  hash: Buffer
  /** Resolves to a hash of the same length as `hash`. */
  derive(password: string): Promise<Buffer>
}

/** OWASP Password Storage Cheat Sheet, argon2id. */
const usualCost: Argon2Cost = { memory: 19_456, passes: 2, parallelism: 1 }
let currentCost = usualCost

/**
 * Sets the cost of hashes in this process, for tests that are not about it: the lowest one, or the usual one again.
 * Throws an error unless `scripts/test.ts` started this process, so no service can have cheap hashes.
 *
 * @internal
 */
export function setHashCost(cost: 'lowest' | 'usual'): void {
  if (process.env.TEST_HASH_COST !== 'any') throw new Error('only tests may change the cost of hashes')
  currentCost = cost === 'usual' ? usualCost : { memory: 8, passes: 1, parallelism: 1 }
}

const formatPrefix = ({ memory, passes, parallelism }: Argon2Cost) =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`

/** In bytes; RFC 9106 §4. */
const saltLength = 16
const hashLength = 32

/**
 * The highest accepted cost of a stored hash. 128 MiB covers the defaults of Django (100 MiB) and argon2-cffi (64 MiB).
 */
const maxCost = { memory: 131_072, passes: 10, parallelism: 16, iterations: 10_000_000, blockSize: 32 }

const runArgon2 = promisify(argon2)
const runPbkdf2 = promisify(pbkdf2)
const runScrypt = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)

/** Leaves two of the four threads of libuv's pool free for file system and DNS work. */
const hashQueue = createTaskQueue({ maxRunning: 2, maxWaiting: 100 })

/** Verified in place of a missing hash, so that unknown users take as long as known ones. */
const createDummy = () => createArgon2id(currentCost, Buffer.alloc(saltLength), Buffer.alloc(hashLength))

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
  return parseArgon2id(stored.replace(/^argon2(?=\$)/, '')) ?? parsePbkdf2(stored) ?? parseScrypt(stored)
}

/** Salts of 8 to 64 bytes, hashes of 16 to 64 bytes, both in base64 without padding. */
const phcPattern =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{22,86})$/

function parseArgon2id(stored: string): StoredPassword | undefined {
  const [, m, t, p, salt = '', hash = ''] = phcPattern.exec(stored) ?? []
  const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) }
  if (!isAcceptableCost(cost)) return undefined
  return createArgon2id(cost, Buffer.from(salt, 'base64'), Buffer.from(hash, 'base64'))
}

/** Minimum values: RFC 9106 §3.1. NaN, from a string that did not match, is rejected too. */
function isAcceptableCost({ memory, passes, parallelism }: Argon2Cost) {
  const isEnough = passes >= 1 && parallelism >= 1 && memory >= 8 * parallelism
  return isEnough && memory <= maxCost.memory && passes <= maxCost.passes && parallelism <= maxCost.parallelism
}

function createArgon2id(cost: Argon2Cost, salt: Buffer, hash: Buffer): StoredPassword {
  return { hash, derive: password => deriveArgon2id(password, salt, cost, hash.length) }
}

/** Django's `PBKDF2PasswordHasher`: a text salt, and a hash of 32 bytes in padded base64. */
const pbkdf2Pattern = /^pbkdf2_sha256\$([1-9]\d{0,7})\$([^$]{1,128})\$([A-Za-z\d+/]{43}=)$/

function parsePbkdf2(stored: string): StoredPassword | undefined {
  const [, iterations, salt = '', hash = ''] = pbkdf2Pattern.exec(stored) ?? []
  if (!(Number(iterations) <= maxCost.iterations)) return undefined
  const derive = (password: string) => runPbkdf2(password, salt, Number(iterations), 32, 'sha256')
  return { hash: Buffer.from(hash, 'base64'), derive }
}

/** Django's `ScryptPasswordHasher`: the work factor, a text salt, the block size, the parallelism, and a hash of 64 bytes. */
const scryptPattern = /^scrypt\$([1-9]\d{0,6})\$([^$]{1,128})\$([1-9]\d?)\$([1-9]\d?)\$([A-Za-z\d+/]{86}==)$/

function parseScrypt(stored: string): StoredPassword | undefined {
  const [, workFactor, salt = '', blockSize, parallelism, hash = ''] = scryptPattern.exec(stored) ?? []
  const [N, r, p] = [Number(workFactor), Number(blockSize), Number(parallelism)]
  const memory = 128 * N * r
  const isPowerOfTwo = N > 1 && Number.isInteger(Math.log2(N))
  if (!isPowerOfTwo || r > maxCost.blockSize || p > maxCost.parallelism || memory > 1024 * maxCost.memory)
    return undefined
  // Besides the table of N blocks, it needs a few blocks.
  const options = { N, r, p, maxmem: memory + 128 * r * (p + 3) }
  return { hash: Buffer.from(hash, 'base64'), derive: password => runScrypt(password, salt, 64, options) }
}
