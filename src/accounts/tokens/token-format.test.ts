import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNamedToken, isNamedToken } from './token-format.ts'

test('RES-TOKEN-r1: a token is its prefix, 30 random characters and their checksum', () => {
  const tokens = Array.from({ length: 100 }, () => createNamedToken('rapi_'))
  for (const token of tokens) {
    assert.match(token, /^rapi_[0-9A-Za-z]{36}$/)
    assert.equal(isNamedToken(token), true)
  }
  assert.equal(new Set(tokens).size, tokens.length)
  assert.match(createNamedToken('acme2_'), /^acme2_[0-9A-Za-z]{36}$/)
})

test('the checksum is the CRC-32 of the random part in base62', () => {
  // Computed with Python's zlib; the second checksum has a leading zero.
  assert.equal(isNamedToken(`rapi_${'0'.repeat(30)}2C8GjS`), true)
  assert.equal(isNamedToken('rapi_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O50Zb5Hm'), true)
})

test('a token with one character changed, removed or added is invalid', () => {
  const token = createNamedToken('rapi_')
  for (let index = 'rapi_'.length; index < token.length; index++) {
    for (const replacement of ['', token[index] === 'x' ? 'y' : 'x', `${token[index]}x`]) {
      assert.equal(
        isNamedToken(token.slice(0, index) + replacement + token.slice(index + 1)),
        false,
        `${index} ${replacement}`,
      )
    }
  }
})

test('a text in any other format is not a token', () => {
  const [, body] = createNamedToken('rapi_').split('_') as [string, string]
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
    assert.equal(isNamedToken(text), false, text)
  assert.equal(isNamedToken('a'.repeat(40)), false)
})
