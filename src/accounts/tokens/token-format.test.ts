import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTokenKey, isTokenKey } from './token-format.ts'

test('RES-TOKEN-r1: a key is its prefix, 30 random characters and their checksum', () => {
  const keys = Array.from({ length: 100 }, () => createTokenKey('rapi_'))
  for (const key of keys) {
    assert.match(key, /^rapi_[0-9A-Za-z]{36}$/)
    assert.equal(isTokenKey(key), true)
  }
  assert.equal(new Set(keys).size, keys.length)
  assert.match(createTokenKey('acme2_'), /^acme2_[0-9A-Za-z]{36}$/)
})

test('the checksum is the CRC-32 of the random part in base62, so that scanners can check it', () => {
  // By zlib of Python; the second has a leading zero.
  assert.equal(isTokenKey(`rapi_${'0'.repeat(30)}2C8GjS`), true)
  assert.equal(isTokenKey('rapi_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O50Zb5Hm'), true)
})

test('a key with one character changed, lost or added is none', () => {
  const key = createTokenKey('rapi_')
  for (let place = 'rapi_'.length; place < key.length; place++) {
    for (const other of ['', key[place] === 'x' ? 'y' : 'x', `${key[place]}x`]) {
      assert.equal(isTokenKey(key.slice(0, place) + other + key.slice(place + 1)), false, `${place} ${other}`)
    }
  }
})

test('what has another form is no key', () => {
  const [, body] = createTokenKey('rapi_').split('_') as [string, string]
  for (const text of [
    '',
    '_',
    'rapi_',
    body,
    `_${body}`,
    `1_${body}`,
    `rapi-${body}`,
    ` rapi_${body}`,
    `rapi_${body}\n`,
  ])
    assert.equal(isTokenKey(text), false, text)
  assert.equal(isTokenKey('a'.repeat(40)), false)
})
