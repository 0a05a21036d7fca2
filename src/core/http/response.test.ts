import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digest } from './response.ts'

test('different texts have different digests', () => {
  const texts = ['', 'a', 'b', 'a\0', 'a'.repeat(20_000), 'a'.repeat(20_001), 'é'.repeat(100_000)]
  assert.equal(new Set(texts.map(digest)).size, texts.length)
  for (const text of texts) assert.match(digest(text), /^[\w-]{27}$/)
})
