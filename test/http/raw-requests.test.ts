// Requests that HTTP clients do not send: the tests write the bytes to the socket.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Client, socketClient } from '../support/client.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { onEveryDatabase } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

const badRequest = [400, '{"detail":"Bad request."}'] as const
const badHost = [400, '{"detail":"Invalid host."}'] as const
const notFound = [404, '{"detail":"Not found."}'] as const

onEveryDatabase({}, service => {
  let client: Client
  let authorization: string
  let dump: string
  const host = 'Host: localhost'
  const json = 'Content-Type: application/json'

  before(async () => {
    client = await socketClient(service().app)
    authorization = `Authorization: Token ${(await service().createUser('ann')).key}`
    dump = await dumpTables(service().services.database)
  })
  after(() => client.close())

  /** Returns the status and body of the response, which must be JSON; the request must not change the database. */
  async function send(bytes: string | Buffer, end = false): Promise<readonly [status: number, body: string]> {
    const { status, text, headers } = await sendRaw(client.origin, bytes, { end })
    assert.equal(headers['content-type'], 'application/json', bytes.toString('latin1').slice(0, 80))
    assert.equal(await dumpTables(service().services.database), dump)
    return [status, text]
  }
  const get = (target: string, ...headers: readonly string[]) =>
    send(rawRequest(`GET ${target}`, [authorization, ...headers]))

  test('SVC-5, END-p1: a missing, duplicate, malformed or disallowed host is 400', async () => {
    for (const target of ['/', '/directory/users/', '/nothing/', '/api-token-auth/']) {
      assert.deepEqual(await get(target), badHost)
      assert.deepEqual(await get(target, host, host), badHost)
      assert.deepEqual(await get(target, host, 'host: evil.example'), badHost)
      for (const name of [
        '',
        'evil.example',
        'localhost.evil.example',
        'evil.example#localhost',
        'localhost@evil.example',
        'localhost/',
        'localhost:99999',
        'localhost:x',
        'localhost:80:80',
        'local host',
        'localhost,evil.example',
        '"localhost"',
        '[::1',
        'loc\xe4lhost',
        '__proto__',
        'undefined',
        'x'.repeat(5000),
      ])
        assert.deepEqual(await get(target, `Host: ${name}`), badHost, name)
    }
    const http10 = await send(`GET / HTTP/1.0\r\n${authorization}\r\n\r\n`)
    assert.deepEqual(http10, badHost)
  })

  test('END-p1: URLs in the response have the host and port of the request', async () => {
    for (const name of ['localhost:1234', 'LOCALHOST', 'api.localhost', '127.0.0.1', '[::1]:80']) {
      const [status, body] = await get('/', `Host: ${name}`)
      assert.deepEqual([status, JSON.parse(body).directory], [200, `http://${name}/directory/`])
    }
  })

  test('END-p1: the host of a target in absolute form overrides the Host header', async () => {
    assert.deepEqual(await get('http://evil.example/', host), badHost)
    assert.deepEqual(await get('http://evil.example', host), badHost)
    const [status, body] = await get('http://127.0.0.1:8/directory/', host)
    assert.deepEqual([status, JSON.parse(body).users], [200, 'http://127.0.0.1:8/directory/users/'])
    const response = await sendRaw(client.origin, rawRequest('GET http://evil.example/directory', [host]))
    assert.deepEqual([response.status, response.headers.location], [301, '/directory/'])
  })

  test('SVC-5: paths are not normalized', async () => {
    for (const path of [
      '/directory/users/../users/',
      '/directory/users/%2e%2e/',
      '/./',
      '//',
      '//evil.example/directory',
      '/\\evil.example',
      '/directory//users/',
      '/Directory/users/',
      '/directory/users;a=b/',
      '/directory/users/%0d%0aX-Evil:1/',
    ])
      assert.deepEqual(await get(path, host), notFound, path)
    assert.deepEqual(await get('/directory/users/%zz/', host), badRequest)
    assert.deepEqual(await get('/directory/users/\xe9/', host), badRequest)
  })

  test('SVC-5: malformed HTTP is 400', async () => {
    const createRequest = (line: string) => `${line}\r\n${host}\r\n${authorization}\r\n\r\n`
    for (const bytes of [
      createRequest('NONSENSE /directory/users/ HTTP/1.1'),
      createRequest('get /directory/users/ HTTP/1.1'),
      createRequest('GET /directory/users/ HTTP/9.9'),
      createRequest('GET directory/users/ HTTP/1.1'),
      createRequest('GET  HTTP/1.1'),
      createRequest('CONNECT localhost:80 HTTP/1.1'),
      createRequest('GET /a b HTTP/1.1'),
      `GET / HTTP/1.1\r\n${host}\r\nX: a\0b\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nX : a\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nX: a\rY: b\r\n\r\n`,
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      '\r\n\0\r\n\r\n',
    ])
      assert.deepEqual(await send(bytes), badRequest, JSON.stringify(bytes))
  })

  test('SVC-5: lengths that contradict each other or the body are 400', async () => {
    const post = (headers: readonly string[], body: string, end = false) =>
      send(rawRequest('POST /directory/users/', [host, authorization, json, ...headers], body), end)
    const user = '{"username":"smuggled"}'
    assert.deepEqual(await post(['Content-Length: 23', 'Content-Length: 24'], user), badRequest)
    assert.deepEqual(
      await post(['Content-Length: 23', 'Transfer-Encoding: chunked'], `${user}\r\n0\r\n\r\n`),
      badRequest,
    )
    assert.deepEqual(await post(['Transfer-Encoding: chunked, identity'], user), badRequest)
    assert.deepEqual(await post(['Transfer-Encoding: chunked'], 'zz\r\n'), badRequest)
    assert.deepEqual(await post(['Content-Length: -1'], user), badRequest)
    assert.deepEqual(await post(['Content-Length: 2e1'], user), badRequest)
    assert.deepEqual(await post(['Content-Length: 100'], user, true), badRequest)
  })

  test('SVC-5: headers above the limit are 431', async () => {
    const tooLarge = [431, '{"detail":"Request header fields are too large."}']
    assert.deepEqual(await get('/', host, `X: ${'a'.repeat(20_000)}`), tooLarge)
    assert.deepEqual(await get(`/?${'a'.repeat(20_000)}`, host), tooLarge)
    const many = Array.from({ length: 1500 }, (_, index) => `X-${index}: aaaa`)
    assert.deepEqual(await get('/', host, ...many), tooLarge)
  })

  test('SVC-5: an unknown expectation is 417', async () => {
    const bytes = rawRequest('POST /directory/users/', [host, authorization, 'Expect: a-miracle', 'Content-Length: 0'])
    assert.deepEqual(await send(bytes), [417, '{"detail":"Expectation failed."}'])
  })

  test('SVC-5, AUTH-GEN-4: unknown headers change nothing, and a second Authorization header does not replace the first', async () => {
    const expected = await get('/directory/users/', host)
    const unknownHeaders = [
      '__proto__: x',
      'constructor: y',
      'toString: z',
      'X-HTTP-Method-Override: DELETE',
      'Upgrade: h2c',
    ]
    assert.deepEqual(await get('/directory/users/', host, ...unknownHeaders), expected)
    const request = rawRequest('GET /directory/users/', [host, 'Authorization: Token wrong', authorization])
    assert.deepEqual(await send(request), [401, '{"detail":"Invalid token."}'])
  })
})
