import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { formatCookie, readCookie } from './cookies.ts'

const request = (cookie?: string) => ({ headers: { cookie } }) as FastifyRequest

test('AUTH-SCH-r3: readCookie() never throws, and finds no cookie that the header does not hold', () => {
  const piece = fc.oneof(
    fc.constantFrom(';', '=', ' ', '\t', '"', '%', '%ff', '%00', '__proto__', 'constructor', 'sessionid', 'toString'),
    fc.string({ unit: anyCharacter, maxLength: 4 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), pieces => {
      const header = pieces.join('')
      for (const name of ['sessionid', '__proto__', 'constructor', 'toString']) {
        const value = readCookie(request(header), name)
        assert.ok(value === undefined || (typeof value === 'string' && header.includes(name)))
      }
    }),
    { numRuns: 2000 },
  )
})

test('AUTH-SCH-r3: if a cookie is repeated, the first one counts', () => {
  for (const [header, value] of [
    [undefined, undefined],
    ['', undefined],
    ['sessionid', undefined],
    ['sessionid=', ''],
    ['sessionid=a; sessionid=b', 'a'],
    [' sessionid = a ;sessionid=b', 'a'],
    ['x=1;sessionid=%C3%A9', 'é'],
    ['sessionid=%C3', '%C3'],
    ['Sessionid=a', undefined],
    [`${'a=b; '.repeat(1600)}sessionid=x`, 'x'],
  ] as const)
    assert.equal(readCookie(request(header), 'sessionid'), value, header)
})

test('AUTH-GAP-b1: a cookie is for the whole site, not for cross-site requests, and is Secure over HTTPS', () => {
  assert.equal(
    formatCookie({ name: 'ab', value: '2', maxAge: 5, httpOnly: false }, 'http://localhost'),
    'ab=2; Max-Age=5; Path=/; SameSite=Lax',
  )
  assert.equal(
    formatCookie({ name: 'a', value: '3;x', maxAge: 0, httpOnly: true }, 'https://localhost'),
    'a=3%3Bx; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
  )
})
