import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toUsernameKey } from './username-key.ts'

test('RES-GAP-b1: names that differ only in case or encoding have the same key', () => {
  for (const names of [
    ['ann', 'Ann', 'ANN', 'ａnn', '𝔸𝕟𝕟'],
    ['straße', 'STRASSE', 'STRAẞE', 'strasse', 'ſtraße'],
    ['σας', 'ΣΑΣ', 'σασ'],
    ['zoë', 'zoe\u0308', 'ZOË'],
    ['ﬁn', 'FIN'],
    ['K1', 'k1', '\u212a1'],
  ])
    assert.equal(new Set(names.map(toUsernameKey)).size, 1, names.join())
  assert.notEqual(toUsernameKey('ann'), toUsernameKey('anna'))
  assert.notEqual(toUsernameKey('zoe'), toUsernameKey('zoë'))
})

test('RES-GAP-b1: for every character, the key is independent of case and normalisation', () => {
  for (let code = 0; code < 0x110000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue
    const name = `a${String.fromCodePoint(code)}b`
    const key = toUsernameKey(name)
    for (const variant of [name.toLowerCase(), name.toUpperCase(), name.normalize('NFKC'), key])
      if (toUsernameKey(variant) !== key) assert.fail(`${code.toString(16)} ${variant}`)
  }
})
