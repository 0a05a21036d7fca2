import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import { readCookie, setCookie } from './cookies.ts'

const request = (cookie?: string) => ({ headers: { cookie } }) as FastifyRequest

test('AUTH-SCH-r3: no header breaks the search for a cookie, or brings one that it does not hold', () => {
  const piece = fc.oneof(
    fc.constantFrom(';', '=', ' ', '\t', '"', '%', '%ff', '%00', '__proto__', 'constructor', 'sessionid', 'toString'),
    fc.string({ unit: 'binary', maxLength: 4 }),
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

test('AUTH-SCH-r3: the first cookie of a name counts', () => {
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

test('AUTH-GAP-b1: an answer sets each cookie once, and keeps the others', () => {
  const notes = { context: undefined, input: undefined, headers: {} as Record<string, string | string[]> }
  const place = { baseUrl: 'http://localhost', notes }
  setCookie(place, { name: 'a', value: '1', maxAge: 5, httpOnly: true })
  setCookie(place, { name: 'ab', value: '2', maxAge: 5, httpOnly: false })
  setCookie({ ...place, baseUrl: 'https://localhost' }, { name: 'a', value: '3;x', maxAge: 0, httpOnly: true })
  assert.deepEqual(notes.headers['set-cookie'], [
    'ab=2; Max-Age=5; Path=/; SameSite=Lax',
    'a=3%3Bx; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax',
  ])
})
