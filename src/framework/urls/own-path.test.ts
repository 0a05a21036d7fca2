import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ownPath, rootPath } from './own-path.ts'

const origin = 'https://api.example.org'

const hostile = [
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '/\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  '/.\\/evil.example',
  '/;@evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '\u00a0//evil.example',
  '／／evil.example',
  'http:evil.example',
  'http:/evil.example',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'javascript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'blob:https://api.example.org/x',
  'ftp://api.example.org/',
  'https://api.example.org@evil.example/',
  'https://api.example.org:443@evil.example/',
  'https://api.example.org\\@evil.example/',
  'https://api.example.org.evil.example/',
  'https://api.example.org//evil.example',
  'https://api.example.org/.//evil.example',
  'https://evil.example/',
  'evil.example',
  '',
  '\ud800',
  '/%0d%0aSet-Cookie:%20a=b',
  '/\r\nSet-Cookie: a=b',
  '//[',
  '//a:99999',
  `/${'a'.repeat(5000)}`,
]

/** Asserts that a browser that is sent there from any page of the service stays on it. */
function assertOwn(path: string | undefined): void {
  if (path === undefined) return
  assert.match(path, /^\/(?!\/)[\x21-\x7e]*$/)
  for (const page of ['/', '/api-auth/login/?next=x', '//a/b'])
    assert.equal(new URL(path, `${origin}${page}`).origin, origin, path)
}

test('END-LOGIN-p1: a path of this service stays what it is, and leads nowhere else', () => {
  for (const [url, path] of [
    ['/', '/'],
    ['/users/?page=2&a=%20#b', '/users/?page=2&a=%20#b'],
    [`${origin}/users/`, '/users/'],
    ['/a b/é?q=ü', '/a%20b/%C3%A9?q=%C3%BC'],
    ['/a//b', '/a//b'],
    ['/?next=//evil.example', '/?next=//evil.example'],
    ['/\ud800', '/%EF%BF%BD'],
    ['/%0d%0aSet-Cookie:%20a=b', '/%0d%0aSet-Cookie:%20a=b'],
  ] as const)
    assert.equal(ownPath(url, `${origin}/v1`), path)
  for (const url of [undefined, null, 1, ['/'], {}, `/${'a'.repeat(2048)}`, '/.//x', '//x', 'x', origin])
    assert.equal(ownPath(url, origin), undefined)
  assert.equal(ownPath('/', 'no URL'), undefined)
})

test('END-LOGIN-p1: no text leads to another origin', () => {
  for (const url of hostile) assertOwn(ownPath(url, origin))
  const piece = fc.oneof(
    fc.constantFrom(
      '/',
      '\\',
      '//',
      '.',
      '..',
      '@',
      ':',
      '?',
      '#',
      '\t',
      '\n',
      '\r',
      '\0',
      ' ',
      '%2f',
      '%5c',
      '%2e',
      '%0a',
    ),
    fc.constantFrom(origin, 'http:', 'https:', 'javascript:', 'evil.example', '[', ']', '\ud800', '\u2028', '／'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), pieces => assertOwn(ownPath(pieces.join(''), origin))),
    { numRuns: 5000 },
  )
})

test('the path of the root is that of the public address', () => {
  for (const [baseUrl, path] of [
    [origin, '/'],
    [`${origin}/`, '/'],
    [`${origin}/v1`, '/v1/'],
    ['no URL', '/'],
  ] as const)
    assert.equal(rootPath(baseUrl), path)
})
