import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTotpCode, createTotpSecret, findTotpStep, formatTotpUri } from './totp.ts'

// "12345678901234567890" in base32, as in appendix B of RFC 6238.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('the codes are those of RFC 6238', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const)
    assert.equal(createTotpCode(secret, Math.floor(seconds / 30)), code)
})

test('a code works within thirty seconds of its step, and not again', () => {
  const find = (seconds: number, lastStep = 0) => findTotpStep(secret, '287082', { seconds, lastStep })
  assert.deepEqual(
    [0, 30, 59, 89, 90].map(seconds => find(seconds)),
    [1, 1, 1, 1, undefined],
  )
  assert.equal(find(59, 1), undefined)
  for (const code of ['', '28708', '2870820', 'abcdef', '287083'])
    assert.equal(findTotpStep(secret, code, { seconds: 59, lastStep: 0 }), undefined)
})

test('secrets are random, and the address of an app contains them', () => {
  assert.match(createTotpSecret(), /^[A-Z2-7]{32}$/)
  assert.notEqual(createTotpSecret(), createTotpSecret())
  assert.equal(
    formatTotpUri('ABC', { site: 'My Shop', username: 'ann@x' }),
    'otpauth://totp/My%20Shop:ann%40x?secret=ABC&issuer=My%20Shop',
  )
})
