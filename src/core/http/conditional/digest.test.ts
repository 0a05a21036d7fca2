import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createDigest } from './digest.ts'
import { createSipHash, maxTextLength } from './siphash.ts'

const secret = 'x'.repeat(32)

suite('SipHash', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const key = Uint8Array.from({ length: 16 }, (_, index) => index)
  // The test vectors of the authors: the key is 00 01 02 …, and so is each text.
  for (const [length, digest] of [
    [0, 'a3817f04ba25a8e66df67214c7550293'],
    [1, 'da87c1d86b99af44347659119b22fc45'],
    [2, '8177228da4a45dc7fca38bdef60affe4'],
    [3, '9c70b60c5267a94e5f33b6b02985ed51'],
    [15, '5493e99933b0a8117e08ec0f97cfc3d9'],
  ] as const)
    test(`of ${length} bytes`, () => {
      const text = String.fromCharCode(...key.subarray(0, length))
      const characters = Array.from(Buffer.from(digest, 'hex'), byte => alphabet[byte % 64])
      assert.equal(createSipHash(key)(text), characters.join(''))
    })

  test('does not depend on earlier texts', () => {
    const hash = createSipHash(key)
    const texts = Array.from({ length: 200 }, (_, length) => 'é'.repeat(length))
    const digests = texts.map(hash)
    assert.equal(new Set(digests).size, texts.length)
    assert.deepEqual(texts.toReversed().map(hash).toReversed(), digests)
  })

  test('of the longest texts in UTF-8', () => {
    const hash = createSipHash(key)
    const text = '\u{2028}'.repeat(maxTextLength - 1)
    assert.notEqual(hash(`${text}a`), hash(`${text}b`))
  })
})

suite('digests', () => {
  for (const [name, digest] of [
    ['with a secret', createDigest(secret)],
    ['without a secret', createDigest(undefined)],
  ] as const)
    test(name, () => {
      const texts = ['', 'a', 'b', 'a\0', 'a'.repeat(maxTextLength), 'a'.repeat(maxTextLength + 1), 'é'.repeat(100_000)]
      assert.equal(new Set(texts.map(digest)).size, texts.length)
      for (const text of texts) assert.match(digest(text), /^[\w-]{16,27}$/)
    })

  test('depend on the secret that signs', () => {
    assert.equal(createDigest([secret, 'y'.repeat(32)])('a'), createDigest(secret)('a'))
    assert.notEqual(createDigest('y'.repeat(32))('a'), createDigest(secret)('a'))
  })
})
