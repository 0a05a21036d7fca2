import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatJson } from '../base/exact-json.ts'
import { digest, JsonText } from './response.ts'

test('different texts have different digests', () => {
  const texts = ['', 'a', 'b', 'a\0', 'a'.repeat(20_000), 'a'.repeat(20_001), 'é'.repeat(100_000)]
  assert.equal(new Set(texts.map(digest)).size, texts.length)
  for (const text of texts) assert.match(digest(text), /^[\w-]{27}$/)
})

test('JSON of the database may be a part of a body, with all digits', () => {
  const object = new JsonText('{"id":9007199254740993,"price":1.10}')
  assert.equal(formatJson({ data: [object] }), '{"data":[{"id":9007199254740993,"price":1.10}]}')
})
