import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { parseUserPass } from './basic.ts'

const part = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\0') && text.isWellFormed())
const encode = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64')

test('AUTH-SCH-r1: any user name without a colon and any password are decoded as they were sent', () => {
  fc.assert(
    fc.property(
      part.filter(name => !name.includes(':')),
      part,
      (username, password) => {
        const encoded = encode(`${username}:${password}`)
        assert.deepEqual(parseUserPass(encoded), { username, password })
        assert.deepEqual(parseUserPass(encoded.replace(/=+$/, '')), { username, password })
      },
    ),
  )
})

test('AUTH-SCH-r1: no text throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.base64String(), fc.uint8Array().map(String)), text => {
      const pair = parseUserPass(text)
      assert.ok(typeof pair === 'string' || !pair.username.includes(':'))
    }),
    { numRuns: 1000 },
  )
})

test('AUTH-SCH-r1: invalid base64 and NUL characters are unreadable, and text without a colon is not a pair', () => {
  for (const text of ['a', 'YTpi=', 'YTpi====', 'YT:pi', ' YTpi', 'YTpi\n', 'YT_-', encode('a\0:b'), encode('a:\0')])
    assert.equal(parseUserPass(text), 'not base64', text)
  for (const text of ['', encode('ab'), encode('alice')]) assert.equal(parseUserPass(text), 'no pair', text)
})

test('AUTH-SCH-r1: bytes that are not UTF-8 are read as Latin-1', () => {
  assert.deepEqual(parseUserPass(encode('zoé:é', 'latin1')), { username: 'zoé', password: 'é' })
  assert.deepEqual(parseUserPass(encode('a:b:c')), { username: 'a', password: 'b:c' })
  assert.deepEqual(parseUserPass(encode(':')), { username: '', password: '' })
})
