import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import { escapeWide } from './escape-content.ts'

test('characters beyond Latin-1 become references, and the text takes one byte per character', () => {
  const escaped = escapeWide('<b>Löschen…</b> 文 🔥')
  assert.equal(escaped, '<b>Löschen&#8230;</b> &#25991; &#128293;')
  // The format writes one-byte strings with this tag.
  assert.equal(String.fromCharCode(serialize(escaped)[2]!), '"')
  assert.equal(escapeWide('<b>Löschen</b>'), '<b>Löschen</b>')
})
