// Clients that wait for 100 Continue before they send a body (`Expect: 100-continue`, RFC 9110 §10.1.1).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import { createApi } from 'resource-api'
import { multipartStream } from 'resource-api/extend'
import { serverOptions } from 'resource-api/server'
import type { Handler } from '#core'
import { type Client, socketClient } from '../support/client.ts'
import { fieldPart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { openConnection } from '../support/raw-http.ts'
import { onEveryDatabase } from '../support/service.ts'

const continueResponse = 'HTTP/1.1 100 Continue\r\n\r\n'

const formatHead = (start: string, ...headers: readonly string[]) =>
  [`${start} HTTP/1.1`, 'Host: localhost', 'Expect: 100-continue', ...headers, '', ''].join('\r\n')

/** Sends only headers; asserts that the final response arrives without the body and closes the connection. */
async function assertRefused(origin: string, bytes: string, status: number): Promise<void> {
  const connection = openConnection(origin)
  connection.send(bytes)
  const response = await connection.receiveLast()
  assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `), bytes)
  assert.match(response, /\r\nconnection: close\r\n/i)
}

onEveryDatabase({}, service => {
  let client: Client
  let authorization: string
  const json = 'Content-Type: application/json'
  const length = (body: string) => `Content-Length: ${body.length}`

  before(async () => {
    client = await socketClient(service().app)
    authorization = `Authorization: Token ${(await service().createUser('ann')).key}`
  })
  after(() => client.close())

  test('SVC-1: the server sends 100 Continue before it reads a body, and the connection stays usable', async () => {
    const connection = openConnection(client.origin)
    for (const [body, status] of [
      ['{"username":"bob"}', 201],
      ['{"username":', 400],
      ['{"username":"eve"}', 201],
    ] as const) {
      connection.send(formatHead('POST /directory/users/', authorization, json, length(body)))
      assert.equal(await connection.receive(/\r\n\r\n/), continueResponse)
      connection.send(body)
      const response = await connection.receive(/\r\n\r\n\{.*\}$/)
      assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} `))
      assert.doesNotMatch(response, /connection: close/i)
    }
    connection.close()
  })

  test('SVC-1: a body sent without waiting is read, with Content-Length or chunked', async () => {
    const connection = openConnection(client.origin)
    const body = '{"username":"zoe"}'
    connection.send(formatHead('POST /directory/users/', authorization, json, length(body)) + body)
    assert.match(await connection.receive(/"username"/), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /)
    connection.send(formatHead('POST /directory/users/', authorization, json, 'Transfer-Encoding: chunked'))
    assert.equal(await connection.receive(/\r\n\r\n/), continueResponse)
    connection.send('12\r\n{"username":"kim"}\r\n0\r\n\r\n')
    assert.match(await connection.receive(/"username"/), /^HTTP\/1\.1 201 /)
    connection.close()
  })

  test('SVC-1, SVC-2, SVC-5: a refused request gets its final response without 100 Continue', async () => {
    const post = (...headers: readonly string[]) =>
      formatHead('POST /directory/users/', 'Content-Length: 10', ...headers)
    for (const [bytes, status] of [
      [post(json), 401],
      [post(json, 'Authorization: Token wrong'), 401],
      [post(json, authorization, 'Host: evil.example'), 400],
      [post(json, authorization, 'Accept: image/png'), 406],
      [post('Content-Type: text/plain', authorization), 415],
      [formatHead('POST /directory/users/', authorization, json, 'Content-Length: 1000000000'), 413],
      [formatHead('PURGE /directory/users/', authorization, json, 'Content-Length: 10'), 405],
      [formatHead('POST /nothing/', authorization, json, 'Content-Length: 10'), 404],
      [formatHead('POST /directory/%zz/', authorization, json, 'Content-Length: 10'), 400],
      [formatHead('POST /directory/users', authorization, json, 'Content-Length: 10'), 308],
      [formatHead('DELETE /directory/groups/999999/', authorization, 'Content-Length: 10'), 404],
    ] as const)
      await assertRefused(client.origin, bytes, status)
  })

  test('SVC-1: a request without a body gets no 100 Continue', async () => {
    await assertRefused(client.origin, formatHead('GET /directory/users/', authorization), 200)
    await assertRefused(client.origin, formatHead('GET /directory/users/', authorization).replace('1.1', '1.0'), 200)
  })
})

test('SVC-1: for a streamed form, 100 Continue is sent when the handler reads the body, after the throttles', async () => {
  const read: Handler = async ({ requestBody }) => {
    const content: string[] = []
    if (requestBody.kind === 'parts') for await (const { name } of requestBody.parts) content.push(name)
    return { status: 200, body: content }
  }
  const view = { name: 'Upload', parsers: [multipartStream()], handlers: { POST: read } }
  const app = Fastify(serverOptions({ logLevel: 'silent' }))
  const views = {
    '/read/': view,
    '/unread/': { ...view, handlers: { POST: () => ({ status: 200, body: [] }) } },
    '/throttled/': { ...view, throttles: [{ check: () => ({ allowed: false }) }] },
  }
  await app.register(createApi({ views }))
  const { origin } = await socketClient(app)
  const body = multipartBody(fieldPart('a', '1'))
  const headers = [`Content-Type: ${multipartHeaders['content-type']}`, `Content-Length: ${body.length}`]

  const connection = openConnection(origin)
  connection.send(formatHead('POST /read/', ...headers))
  assert.equal(await connection.receive(/\r\n\r\n/), continueResponse)
  connection.send(body)
  assert.match(await connection.receive(/\]$/), /^HTTP\/1\.1 200 (?:.|\s)*\r\n\r\n\["a"\]$/)
  connection.close()

  await assertRefused(origin, formatHead('POST /unread/', ...headers), 200)
  await assertRefused(origin, formatHead('POST /throttled/', ...headers), 429)
  await app.close()
})
