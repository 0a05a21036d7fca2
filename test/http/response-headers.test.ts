// Headers of every response.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { connectTo, TestResponse } from '../support/client.ts'
import { sendRaw } from '../support/raw-http.ts'
import { type RunningService, startService } from '../support/service.ts'

const fields = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

const kind = { database: 'SQLite', transport: 'over a socket' } as const

async function withService(
  options: Parameters<typeof startService>[1],
  use: (service: RunningService) => Promise<void>,
): Promise<void> {
  const service = await startService(kind, options)
  await use(service).finally(() => service.stop())
}

function assertFields({ headers, text }: TestResponse, expected: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, `${name} of ${text}`)
  assert.match(headers['x-request-id']!, /^[\w-]{13,40}$/, text)
}

test('JSON, error, redirect, throttled and raw responses have the fixed headers', async () => {
  await withService({ throttles: { scopes: { snippets: '3/hour' } } }, async ({ client, createUser }) => {
    const { key } = await createUser('ann')
    const raw = (request: string) => sendRaw(client.origin, request)
    const exchanges: readonly (readonly [status: number, pending: Promise<TestResponse>])[] = [
      [200, client.get('/')],
      [200, client.get('/directory/users/', { token: key })],
      [401, client.get('/directory/users/')],
      [404, client.get('/nothing/')],
      [301, client.get('/directory/users')],
      [308, client.post('/directory/users', { json: {} })],
      [405, client.delete('/')],
      [400, client.get('/', { headers: { host: 'evil.example' } })],
      [400, client.post('/api-token-auth/', { body: '{', headers: { 'content-type': 'application/json' } })],
      [415, client.post('/api-token-auth/', { body: 'x', headers: { 'content-type': 'text/plain' } })],
      [200, client.request('OPTIONS', '/snippet/snippets/')],
      [200, client.request('HEAD', '/snippet/snippets/')],
      [200, client.get('/snippet/snippets/')],
      [429, client.get('/snippet/snippets/')],
      [400, client.get('/%zz/')],
      [400, raw('nonsense\r\n\r\n')],
      [400, raw('CONNECT example.org:443 HTTP/1.1\r\nHost: localhost\r\n\r\n')],
      [417, raw('GET / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\nConnection: close\r\n\r\n')],
      [431, raw(`GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)],
    ]
    for (const [status, pending] of exchanges) {
      const response = await pending
      assert.equal(response.status, status, response.text)
      assertFields(response, { ...fields, 'strict-transport-security': undefined })
    }
  })
})

test('browsers of authenticated callers may store what has an ETag, and revalidate it', async () => {
  await withService({ exceptionHandler: () => undefined }, async ({ client, createUser }) => {
    const { key } = await createUser('ann')
    for (const path of ['/directory/users/', '/directory/groups/', '/snippet/snippets/']) {
      const { headers } = await client.get(path, { token: key })
      assert.deepEqual([headers['cache-control'], typeof headers.etag], ['private, no-cache', 'string'], path)
    }
    const anonymous = await client.get('/snippet/snippets/')
    assert.deepEqual([anonymous.headers['cache-control'], typeof anonymous.headers.etag], [undefined, 'string'])
    assert.match(anonymous.headers.vary!, /Authorization, Cookie/)
  })
})

test('no cache may store errors, secrets, pages or responses to writes of an authenticated caller', async () => {
  await withService({ exceptionHandler: () => undefined }, async ({ client, createUser }) => {
    const { key: token } = await createUser('sue', { superuser: true, staff: true })
    const json = { username: 'ann', password: 'correct horse battery staple' }
    const exchanges: readonly Promise<TestResponse>[] = [
      client.get('/', { token }),
      client.get('/directory/users/999/', { token }),
      client.get('/directory/users/', { token, headers: { accept: 'text/html' } }),
      client.get('/admin/users/', { token }),
      client.get('/admin/users/1/', { token }),
      client.get('/admin/tokens/', { token }),
      client.get('/admin/sessions/', { token }),
      client.get('/admin/audit-log/', { token }),
      client.post('/admin/users/', { token, json }),
    ]
    for (const exchange of exchanges) {
      const { headers, text } = await exchange
      assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined], text)
    }
  })
})

test('all responses at the URLs of tokens, logins, passwords and sessions have Cache-Control: no-store', async () => {
  await withService({}, async ({ client, createUser }) => {
    const { key: token } = await createUser('ann')
    const json = { username: 'ann', password: 'correct horse battery staple' }
    const text = { body: 'x', headers: { 'content-type': 'text/plain' } }
    const statuses = new Set<number>()
    const assertNotStored = async (pending: Promise<TestResponse>, ...expected: readonly number[]) => {
      const { status, headers, text } = await pending
      statuses.add(status)
      assert.ok(expected.length === 0 || expected.includes(status), `${status} ${text}`)
      assert.deepEqual([headers['cache-control'], headers.etag], ['no-store', undefined], `${status} ${text}`)
    }
    const tokens = '/api-token-auth/'
    await assertNotStored(client.post(tokens, { json }), 200)
    await assertNotStored(client.request('OPTIONS', tokens), 200)
    await assertNotStored(client.post(tokens, { json: { ...json, password: 'wrong' } }), 400)
    await assertNotStored(client.post(tokens, { json: {} }), 400)
    await assertNotStored(
      client.post(tokens, { ...text, body: '{', headers: { 'content-type': 'application/json' } }),
      400,
    )
    await assertNotStored(client.post(tokens, { json, headers: { host: 'evil.example' } }), 400)
    await assertNotStored(client.post(tokens, { json, token: 'wrong' }), 401)
    await assertNotStored(client.get(tokens), 405)
    await assertNotStored(client.post(tokens, { json: { ...json, username: 'x'.repeat(70_000) } }), 413)
    await assertNotStored(client.post(tokens, text), 415)
    const pages = ['login', 'logout', 'password', 'sessions', 'sessions/end', 'tokens', 'tokens/revoke']
    const administration = ['users', 'users/1', 'tokens', 'tokens/1', 'sessions', 'sessions/1', 'audit-log']
    for (const path of [...pages.map(page => `/api-auth/${page}/`), ...administration.map(name => `/admin/${name}/`)])
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])
        for (const caller of [{}, { token }, { token: 'wrong' }]) {
          await assertNotStored(client.request(method, path, caller))
          await assertNotStored(client.request(method, path, { ...caller, ...text }))
        }
    for (let attempt = 0; !statuses.has(429) && attempt < 100; attempt++)
      await assertNotStored(client.post(tokens, { json: { ...json, password: 'wrong' } }), 400, 429)
    assert.ok(new Set([200, 400, 401, 403, 405, 413, 415, 429]).isSubsetOf(statuses), [...statuses].join())
  })
})

test('with an HTTPS publicUrl, responses have Strict-Transport-Security', async () => {
  await withService({ publicUrl: 'https://localhost/' }, async ({ client }) => {
    const expected = { ...fields, 'strict-transport-security': 'max-age=31536000' }
    assertFields(await client.get('/'), expected)
    assertFields(await sendRaw(client.origin, 'nonsense\r\n\r\n'), expected)
    assert.match(
      (await client.get('/', { headers: { accept: 'text/html' } })).headers['strict-transport-security']!,
      /^max/,
    )
  })
})

test('the headers setting replaces, adds and removes headers; pages keep their Content-Security-Policy', async () => {
  const headers = { 'Referrer-Policy': 'no-referrer', 'permissions-policy': 'camera=()', 'x-frame-options': null }
  await withService({ headers }, async ({ client }) => {
    assertFields(await client.get('/'), {
      ...fields,
      'referrer-policy': 'no-referrer',
      'permissions-policy': 'camera=()',
      'x-frame-options': undefined,
    })
    const page = await client.get('/', { headers: { accept: 'text/html' } })
    assert.match(page.headers['content-security-policy']!, /script-src 'self'/)
  })
})

test('X-Request-Id is accepted from trusted proxies only', async () => {
  const sendRequestId = async (client: { get: ReturnType<typeof connectTo>['get'] }, id: string) =>
    (await client.get('/', { headers: { 'x-request-id': id } })).headers['x-request-id']!
  await withService({ trustedProxies: ['127.0.0.1'] }, async ({ client }) => {
    for (const id of ['a', 'Root=1-67891233-abcdef012345678912345678', 'x'.repeat(128)])
      assert.equal(await sendRequestId(client, id), id)
    for (const id of ['x'.repeat(129), 'a b', 'a,b', 'a"b', 'a{b}', 'é', 'a\tb', '<a>']) {
      const generated = await sendRequestId(client, id)
      assert.match(generated, /^[\w-]{13,40}$/)
      assert.notEqual(generated, await sendRequestId(client, id))
    }
  })
  for (const trustedProxies of [[], ['10.0.0.0/8']])
    await withService({ trustedProxies }, async ({ client }) =>
      assert.notEqual(await sendRequestId(client, 'forged'), 'forged'),
    )
})
