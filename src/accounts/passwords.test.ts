import assert from 'node:assert/strict'
import { argon2Sync, pbkdf2Sync } from 'node:crypto'
import { test } from 'node:test'
import { QueueFull } from '../framework/task-queue.ts'
import { hashPassword, maxPasswordLength, needsRehash, verifyPassword } from './passwords.ts'

/** From the test suite of the reference implementation (P-H-C/phc-winner-argon2, `src/test.c`). */
const reference = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'
/** From Django's test suite (`tests/auth_tests/test_hashers.py`, 1.10). */
const fromDjango = 'pbkdf2_sha256$30000$seasalt$VrX+V8drCGo68wlvy6rfu8i1d1pfkdeXA4LJkRGJodY='

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

test('a password is stored as a PHC string with the parameters of OWASP and a salt of its own', async () => {
  const [stored, again] = await Promise.all([hashPassword('lètmein'), hashPassword('lètmein')])
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z\d+/]{22}\$[A-Za-z\d+/]{43}$/)
  assert.notEqual(stored, again)
  assert.equal(await verifyPassword('lètmein', stored), true)
  assert.equal(await verifyPassword('lètmein', again), true)
  assert.equal(await verifyPassword('letmein', stored), false)
})

test('argon2id is verified with the parameters of the stored string', async () => {
  assert.equal(await verifyPassword('password', reference), true)
  assert.equal(await verifyPassword('Password', reference), false)
  assert.equal(await verifyPassword('password', reference.replace('t=2', 't=3')), false)
  const twoLanes = '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc'
  assert.equal(await verifyPassword('password', twoLanes), true)
})

test("Django's pbkdf2_sha256 is verified", async () => {
  assert.equal(await verifyPassword('lètmein', fromDjango), true)
  assert.equal(await verifyPassword('lètmeinz', fromDjango), false)

  const hash = pbkdf2Sync('secret', 'NaCl ü', 1000, 32, 'sha256').toString('base64')
  assert.equal(await verifyPassword('secret', `pbkdf2_sha256$1000$NaCl ü$${hash}`), true)
  assert.equal(await verifyPassword('secret', `pbkdf2_sha256$1001$NaCl ü$${hash}`), false)
})

test('a password is hashed as given: composed and decomposed letters differ, NUL and space count', async () => {
  const stored = await hashPassword(' l\u00e8t\0mein')
  assert.equal(await verifyPassword(' l\u00e8t\0mein', stored), true)
  for (const other of [' le\u0300t\0mein', 'l\u00e8t\0mein', ' l\u00e8t', ' l\u00e8t\0mein\0']) {
    assert.equal(await verifyPassword(other, stored), false)
  }
})

const malformed: (string | null)[] = [
  null,
  '',
  '!',
  '!unusable',
  'password',
  '$argon2id$',
  reference.slice(0, -30),
  `${reference}$`,
  `${reference}\n`,
  ` ${reference}`,
  reference.replace('argon2id', 'argon2i'),
  reference.replace('v=19', 'v=16'),
  reference.replace('m=256', 'm=7'),
  reference.replace('m=256', 'm=4294967295'),
  reference.replace('m=256', 'm=131073'),
  reference.replace('t=2', 't=0'),
  reference.replace('t=2', 't=11'),
  reference.replace('p=1', 'p=0'),
  reference.replace('p=1', 'p=17'),
  reference.replace('c29tZXNhbHQ', 'c29tZQ'),
  reference.replace('/', '_'),
  '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA',
  fromDjango.replace('30000', '0'),
  fromDjango.replace('30000', '-1'),
  fromDjango.replace('30000', '10000001'),
  fromDjango.replace('30000', '1e4'),
  fromDjango.replace('seasalt', ''),
  fromDjango.slice(0, -1),
  fromDjango.replace('sha256', 'sha1'),
]

test('a stored value that is missing, unusable, malformed or too costly answers false', async () => {
  for (const stored of malformed) {
    const password = stored?.startsWith('pbkdf2') ? 'lètmein' : 'password'
    assert.equal(await verifyPassword(password, stored), false, `${stored}`)
  }
})

test('only the format and cost of today need no new hash', async () => {
  assert.equal(needsRehash(await hashPassword('password')), false)
  for (const stored of [reference, fromDjango, ...malformed]) assert.equal(needsRehash(stored ?? ''), true)
})

test('the bound of a password is counted in bytes', async () => {
  const longest = 'è'.repeat(maxPasswordLength / 2)
  assert.equal(await verifyPassword(longest, await hashPassword(longest)), true)
  await assert.rejects(hashPassword(`${longest}x`), { name: 'RangeError', message: /at most 4096 bytes/ })
  assert.equal(await verifyPassword(`${longest}x`, reference), false)
})

test('every verification takes its turn, an unknown user as well; what is too long is refused before', async () => {
  const busy = Array.from({ length: 102 }, () => verifyPassword('password', reference))
  await assert.rejects(verifyPassword('password', null), QueueFull)
  await assert.rejects(verifyPassword('password', fromDjango), QueueFull)
  await assert.rejects(hashPassword('password'), QueueFull)
  assert.equal(await verifyPassword('x'.repeat(maxPasswordLength + 1), reference), false)
  await assert.rejects(hashPassword('x'.repeat(maxPasswordLength + 1)), RangeError)
  assert.ok((await Promise.all(busy)).every(Boolean))
})
