import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createEncryption } from './encryption.ts'

const secret = 'a secret of thirty-two characters'
const sealer = createEncryption(secret)
const text = fc.string({ unit: 'binary' })

test('what was sealed is unsealed in its context, and in no other', () => {
  fc.assert(
    fc.property(text, text, text, (plain, context, other) => {
      const sealed = sealer.seal(plain, context)
      assert.match(sealed, /^v1\.[\w-]+$/)
      assert.equal(sealer.unseal(sealed, context), plain)
      assert.equal(sealer.unseal(sealed, other), other === context ? plain : undefined)
    }),
  )
})

test('two seals of the same text differ', () => {
  assert.notEqual(sealer.seal('key', '1'), sealer.seal('key', '1'))
})

test('another instance with the same secret unseals, one with another secret does not', () => {
  const sealed = sealer.seal('key', '1')
  assert.equal(createEncryption(secret).unseal(sealed, '1'), 'key')
  assert.equal(createEncryption(`${secret}!`).unseal(sealed, '1'), undefined)
})

test('a single altered, missing or added character is noticed', () => {
  const sealed = sealer.seal('0123456789abcdef0123456789abcdef01234567', '1')
  const place = fc.nat(sealed.length - 1)
  fc.assert(
    fc.property(place, fc.string({ unit: 'binary', maxLength: 2 }), (at, character) => {
      const altered = sealed.slice(0, at) + character + sealed.slice(at + 1)
      fc.pre(altered !== sealed)
      assert.equal(sealer.unseal(altered, '1'), undefined)
    }),
  )
  for (const added of ['=', ' ', '\n', 'A', '.']) assert.equal(sealer.unseal(sealed + added, '1'), undefined)
  for (let length = 0; length < sealed.length; length += 1) {
    assert.equal(sealer.unseal(sealed.slice(0, length), '1'), undefined)
  }
})

test('every bit counts: nonce, ciphertext and tag', () => {
  const bytes = Buffer.from(sealer.seal('key', '1').slice(3), 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const altered = Buffer.from(bytes)
    altered[bit >> 3]! ^= 1 << (bit & 7)
    assert.equal(sealer.unseal(`v1.${altered.toString('base64url')}`, '1'), undefined)
  }
})

test('foreign text is undefined and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array(), (foreign, bytes) => {
      assert.equal(sealer.unseal(foreign, '1'), undefined)
      assert.equal(sealer.unseal(`v1.${foreign}`, '1'), undefined)
      assert.equal(sealer.unseal(`v1.${Buffer.from(bytes).toString('base64url')}`, '1'), undefined)
    }),
  )
})

test('the stored form stays readable: HKDF-SHA-256, AES-256-GCM, nonce, ciphertext, tag', () => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'resource-api sealing v1 aes-256-gcm', 32))
  const nonce = Buffer.alloc(12, 7)
  const encryption = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('1'))
  const parts = [nonce, encryption.update('key'), encryption.final(), encryption.getAuthTag()]
  const sealed = `v1.${Buffer.concat(parts).toString('base64url')}`
  assert.equal(sealed, 'v1.BwcHBwcHBwcHBwcHHFkWIYqgG8BoNIXAJ0d-2kyV9g')
  assert.equal(sealer.unseal(sealed, '1'), 'key')
})

test('the digest is SHA-256 in hex: FIPS 180-4, "abc"', () => {
  const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  assert.equal(sealer.digest('abc'), expected)
})

test('a short secret stops the start and says what to do', () => {
  assert.throws(() => createEncryption('short'), {
    name: 'RangeError',
    message: /has 5 characters.*openssl rand/,
  })
})
