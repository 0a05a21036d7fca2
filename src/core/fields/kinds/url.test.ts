import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { url } from './url.ts'

const parse = (input: unknown) => url().parse(input, {} as ParseContext)

test('URLs are accepted and stored unchanged', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), text => assert.equal(parse(text), text)),
  )
  const accepted = [
    'http://localhost',
    'http://localhost:8000/x',
    'HTTPS://Example.COM',
    'http://example.com.',
    'ftps://example.com/~a',
    'ftp://user:pass@example.com',
    'http://user:@example.com',
    'http://a@example.com',
    'http://a-b.c-d.example',
    'http://1.example',
    'http://192.168.0.1:80/',
    'http://[::1]:8080/',
    'http://[2001:db8::1]/',
    'ftps://[::ffff:1.2.3.4]',
    'http://bücher.example/ö?ä#ü',
    'http://xn--bcher-kva.example',
    'http://例え.テスト/',
    'http://example.xn--p1ai',
    'http://example.com?q=1',
    'http://example.com#a',
    "http://example.com/!$&'()*+,;=:@|^`{}",
    `http://${'a'.repeat(63)}.example`,
    `http://example.com/${'a'.repeat(2048 - 19)}`,
  ]
  for (const text of accepted) assert.equal(parse(text), text)
  assert.equal(parse(' http://example.com '), 'http://example.com')
})

test('text that is not an absolute HTTP or FTP URL is rejected', () => {
  const wrong = [
    'x',
    '/',
    '//example.com',
    'example.com',
    'http:',
    'http://',
    'http:///x',
    'http:example.com',
    'http:/example.com',
    'javascript:alert(1)',
    'javascript://example.com/%0aalert(1)',
    'data:text/plain,a',
    'file:///etc',
    'mailto:a@b.de',
    'http://a',
    'http://a.b',
    'http://example.1',
    'http://-a.example',
    'http://a-.example',
    'http://a..example',
    'http://.example',
    'http://a_b.example',
    'http://a.example-',
    'http://exa mple.com',
    'http://example.com/a b',
    'http://example.com\\x',
    'http://evil.example\\@example.com',
    'http://exam%70le.com',
    'http://example.com:',
    'http://example.com:x',
    'http://example.com:65536',
    'http://example.com:123456',
    'http://:80',
    'http://@example.com',
    'http://a:b:c@example.com',
    'http://127.1',
    'http://0x7f.0.0.1',
    'http://2130706433',
    'http://256.1.1.1',
    'http://192.168.00.1',
    'http://[::g]',
    'http://[1',
    'http://::1',
    'http://[::1',
    'http://example.com\n/',
    'ht\ntp://example.com',
    'http://<a>.example',
    `http://${'a'.repeat(64)}.example`,
    `http://${'a.'.repeat(124)}example`,
    `http://example.com/${'a'.repeat(2048)}`,
  ]
  for (const text of wrong) assert.throws(() => parse(text), ValidationError, text)
})

test('the options of text apply, and are checked first', () => {
  const field = url({ max: 20, blank: true })
  assert.deepEqual(
    [field.kind.name, field.bounds, field.parse(' ', {} as ParseContext)],
    ['url', { max_length: 20 }, ''],
  )
  assert.throws(() => field.parse('x'.repeat(21), {} as ParseContext), /no more than 20 characters/)
})
