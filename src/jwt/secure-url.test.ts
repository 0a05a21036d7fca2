import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSecureUrl } from '#core'
import { isKeyUrl } from './secure-url.ts'

test('only HTTPS URLs and HTTP URLs of this machine are secure', () => {
  for (const url of [
    'https://a.example',
    'https://10.0.0.1/x?y',
    'http://localhost:1',
    'http://127.1.2.3',
    'http://[::1]/',
  ])
    assert.ok(parseSecureUrl(url), url)
  for (const url of [
    '',
    'a.example',
    '//a.example',
    'http://a.example',
    'http://localhost.a.example',
    'http://127.0.0.1.a.example',
    'http://10.0.0.1',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0',
    'http://user@localhost',
    'https://user:secret@a.example',
    'ftp://localhost',
    'file:///etc/passwd',
    'data:application/json,{}',
    'javascript:alert(1)',
  ])
    assert.equal(parseSecureUrl(url), undefined, url)
})

test('a provider elsewhere cannot send this machine to its own ports', () => {
  assert.equal(isKeyUrl('http://localhost:9200/keys', 'https://login.example.org'), false)
  assert.equal(isKeyUrl('http://localhost:9200/keys', 'http://127.0.0.1:8080'), true)
  assert.equal(isKeyUrl('https://keys.example.org/keys', 'https://login.example.org'), true)
  for (const uri of [undefined, null, 7, ['https://keys.example.org/keys']])
    assert.equal(isKeyUrl(uri, 'https://login.example.org'), false)
})
