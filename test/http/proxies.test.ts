// Forwarded headers of proxies: ignored unless the proxy is trusted (END-p1).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { onEveryDatabase, onEveryService } from '../support/service.ts'

const forwarded = {
  'x-forwarded-host': 'api.example.org',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-port': '444',
  forwarded: 'for=203.0.113.7;host=api.example.org;proto=https',
}

suite('no trusted proxy', () => {
  onEveryDatabase({ profiles: ['directory'], allowedHosts: ['*'] }, service => {
    test('END-p1: by default, forwarded headers do not change the origin of URLs', async () => {
      const { client } = service()
      const response = await client.get('/', { headers: forwarded })
      assert.deepEqual([response.status, response.json().users], [200, `${client.origin}/users/`])
    })
  })
})

suite('another address is trusted', () => {
  onEveryDatabase({ profiles: ['directory'], allowedHosts: ['*'], trustedProxies: ['192.0.2.1'] }, service => {
    test('END-p1: forwarded headers from other addresses than the trusted proxy are ignored', async () => {
      const { client } = service()
      for (const headers of [forwarded, { ...forwarded, 'x-forwarded-for': '192.0.2.1' }])
        assert.equal((await client.get('/', { headers })).json().users, `${client.origin}/users/`)
    })
  })
})

suite('the loopback address is trusted', () => {
  const options = { profiles: ['directory' as const], trustedProxies: ['127.0.0.1'] }
  onEveryService({ ...options, allowedHosts: ['api.example.org', 'localhost', '127.0.0.1'] }, service => {
    test('END-p1: forwarded headers of the trusted proxy set the origin of URLs', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      assert.equal((await client.get('/', { headers: forwarded })).json().users, 'https://api.example.org/users/')
      const { results } = (await client.get('/users/', { headers: forwarded, token })).json()
      assert.match(results[0].url, /^https:\/\/api\.example\.org\/users\/\d+\/$/)
      assert.equal((await client.get('/')).json().users, `${client.origin}/users/`)
    })

    test('END-p1: if a forwarded header has several values, the last one counts', async () => {
      const headers = { 'x-forwarded-host': 'evil.example, api.example.org', 'x-forwarded-proto': 'javascript, https' }
      const response = await service().client.get('/', { headers })
      assert.equal(response.json().users, 'https://api.example.org/users/')
    })

    test('END-p1: a host or scheme that is not allowed is 400, even from a trusted proxy', async () => {
      const { client } = service()
      for (const [headers, detail] of [
        [{ 'x-forwarded-host': 'evil.example' }, 'Invalid host.'],
        [{ 'x-forwarded-host': 'api.example.org, evil.example' }, 'Invalid host.'],
        [{ 'x-forwarded-host': 'api.example.org/x' }, 'Invalid host.'],
        [{ 'x-forwarded-proto': 'javascript' }, 'Invalid scheme.'],
        [{ 'x-forwarded-proto': 'https://evil.example/?' }, 'Invalid scheme.'],
      ] as const) {
        const response = await client.get('/', { headers })
        assert.deepEqual([response.status, response.json()], [400, { detail }])
      }
    })
  })

  onEveryDatabase({ ...options, publicUrl: 'https://public.example' }, service => {
    test('END-p1: a configured public URL overrides forwarded headers', async () => {
      const { client } = service()
      const headers = { ...forwarded, 'x-forwarded-host': 'public.example', 'x-forwarded-proto': 'http' }
      for (const forwardedHeaders of [{}, headers])
        assert.equal(
          (await client.get('/', { headers: forwardedHeaders })).json().users,
          'https://public.example/users/',
        )
      const response = await client.get('/', { headers: forwarded })
      assert.deepEqual([response.status, response.json()], [400, { detail: 'Invalid host.' }])
    })
  })
})
