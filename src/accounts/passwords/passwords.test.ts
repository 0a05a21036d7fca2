import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { argon2Sync, pbkdf2Sync, scryptSync } from 'node:crypto'
import { test } from 'node:test'
import { QueueFull } from '../../core/database/task-queue.ts'
import { hashPassword, maxPasswordLength, needsRehash, setHashCost, verifyPassword } from './passwords.ts'

/** From the test suite of the reference implementation (P-H-C/phc-winner-argon2, `src/test.c`). */
const referenceHash = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
/** From Django's test suite (`tests/auth_tests/test_hashers.py`, 1.10). */
const djangoHash = 'pbkdf2_sha256$30000$seasalt$VrX+V8drCGo68wlvy6rfu8i1d1pfkdeXA4LJkRGJodY='

/** What Django 3.2 and its test suite (`ScryptPasswordHasher`, 4.0) make of `lètmein`. */
const newerDjangoHashes = [
  'pbkdf2_sha256$260000$seasalt$YlZ2Vggtqdc61YjArZuoApoBh9JNGYoDRBUGu6tcJQo=',
  'argon2$argon2id$v=19$m=102400,t=2,p=8$c2Vhc2FsdHNlYXNhbHQ$n/a6+o5lve5+w7Q7gx8Uuw',
  'scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw==',
] as const

/** Of `password`, with the lowest cost. */
const lowestHash = '$argon2id$v=19$m=8,t=1,p=1$BwcHBwcHBwcHBwcHBwcHBw$TvJZjSjEyaTxaRflA27IE3+/2/M2EI/A3lqcozmYpVQ'

test('the primitive is argon2id: RFC 9106 §5.3', () => {
  const tag = argon2Sync('argon2id', {
    message: Buffer.alloc(32, 1),
    nonce: Buffer.alloc(16, 2),
    secret: Buffer.alloc(8, 3),
    associatedData: Buffer.alloc(12, 4),
    memory: 32,
    passes: 3,
    parallelism: 4,
    tagLength: 32,
  })
  assert.equal(tag.toString('hex'), '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659')
})

test('a password is stored as a PHC string with the OWASP parameters and a random salt', async t => {
  // The other files of this process may have cheap hashes.
  const wasLowest = !needsRehash(lowestHash)
  setHashCost('usual')
  t.after(() => setHashCost(wasLowest ? 'lowest' : 'usual'))
  const [stored, secondHash] = await Promise.all([hashPassword('lètmein'), hashPassword('lètmein')])
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{43}$/)
  assert.notEqual(stored, secondHash)
  assert.equal(await verifyPassword('lètmein', stored), true)
  assert.equal(await verifyPassword('lètmein', secondHash), true)
  assert.equal(await verifyPassword('letmein', stored), false)
})

test('argon2id is verified with the parameters of the stored string', async () => {
  assert.equal(await verifyPassword('password', referenceHash), true)
  assert.equal(await verifyPassword('Password', referenceHash), false)
  assert.equal(await verifyPassword('password', referenceHash.replace('t=2', 't=3')), false)
  const twoLanes = '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc'
  assert.equal(await verifyPassword('password', twoLanes), true)
})

test("Django's pbkdf2_sha256 is verified", async () => {
  assert.equal(await verifyPassword('lètmein', djangoHash), true)
  assert.equal(await verifyPassword('lètmeinz', djangoHash), false)

  const hash = pbkdf2Sync('secret', 'NaCl ü', 1000, 32, 'sha256').toString('base64')
  assert.equal(await verifyPassword('secret', `pbkdf2_sha256$1000$NaCl ü$${hash}`), true)
  assert.equal(await verifyPassword('secret', `pbkdf2_sha256$1001$NaCl ü$${hash}`), false)
})

test("Django's hashers are verified: pbkdf2_sha256, argon2 and scrypt", async () => {
  for (const hash of newerDjangoHashes) {
    assert.equal(await verifyPassword('lètmein', hash), true, hash)
    assert.equal(await verifyPassword('letmein', hash), false, hash)
  }
  const strongest = scryptSync('secret', 'salt', 64, { N: 2 ** 15, r: 32, p: 1, maxmem: 2 ** 28 }).toString('base64')
  assert.equal(await verifyPassword('secret', `scrypt$32768$salt$32$1$${strongest}`), true)
})

test('a password is not normalised: composed and decomposed letters differ, NUL and spaces count', async () => {
  const stored = await hashPassword(' l\u00e8t\0mein')
  assert.equal(await verifyPassword(' l\u00e8t\0mein', stored), true)
  for (const other of [' le\u0300t\0mein', 'l\u00e8t\0mein', ' l\u00e8t', ' l\u00e8t\0mein\0']) {
    assert.equal(await verifyPassword(other, stored), false)
  }
})

const scryptHash = newerDjangoHashes[2]

const malformed: (string | null)[] = [
  null,
  '',
  '!',
  '!unusable',
  'password',
  '$argon2id$',
  referenceHash.slice(0, -30),
  `${referenceHash}$`,
  `${referenceHash}\n`,
  ` ${referenceHash}`,
  referenceHash.replace('argon2id', 'argon2i'),
  referenceHash.replace('v=19', 'v=16'),
  referenceHash.replace('m=256', 'm=7'),
  referenceHash.replace('m=256', 'm=4294967295'),
  referenceHash.replace('m=256', 'm=131073'),
  referenceHash.replace('t=2', 't=0'),
  referenceHash.replace('t=2', 't=11'),
  referenceHash.replace('p=1', 'p=0'),
  referenceHash.replace('p=1', 'p=17'),
  referenceHash.replace('c29tZXNhbHQ', 'c29tZQ'),
  referenceHash.replace('/', '_'),
  '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA',
  djangoHash.replace('30000', '0'),
  djangoHash.replace('30000', '-1'),
  djangoHash.replace('30000', '10000001'),
  djangoHash.replace('30000', '1e4'),
  djangoHash.replace('seasalt', ''),
  djangoHash.slice(0, -1),
  djangoHash.replace('sha256', 'sha1'),
  scryptHash.replace('16384', '16383'),
  scryptHash.replace('16384', '1'),
  scryptHash.replace('16384', '262144'),
  scryptHash.replace('$8$', '$0$'),
  scryptHash.replace('$8$', '$33$'),
  scryptHash.replace('$1$', '$17$'),
  scryptHash.replace('seasalt', ''),
  scryptHash.slice(0, -1),
  'argon2$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA',
  'bcrypt_sha256$$2b$12$n79VH.0Q2TMWmt3Oqt9uku9Kq4n8Nq1BMWPsBgSXFfTQOPVZsiXqa',
  'bcrypt$$2b$12$n79VH.0Q2TMWmt3Oqt9uku9Kq4n8Nq1BMWPsBgSXFfTQOPVZsiXqa',
]

test('a missing, unusable, malformed or too costly stored value never verifies', async () => {
  for (const stored of malformed) {
    const password = /^(?:pbkdf2|scrypt|bcrypt)/.test(stored ?? '') ? 'lètmein' : 'password'
    assert.equal(await verifyPassword(password, stored), false, `${stored}`)
  }
})

test('every hash except one with the current format and cost needs a rehash', async () => {
  assert.equal(needsRehash(await hashPassword('password')), false)
  for (const stored of [referenceHash, djangoHash, ...newerDjangoHashes, ...malformed])
    assert.equal(needsRehash(stored ?? ''), true)
})

test('no process but that of tests can change the cost of hashes', () => {
  const script = `
    const { setHashCost } = await import(${JSON.stringify(new URL('./passwords.ts', import.meta.url))})
    setHashCost('lowest')`
  const { TEST_HASH_COST: _, ...environment } = process.env
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { env: environment })
  assert.equal(status, 1)
  assert.match(String(stderr), /only tests may change the cost of hashes/)
})

test('the maximum password length is counted in bytes', async () => {
  const longest = 'è'.repeat(maxPasswordLength / 2)
  assert.equal(await verifyPassword(longest, await hashPassword(longest)), true)
  await assert.rejects(hashPassword(`${longest}x`), { name: 'RangeError', message: /at most 4096 bytes/ })
  assert.equal(await verifyPassword(`${longest}x`, referenceHash), false)
})

test('every verification is queued, also for an unknown user; a password that is too long is rejected immediately', async () => {
  const busy = Array.from({ length: 102 }, () => verifyPassword('password', referenceHash))
  await assert.rejects(verifyPassword('password', null), QueueFull)
  await assert.rejects(verifyPassword('password', djangoHash), QueueFull)
  await assert.rejects(hashPassword('password'), QueueFull)
  assert.equal(await verifyPassword('x'.repeat(maxPasswordLength + 1), referenceHash), false)
  await assert.rejects(hashPassword('x'.repeat(maxPasswordLength + 1)), RangeError)
  assert.ok((await Promise.all(busy)).every(Boolean))
})
