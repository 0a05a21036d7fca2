import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { isAllowed, localHosts, parseHost, toOwnPath, toRootPath } from './base-url.ts'

test('END-p1: a host name is parsed without its port, in lower case', () => {
  for (const [host, name] of Object.entries({
    localhost: 'localhost',
    'LocalHost:8000': 'localhost',
    'api.example.org': 'api.example.org',
    'api.example.org.': 'api.example.org',
    'a-b_c.example.org:65535': 'a-b_c.example.org',
    '127.0.0.1:0': '127.0.0.1',
    '[::1]': '[::1]',
    '[::FFFF:127.0.0.1]:443': '[::ffff:127.0.0.1]',
    'xn--bcher-kva.example': 'xn--bcher-kva.example',
  }))
    assert.equal(parseHost(host), name, host)
})

test('END-p1: malformed hosts are rejected', () => {
  const odd =
    '. .. a..b .a -a a- a:b a: a:-1 a:65536 a:123456 :80 a:80:80 [::1 ::1 [] [x] [::1]x a/b a?b a#b a@b a\\b a,b a%b é'
  for (const host of [
    ...odd.split(' '),
    '',
    ' ',
    'a b',
    ' a',
    'a ',
    'a\r\nb',
    'a\n',
    'a\0',
    '<a>',
    'user@localhost',
    'localhost/x',
  ])
    assert.equal(parseHost(host), undefined, host)
})

test('END-p1: a parsed host consists of letters, digits, dots, hyphens and underscores, or is an address', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'aZ0.-_:[]@/ \n%'), maxLength: 20 })
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: anyCharacter })), host => {
      const name = parseHost(host)
      assert.ok(name === undefined || /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(name))
    }),
    { numRuns: 1000 },
  )
})

test('END-p1: allowed hosts are exact names, subdomains, or all', () => {
  for (const [name, pattern, expected] of [
    ['example.org', 'example.org', true],
    ['example.org', 'Example.ORG', true],
    ['api.example.org', 'example.org', false],
    ['api.example.org', '.example.org', true],
    ['a.b.example.org', '.example.org', true],
    ['example.org', '.example.org', true],
    ['evilexample.org', '.example.org', false],
    ['example.org.evil', '.example.org', false],
    ['anything', '*', true],
    ['api.example.org', '*.example.org', false],
  ] as const)
    assert.equal(isAllowed(name, [pattern]), expected, `${name} ${pattern}`)
  assert.equal(isAllowed('a', []), false)
  for (const name of ['localhost', 'api.localhost', '127.0.0.1', '[::1]']) assert.ok(isAllowed(name, localHosts), name)
  for (const name of ['example.org', '127.0.0.2', '[::2]']) assert.ok(!isAllowed(name, localHosts), name)
})

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

/** Asserts that the path, opened from any page of the service, stays on the service. */
function assertOwn(path: string | undefined): void {
  if (path === undefined) return
  assert.match(path, /^\/(?!\/)[\x21-\x7e]*$/)
  for (const page of ['/', '/api-auth/login/?next=x', '//a/b'])
    assert.equal(new URL(path, `${origin}${page}`).origin, origin, path)
}

test('END-LOGIN-p1: a path of this service is returned, and every other URL is rejected', () => {
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
    assert.equal(toOwnPath(url, `${origin}/v1`), path)
  for (const url of [undefined, null, 1, ['/'], {}, `/${'a'.repeat(2048)}`, '/.//x', '//x', 'x', origin])
    assert.equal(toOwnPath(url, origin), undefined)
  assert.equal(toOwnPath('/', 'no URL'), undefined)
})

test('END-LOGIN-p1: no text leads to another origin', () => {
  for (const url of hostile) assertOwn(toOwnPath(url, origin))
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
    fc.string({ unit: anyCharacter, maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), pieces => assertOwn(toOwnPath(pieces.join(''), origin))),
    { numRuns: 5000 },
  )
})

test('rootPath() is the path of the public URL', () => {
  for (const [baseUrl, path] of [
    [origin, '/'],
    [`${origin}/`, '/'],
    [`${origin}/v1`, '/v1/'],
    ['no URL', '/'],
  ] as const)
    assert.equal(toRootPath(baseUrl), path)
})
