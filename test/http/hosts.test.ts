// The base of absolute URLs (END-p1): scheme and host of the request if they are trusted, or the publicUrl setting.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiOptions } from 'resource-api'
import type { RequestOptions } from '../support/client.ts'
import { type StartOptions, startApi } from '../support/own-api.ts'

const baseUrlView = {
  name: 'Where',
  handlers: { GET: ({ baseUrl }: { baseUrl: string }) => ({ status: 200, body: baseUrl }) },
}

async function readBaseUrl(headers: RequestOptions['headers'], options: ApiOptions = {}, start: StartOptions = {}) {
  const { client, stop } = await startApi({ ...options, views: { '/where/': baseUrlView } }, start)
  const response = await client.get(`${start.prefix ?? ''}/where/`, { headers: headers! })
  await stop()
  return [response.status, response.json()]
}

const refused = [400, { detail: 'Invalid host.' }]
const api = { allowedHosts: ['api.example.org'] }

test('END-p1: URLs begin with the scheme and host of the request, and the prefix of the API', async () => {
  assert.deepEqual(await readBaseUrl({ host: 'localhost' }), [200, 'http://localhost'])
  assert.deepEqual(await readBaseUrl({ host: '127.0.0.1:8000' }), [200, 'http://127.0.0.1:8000'])
  assert.deepEqual(await readBaseUrl({ host: '[::1]:8000' }), [200, 'http://[::1]:8000'])
  assert.deepEqual(await readBaseUrl({ host: 'localhost' }, {}, { prefix: '/v1' }), [200, 'http://localhost/v1'])
  assert.deepEqual(await readBaseUrl({ host: 'api.example.org' }, api), [200, 'http://api.example.org'])
})

test('END-p1, SVC-5: a malformed host, or a host that is not allowed, is refused before anything else', async () => {
  const malformedHosts = [
    ...'evil.example localhost.evil.example localhost:x localhost:99999 user@localhost / <'.split(' '),
    'a b',
  ]
  for (const host of malformedHosts) assert.deepEqual(await readBaseUrl({ host }), refused, host)
  assert.deepEqual(await readBaseUrl({ host: 'localhost' }, api), refused)
})

test('END-p1: publicUrl is the base for every request, and the Host header is still checked', async () => {
  const options = { ...api, publicUrl: 'https://public.example.org/base/' }
  assert.deepEqual(await readBaseUrl({ host: 'api.example.org' }, options), [200, 'https://public.example.org/base'])
  const withPrefix = await readBaseUrl({ host: 'api.example.org' }, options, { prefix: '/v1' })
  assert.deepEqual(withPrefix, [200, 'https://public.example.org/base/v1'])
  assert.deepEqual(await readBaseUrl({ host: 'evil.example' }, options), refused)
})

test('END-p1: X-Forwarded headers are trusted from listed proxies only', async () => {
  const headers = { host: 'localhost', 'x-forwarded-host': 'api.example.org', 'x-forwarded-proto': 'https' }
  const options = { allowedHosts: ['localhost', 'api.example.org'] }
  assert.deepEqual(await readBaseUrl(headers, options), [200, 'http://localhost'])
  assert.deepEqual(await readBaseUrl(headers, options, { trustProxy: '10.0.0.1' }), [200, 'http://localhost'])
  assert.deepEqual(await readBaseUrl(headers, options, { trustProxy: '127.0.0.1' }), [200, 'https://api.example.org'])
  const forbiddenHost = { ...headers, 'x-forwarded-host': 'evil.example' }
  assert.deepEqual(await readBaseUrl(forbiddenHost, options, { trustProxy: '127.0.0.1' }), refused)
})

test('END-p1: a trusted proxy can set the scheme only to http or https', async () => {
  const options = { allowedHosts: ['localhost'] }
  for (const proto of ['javascript', 'ftp', 'https://evil.example/', '"', 'HTTPS']) {
    const [status, body] = await readBaseUrl({ host: 'localhost', 'x-forwarded-proto': proto }, options, {
      trustProxy: '127.0.0.1',
    })
    assert.ok(status === 400 || /^https?:\/\/localhost$/.test(body), `${status} ${body} for ${proto}`)
  }
})
