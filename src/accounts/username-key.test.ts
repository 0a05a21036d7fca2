import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usernameKey } from './username-key.ts'

test('RES-GAP-b1: names that differ only in case or encoding have one key', () => {
  for (const names of [
    ['ann', 'Ann', 'ANN', 'ａnn', '𝔸𝕟𝕟'],
    ['straße', 'STRASSE', 'STRAẞE', 'strasse', 'ſtraße'],
    ['σας', 'ΣΑΣ', 'σασ'],
    ['zoë', 'zoe\u0308', 'ZOË'],
    ['ﬁn', 'FIN'],
    ['K1', 'k1', '\u212a1'],
  ])
    assert.equal(new Set(names.map(usernameKey)).size, 1, names.join())
  assert.notEqual(usernameKey('ann'), usernameKey('anna'))
  assert.notEqual(usernameKey('zoe'), usernameKey('zoë'))
})

test('RES-GAP-b1: whatever character is written in whatever case, its key is the same', () => {
  for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const name = `a${String.fromCodePoint(code)}b`
    const key = usernameKey(name)
    for (const other of [name.toLowerCase(), name.toUpperCase(), name.normalize('NFKC'), key])
      if (usernameKey(other) !== key) assert.fail(`${code.toString(16)} ${other}`)
  }
})
