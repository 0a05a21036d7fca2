// The address that absolute URLs begin with (END-p1): the request's own where it may be believed, or the deployer's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiOptions } from '../../src/framework/index.ts'
import type { RequestOptions } from '../support/client.ts'
import { type StartOptions, startApi } from '../support/own-api.ts'

const where = {
  name: 'Where',
  handlers: { GET: ({ baseUrl }: { baseUrl: string }) => ({ status: 200, body: baseUrl }) },
}

async function ask(headers: RequestOptions['headers'], options: ApiOptions = {}, start: StartOptions = {}) {
  const { client, stop } = await startApi({ ...options, views: { '/where/': where } }, start)
  const response = await client.get(`${start.prefix ?? ''}/where/`, { headers: headers! })
  await stop()
  return [response.status, response.json()]
}

const refused = [400, { detail: 'Invalid host.' }]
const api = { allowedHosts: ['api.example.org'] }

test('END-p1: URLs begin with the scheme and host of the request, and the prefix of the API', async () => {
  assert.deepEqual(await ask({ host: 'localhost' }), [200, 'http://localhost'])
  assert.deepEqual(await ask({ host: '127.0.0.1:8000' }), [200, 'http://127.0.0.1:8000'])
  assert.deepEqual(await ask({ host: '[::1]:8000' }), [200, 'http://[::1]:8000'])
  assert.deepEqual(await ask({ host: 'localhost' }, {}, { prefix: '/v1' }), [200, 'http://localhost/v1'])
  assert.deepEqual(await ask({ host: 'api.example.org' }, api), [200, 'http://api.example.org'])
})

test('END-p1, SVC-5: a host that is not allowed, or is none, is refused before anything else', async () => {
  const odd = [
    ...'evil.example localhost.evil.example localhost:x localhost:99999 user@localhost / <'.split(' '),
    'a b',
  ]
  for (const host of odd) assert.deepEqual(await ask({ host }), refused, host)
  assert.deepEqual(await ask({ host: 'localhost' }, api), refused)
})

test("END-p1: the deployer's public URL stands for every request, whose host is still checked", async () => {
  const options = { ...api, publicUrl: 'https://public.example.org/base/' }
  assert.deepEqual(await ask({ host: 'api.example.org' }, options), [200, 'https://public.example.org/base'])
  const under = await ask({ host: 'api.example.org' }, options, { prefix: '/v1' })
  assert.deepEqual(under, [200, 'https://public.example.org/base/v1'])
  assert.deepEqual(await ask({ host: 'evil.example' }, options), refused)
})

test('END-p1: what a proxy says is believed from listed proxies alone', async () => {
  const headers = { host: 'localhost', 'x-forwarded-host': 'api.example.org', 'x-forwarded-proto': 'https' }
  const options = { allowedHosts: ['localhost', 'api.example.org'] }
  assert.deepEqual(await ask(headers, options), [200, 'http://localhost'])
  assert.deepEqual(await ask(headers, options, { trustProxy: '10.0.0.1' }), [200, 'http://localhost'])
  assert.deepEqual(await ask(headers, options, { trustProxy: '127.0.0.1' }), [200, 'https://api.example.org'])
  const foreign = { ...headers, 'x-forwarded-host': 'evil.example' }
  assert.deepEqual(await ask(foreign, options, { trustProxy: '127.0.0.1' }), refused)
})

test('END-p1: a believed proxy cannot make the scheme anything but http or https', async () => {
  const options = { allowedHosts: ['localhost'] }
  for (const proto of ['javascript', 'ftp', 'https://evil.example/', '"', 'HTTPS']) {
    const [status, body] = await ask({ host: 'localhost', 'x-forwarded-proto': proto }, options, {
      trustProxy: '127.0.0.1',
    })
    assert.ok(status === 400 || /^https?:\/\/localhost$/.test(body), `${status} ${body} for ${proto}`)
  }
})
