// CORS: browsers refuse other origins until the cors setting lists them.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { readSettings } from 'resource-api/service'
import type { TestOptions } from '../support/service.ts'
import { type RunningService, startService } from '../support/service.ts'

const origin = 'https://app.example.org'
const kind = { database: 'SQLite', transport: 'in the process' } as const

function onService(options: TestOptions, define: (service: () => RunningService) => void): void {
  let running: RunningService
  before(async () => {
    running = await startService(kind, options)
  })
  after(() => running?.stop())
  define(() => running)
}

/** Returns the CORS headers of a response. */
const corsHeaders = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

const preflight = (method = 'PATCH', requestOrigin = origin) => ({
  headers: {
    origin: requestOrigin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization',
  },
})

suite('without allowed origins', () => {
  onService({}, service => {
    test('responses have no CORS headers, and a preflight is an ordinary OPTIONS request', async () => {
      const { client } = service()
      const response = await client.get('/', { headers: { origin } })
      assert.deepEqual(corsHeaders(response.headers), {})
      assert.doesNotMatch(response.headers.vary!, /Origin/)
      const options = await client.request('OPTIONS', '/snippet/snippets/', preflight())
      assert.equal(options.status, 200)
      assert.deepEqual(corsHeaders(options.headers), {})
    })
  })
})

suite('with one allowed origin', () => {
  onService({ cors: { origins: [origin] }, throttles: { anon: '2/hour' } }, service => {
    test('a preflight needs no credentials, lists the methods of the view and is not throttled', async () => {
      const { client } = service()
      for (const [path, methods] of [
        ['/directory/users/', 'GET, POST, HEAD, OPTIONS'],
        ['/directory/users/1/', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
        ['/directory/users', 'GET, POST, HEAD, OPTIONS'],
        ['/api-token-auth/', 'POST, OPTIONS'],
        ['/nothing/', 'OPTIONS'],
      ] as const) {
        const response = await client.request('OPTIONS', path, preflight())
        assert.equal(response.status, 204, path)
        assert.equal(response.text, '')
        assert.deepEqual(corsHeaders(response.headers), {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': methods,
          'access-control-allow-headers':
            'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-CSRFToken, X-Request-Id',
          'access-control-max-age': '600',
        })
        assert.equal(response.headers.vary, 'Origin')
      }
    })

    test('an OPTIONS request that is not a preflight returns metadata', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('opal')
      for (const headers of [{ origin }, { 'access-control-request-method': 'PATCH' }, {}] as const) {
        const response = await client.request('OPTIONS', '/directory/users/', { token: key, headers })
        assert.equal(response.status, 200)
        assert.ok(response.json().actions)
      }
    })

    test('only the allowed origin may read responses, errors included', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      const exposed = {
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'Allow, ETag, Link, Location, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
      }
      for (const [path, options, status] of [
        ['/directory/users/', { token: key }, 200],
        ['/directory/users', {}, 301],
        ['/directory/users/', {}, 401],
        ['/nothing/', {}, 404],
        ['/', {}, 200],
        ['/', {}, 200],
        ['/', {}, 429],
      ] as const) {
        const response = await client.get(path, { ...options, headers: { origin } })
        assert.equal(response.status, status, path)
        assert.deepEqual(corsHeaders(response.headers), exposed)
        assert.match(response.headers.vary!, /^Accept\b.*, Origin$/)
      }
      for (const forbiddenOrigin of [
        'https://evil.example',
        'http://app.example.org',
        `${origin}:444`,
        `${origin}/`,
        'null',
        '*',
      ]) {
        const response = await client.get('/directory/users/', { token: key, headers: { origin: forbiddenOrigin } })
        assert.deepEqual(corsHeaders(response.headers), {}, forbiddenOrigin)
        assert.match(response.headers.vary!, /, Origin$/)
        const refused = await client.request('OPTIONS', '/directory/users/', preflight('PATCH', forbiddenOrigin))
        assert.deepEqual([refused.status, corsHeaders(refused.headers)], [204, {}])
      }
      assert.match((await client.get('/directory/users/', { token: key })).headers.vary!, /, Origin$/)
    })
  })
})

suite('credentials and wildcard', () => {
  test('with credentials, the allowed origins may send cookies', async () => {
    const service = await startService(kind, {
      cors: { origins: [origin], credentials: true, maxAge: 0, headers: 'X-A' },
    })
    const { headers } = await service.client.request('OPTIONS', '/', preflight())
    assert.equal(headers['access-control-allow-credentials'], 'true')
    assert.equal(headers['access-control-allow-headers'], 'X-A')
    assert.equal(headers['access-control-max-age'], '0')
    const response = await service.client.get('/', { headers: { origin } })
    assert.equal(response.headers['access-control-allow-credentials'], 'true')
    await service.stop()
  })

  test('"*" allows every origin with one response for all, and never allows credentials', async () => {
    const service = await startService(kind, { cors: { origins: '*' } })
    const response = await service.client.get('/', { headers: { origin: 'https://anything.example' } })
    assert.equal(response.headers['access-control-allow-origin'], '*')
    assert.doesNotMatch(response.headers.vary!, /Origin/)
    await service.stop()
    for (const [cors, message] of [
      [{ origins: ['*'], credentials: true }, /^cors \(config file\)\.origins: must list the origins/],
      [{ origins: ['*', origin] }, /must be "\*" alone/],
      [{ origins: ['app.example.org'] }, /must be origins such as/],
      [{ origins: ['https://app.example.org/'] }, /must be origins such as/],
    ] as const)
      assert.throws(() => readSettings({ file: { cors: cors as never } }), { message })
    assert.throws(() => readSettings({ environment: { CORS_ORIGINS: 'x' } }), /^SettingsError: CORS_ORIGINS: must be/)
    const { cors } = readSettings({ environment: { CORS_ORIGINS: `${origin}, http://localhost:3000` } })
    assert.deepEqual(cors.origins, [origin, 'http://localhost:3000'])
  })
})
