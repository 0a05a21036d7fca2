// Pages of other origins: refused by the browser until the deployer names them.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { readSettings, type ServiceOptions } from '../../src/service/settings/settings.ts'
import { type RunningService, startService } from '../support/service.ts'

const origin = 'https://app.example.org'
const kind = { database: 'SQLite', transport: 'in the process' } as const

function onService(options: ServiceOptions, define: (service: () => RunningService) => void): void {
  let running: RunningService
  before(async () => {
    running = await startService(kind, options)
  })
  after(() => running?.stop())
  define(() => running)
}

/** The fields of CORS that an answer has. */
const fieldsOf = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')))

const preflight = (method = 'PATCH', from = origin) => ({
  headers: { origin: from, 'access-control-request-method': method, 'access-control-request-headers': 'authorization' },
})

suite('no origin is named', () => {
  onService({}, service => {
    test('no answer has a field of CORS, and a preflight is a request for metadata', async () => {
      const { client } = service()
      const answer = await client.get('/', { headers: { origin } })
      assert.deepEqual(fieldsOf(answer.headers), {})
      assert.doesNotMatch(answer.headers.vary!, /Origin/)
      const asked = await client.request('OPTIONS', '/snippet/snippets/', preflight())
      assert.equal(asked.status, 200)
      assert.deepEqual(fieldsOf(asked.headers), {})
    })
  })
})

suite('one origin is named', () => {
  onService({ cors: { origins: [origin] }, throttles: { anon: '2/hour' } }, service => {
    test('preflights are answered without credentials, with the methods of the view, and count for no throttle', async () => {
      const { client } = service()
      for (const [path, methods] of [
        ['/directory/users/', 'GET, POST, HEAD, OPTIONS'],
        ['/directory/users/1/', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
        ['/directory/users', 'GET, POST, HEAD, OPTIONS'],
        ['/api-token-auth/', 'POST, OPTIONS'],
        ['/nothing/', 'OPTIONS'],
      ] as const) {
        const answer = await client.request('OPTIONS', path, preflight())
        assert.equal(answer.status, 204, path)
        assert.equal(answer.text, '')
        assert.deepEqual(fieldsOf(answer.headers), {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': methods,
          'access-control-allow-headers': 'Authorization, Content-Type, X-CSRFToken, X-Request-Id',
          'access-control-max-age': '600',
        })
        assert.equal(answer.headers.vary, 'Origin')
      }
    })

    test('what is no preflight asks for metadata, as ever', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('opal')
      for (const headers of [{ origin }, { 'access-control-request-method': 'PATCH' }, {}] as const) {
        const answer = await client.request('OPTIONS', '/directory/users/', { token: key, headers })
        assert.equal(answer.status, 200)
        assert.ok(answer.json().actions)
      }
    })

    test('answers may be read by that origin, also errors; and by no other', async () => {
      const { client, createUser } = service()
      const { key } = await createUser('ann')
      const exposed = {
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'Allow, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, X-Request-Id',
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
        const answer = await client.get(path, { ...options, headers: { origin } })
        assert.equal(answer.status, status, path)
        assert.deepEqual(fieldsOf(answer.headers), exposed)
        assert.match(answer.headers.vary!, /^Accept\b.*, Origin$/)
      }
      for (const other of [
        'https://evil.example',
        'http://app.example.org',
        `${origin}:444`,
        `${origin}/`,
        'null',
        '*',
      ]) {
        const answer = await client.get('/directory/users/', { token: key, headers: { origin: other } })
        assert.deepEqual(fieldsOf(answer.headers), {}, other)
        assert.match(answer.headers.vary!, /, Origin$/)
        const refused = await client.request('OPTIONS', '/directory/users/', preflight('PATCH', other))
        assert.deepEqual([refused.status, fieldsOf(refused.headers)], [204, {}])
      }
      assert.match((await client.get('/directory/users/', { token: key })).headers.vary!, /, Origin$/)
    })
  })
})

suite('credentials and any origin', () => {
  test('sessions of the named origins are let through', async () => {
    const service = await startService(kind, {
      cors: { origins: [origin], credentials: true, maxAge: 0, headers: 'X-A' },
    })
    const { headers } = await service.client.request('OPTIONS', '/', preflight())
    assert.equal(headers['access-control-allow-credentials'], 'true')
    assert.equal(headers['access-control-allow-headers'], 'X-A')
    assert.equal(headers['access-control-max-age'], '0')
    const answer = await service.client.get('/', { headers: { origin } })
    assert.equal(answer.headers['access-control-allow-credentials'], 'true')
    await service.stop()
  })

  test('"*" is any, the same for all, and never with credentials', async () => {
    const service = await startService(kind, { cors: { origins: '*' } })
    const answer = await service.client.get('/', { headers: { origin: 'https://anything.example' } })
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.doesNotMatch(answer.headers.vary!, /Origin/)
    await service.stop()
    for (const [cors, message] of [
      [{ origins: ['*'], credentials: true }, /^cors \(config file\)\.origins: must name the origins/],
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
