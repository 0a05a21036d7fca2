// What proxies say of a request: nothing, unless they are trusted (END-p1).

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

suite('nobody is trusted', () => {
  onEveryDatabase({ profiles: ['directory'], allowedHosts: ['*'] }, service => {
    test('END-p1: by default nobody may say what the address is', async () => {
      const { client } = service()
      const response = await client.get('/', { headers: forwarded })
      assert.deepEqual([response.status, response.json().users], [200, `${client.origin}/users/`])
    })
  })
})

suite('another machine is trusted', () => {
  onEveryDatabase({ profiles: ['directory'], allowedHosts: ['*'], trustedProxies: ['192.0.2.1'] }, service => {
    test('END-p1: who is not the trusted proxy is not believed', async () => {
      const { client } = service()
      for (const headers of [forwarded, { ...forwarded, 'x-forwarded-for': '192.0.2.1' }])
        assert.equal((await client.get('/', { headers })).json().users, `${client.origin}/users/`)
    })
  })
})

suite('this machine is trusted', () => {
  const options = { profiles: ['directory' as const], trustedProxies: ['127.0.0.1'] }
  onEveryService({ ...options, allowedHosts: ['api.example.org', 'localhost', '127.0.0.1'] }, service => {
    test('END-p1: the trusted proxy says what the address is', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      assert.equal((await client.get('/', { headers: forwarded })).json().users, 'https://api.example.org/users/')
      const { results } = (await client.get('/users/', { headers: forwarded, token })).json()
      assert.match(results[0].url, /^https:\/\/api\.example\.org\/users\/\d+\/$/)
      assert.equal((await client.get('/')).json().users, `${client.origin}/users/`)
    })

    test('END-p1: of several values the one nearest to the service counts', async () => {
      const headers = { 'x-forwarded-host': 'evil.example, api.example.org', 'x-forwarded-proto': 'javascript, https' }
      const response = await service().client.get('/', { headers })
      assert.equal(response.json().users, 'https://api.example.org/users/')
    })

    test('END-p1: even from a trusted proxy, a foreign host or scheme is 400', async () => {
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
    test('END-p1: a public URL is the address whatever anyone says', async () => {
      const { client } = service()
      const headers = { ...forwarded, 'x-forwarded-host': 'public.example', 'x-forwarded-proto': 'http' }
      for (const given of [{}, headers])
        assert.equal((await client.get('/', { headers: given })).json().users, 'https://public.example/users/')
      const foreign = await client.get('/', { headers: forwarded })
      assert.deepEqual([foreign.status, foreign.json()], [400, { detail: 'Invalid host.' }])
    })
  })
})
