import assert from 'node:assert/strict'
import { createCipheriv, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/support/any-text.ts'
import { createEncryption } from './encryption.ts'

const secret = 'a secret of thirty-two characters'
const encryption = createEncryption([secret])
const text = fc.string({ unit: anyCharacter })

test('a text is decrypted in its own context only', () => {
  fc.assert(
    fc.property(text, text, text, (plain, context, other) => {
      const encrypted = encryption.encrypt(plain, context)
      assert.match(encrypted, /^v1\.[\w-]+$/)
      assert.equal(encryption.decrypt(encrypted, context), plain)
      assert.equal(encryption.decrypt(encrypted, other), other === context ? plain : undefined)
    }),
  )
})

test('two encryptions of the same text differ', () => {
  assert.notEqual(encryption.encrypt('key', '1'), encryption.encrypt('key', '1'))
})

test('a second instance decrypts with the same secret, and fails with a different secret', () => {
  const encrypted = encryption.encrypt('key', '1')
  assert.equal(createEncryption([secret]).decrypt(encrypted, '1'), 'key')
  assert.equal(createEncryption([`${secret}!`]).decrypt(encrypted, '1'), undefined)
})

test('a fallback secret decrypts earlier texts, and encrypts no new ones', () => {
  const [earlier, unknown] = [createEncryption([secret]), createEncryption([`${secret}?`])]
  const both = createEncryption([`${secret}!`, `${secret}+`, secret])
  assert.equal(both.decrypt(earlier.encrypt('key', '1'), '1'), 'key')
  assert.equal(both.decrypt(earlier.encrypt('key', '1'), '2'), undefined)
  assert.equal(both.decrypt(unknown.encrypt('key', '1'), '1'), undefined)
  const encrypted = both.encrypt('key', '1')
  assert.equal(earlier.decrypt(encrypted, '1'), undefined)
  assert.equal(createEncryption([`${secret}!`]).decrypt(encrypted, '1'), 'key')
})

test('decryption fails if one character is altered, missing or added', () => {
  const encrypted = encryption.encrypt('0123456789abcdef0123456789abcdef01234567', '1')
  const index = fc.nat(encrypted.length - 1)
  fc.assert(
    fc.property(index, fc.string({ unit: anyCharacter, maxLength: 2 }), (at, character) => {
      const altered = encrypted.slice(0, at) + character + encrypted.slice(at + 1)
      fc.pre(altered !== encrypted)
      assert.equal(encryption.decrypt(altered, '1'), undefined)
    }),
  )
  for (const added of ['=', ' ', '\n', 'A', '.']) assert.equal(encryption.decrypt(encrypted + added, '1'), undefined)
  for (let length = 0; length < encrypted.length; length += 1) {
    assert.equal(encryption.decrypt(encrypted.slice(0, length), '1'), undefined)
  }
})

test('decryption fails if any bit of nonce, ciphertext or tag is flipped', () => {
  const bytes = Buffer.from(encryption.encrypt('key', '1').slice(3), 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const altered = Buffer.from(bytes)
    altered[bit >> 3]! ^= 1 << (bit & 7)
    assert.equal(encryption.decrypt(`v1.${altered.toString('base64url')}`, '1'), undefined)
  }
})

test('decrypting arbitrary text returns undefined and never throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.uint8Array(), (foreign, bytes) => {
      assert.equal(encryption.decrypt(foreign, '1'), undefined)
      assert.equal(encryption.decrypt(`v1.${foreign}`, '1'), undefined)
      assert.equal(encryption.decrypt(`v1.${Buffer.from(bytes).toString('base64url')}`, '1'), undefined)
    }),
  )
})

test('the stored format does not change: HKDF-SHA-256, AES-256-GCM, nonce, ciphertext, tag', () => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'resource-api sealing v1 aes-256-gcm', 32))
  const nonce = Buffer.alloc(12, 7)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('1'))
  const services = [nonce, cipher.update('key'), cipher.final(), cipher.getAuthTag()]
  const encrypted = `v1.${Buffer.concat(services).toString('base64url')}`
  assert.equal(encrypted, 'v1.BwcHBwcHBwcHBwcHHFkWIYqgG8BoNIXAJ0d-2kyV9g')
  assert.equal(encryption.decrypt(encrypted, '1'), 'key')
})

test('the digest is SHA-256 in hex: FIPS 180-4, "abc"', () => {
  const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  assert.equal(encryption.digest('abc'), expected)
})

test('a short secret throws an error that explains how to create one', () => {
  assert.throws(() => createEncryption(['short']), {
    name: 'RangeError',
    message: /has 5 characters.*openssl rand/,
  })
})
