import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isAllowed, localHosts, parseHost } from './base-url.ts'

test('END-p1: the name of a host is read without its port, in lower case', () => {
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

test('END-p1: what is no host is none', () => {
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

test('END-p1: a host that is read is made of letters, digits, dots, hyphens and underscores, or is an address', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'aZ0.-_:[]@/ \n%'), maxLength: 20 })
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: 'binary' })), host => {
      const name = parseHost(host)
      assert.ok(name === undefined || /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(name))
    }),
    { numRuns: 1000 },
  )
})

test('END-p1: allowed hosts are names, names below a domain, or all', () => {
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
