import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browsable } from '../browsable.ts'
import { createAccentCss } from './accent.ts'

test('the accent has a lighter colour for dark pages, and a text that can be read on it', () => {
  assert.match(
    createAccentCss('#7a1fa2'),
    /^:root \{ --accent: light-dark\(#7a1fa2, #[0-9a-f]{6}\); .*--on-accent: light-dark\(#ffffff, #10141c\) \}/,
  )
  assert.match(createAccentCss({ light: '#0B57C2', dark: '#86b3ff' }), /light-dark\(#0b57c2, #86b3ff\)/)
})

test('a colour that cannot be read is an error at start, and so is another text', () => {
  assert.throws(
    () => browsable({ accent: '#ffcc00' }),
    /accent: #ffcc00 has a contrast of 1\.5 on light pages, and needs 4\.5: choose a darker/,
  )
  assert.throws(() => browsable({ accent: { light: '#7a1fa2', dark: '#222222' } }), /on dark pages.*choose a lighter/)
  for (const accent of ['red', '#fff', '#7a1fa2;}', '', null as never])
    assert.throws(() => browsable({ accent }), /give six hexadecimal digits/, String(accent))
})
