// Request bodies (ERR-EXC-r1, ERR-EXC-r9): JSON parsing, parse errors, size limits and unsupported media types.

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type HandlerContext, jsonParser } from 'resource-api'
import { startApi, type TestApi } from '../support/own-api.ts'
import { openConnection, rawRequest } from '../support/raw-http.ts'

const limit = 2 * 1024 * 1024
const echo = ({ requestBody }: HandlerContext) => ({
  status: 200,
  body: requestBody,
})

for (const [name, start] of [
  ['in the process', {}],
  ['over a socket', { socket: true }],
] as const) {
  suite(`Bodies ${name}`, () => {
    let api: TestApi
    before(async () => {
      const handlers = { GET: echo, POST: echo, PUT: echo, PATCH: echo, DELETE: echo }
      api = await startApi(
        {
          views: {
            '/json/': { name: 'JSON', handlers, parsers: [jsonParser({ limit, depth: 64 })] },
          },
        },
        start,
      )
    })
    after(() => api.stop())

    const post = (body: string | Buffer, type: string | undefined, url = '/json/', headers = {}) =>
      api.client.post(url, { body, headers: { ...(type !== undefined && { 'content-type': type }), ...headers } })
    const json = (body: string | Buffer) => post(body, 'application/json')
    const data = async (body: string | Buffer) => {
      const response = await json(body)
      assert.equal(response.status, 200, response.text)
      return response.json()
    }

    test('ERR-EXC-r1: malformed JSON is a parse error that gives the reason without repeating the body', async () => {
      for (const body of [
        ...'{ [ } { hunter2 {hunter2:1} {"hunter2":} [1,] {"a":1,} nul NaN Infinity -Infinity 01 1. .5 +1 0x1 "hunter2'.split(
          ' ',
        ),
        "{'hunter2': 1}",
        '{"a":1}{"b":2}',
        '"\t"',
        '"\\x41"',
        '/* hunter2 */ 1',
        '\ufeff{}',
        '{"a":1}\0',
      ]) {
        const response = await json(body)
        assert.equal(response.status, 400, body)
        assert.match(response.json().detail, /^JSON parse error - /)
        assert.doesNotMatch(response.text, /hunter2/)
      }
    })

    test('ERR-EXC-r1: a body that is not UTF-8 is a parse error', async () => {
      for (const bytes of [
        [0x22, 0xff, 0x22],
        [0x22, 0xed, 0xa0, 0x80, 0x22],
        [0x22, 0xc0, 0xaf, 0x22],
        [0xff, 0xfe, 0x7b, 0],
      ]) {
        const response = await json(Buffer.from(bytes))
        assert.deepEqual(
          [response.status, response.json()],
          [400, { detail: 'JSON parse error - the body is not valid UTF-8' }],
        )
      }
    })

    test('ERR-EXC-r1: numbers beyond the range of a double and too deep nesting are parse errors', async () => {
      for (const [body, reason] of [
        ['1e400', 'number out of range'],
        ['{"a":[-1e999]}', 'number out of range'],
        ['['.repeat(65) + ']'.repeat(65), 'nested too deeply'],
        [`${'{"a":'.repeat(65)}1${'}'.repeat(65)}`, 'nested too deeply'],
        ['['.repeat(500_000) + ']'.repeat(500_000), 'nested too deeply'],
      ] as const) {
        const response = await json(body)
        assert.deepEqual([response.status, response.json()], [400, { detail: `JSON parse error - ${reason}` }])
      }
      assert.equal((await json('['.repeat(500_000))).status, 400)
      assert.equal((await json('['.repeat(64) + ']'.repeat(64))).status, 200)
    })

    test('ERR-EXC-r1: a JSON body of only white space is a parse error', async () => {
      for (const body of [' ', '\n', '\r\n\t ', '\ufeff', '\u00a0']) {
        const { status, json: data } = await json(body)
        assert.equal(status, 400, JSON.stringify(body))
        assert.match(data().detail, /^JSON parse error - /)
      }
    })

    test('ERR-EXC-r1: a body of zero bytes is empty', async () => {
      for (const type of ['application/json', 'application/json; charset=utf-8'])
        assert.deepEqual((await post('', type)).json(), { kind: 'empty' })
      assert.deepEqual((await post('', 'application/xml')).json(), { kind: 'empty' })
      assert.deepEqual((await api.client.post('/json/')).json(), { kind: 'empty' })
    })

    test('ERR-EXC-r1: JSON values are unchanged: the last duplicate key wins, and keys such as __proto__ are data', async () => {
      assert.deepEqual((await data('{"a":1,"a":2}')).data, { a: 2 })
      const { text } = await json('{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":3}')
      assert.equal(
        text,
        '{"kind":"data","data":{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":3}}',
      )
      assert.equal((Object.prototype as { a?: unknown }).a, undefined)
      for (const value of [null, true, 0, '', [], {}, 'é\u2028\u{1f600}'])
        assert.deepEqual((await data(JSON.stringify(value))).data, value)
    })

    test('ERR-EXC-r9: an unsupported media type is refused with 415', async () => {
      for (const type of [
        'text/plain',
        'application/xml',
        'application/jsonp',
        'application/vnd.api+json',
        'application/x-www-form-urlencoded',
        'application/json; charset=utf-16',
        'application/json; charset=iso-8859-1',
        'json',
        '/',
        'application/json, text/plain',
        'application/json; charset',
      ]) {
        const response = await post('{}', type)
        const detail = `Unsupported media type "${type}" in request.`
        assert.deepEqual([response.status, response.json()], [415, { detail }])
      }
      const untyped = await post('{}', undefined)
      assert.deepEqual([untyped.status, untyped.json()], [415, { detail: 'Unsupported media type "" in request.' }])
    })

    test('ERR-EXC-r9: media type and charset are case-insensitive', async () => {
      for (const type of [
        'Application/JSON',
        'application/json;charset=UTF-8',
        'application/json ; Charset="utf-8"',
        'application/json; charset=utf8',
      ])
        assert.deepEqual((await post('{}', type)).json(), { kind: 'data', data: {} }, type)
    })

    test('ERR-EXC-r9, RFC 9110 §15.5.16: a body with a Content-Encoding is refused, and the response says why', async () => {
      for (const coding of ['gzip', 'br', 'identity, gzip', 'x']) {
        const refused = await post(gzipSync('{}'), 'application/json', '/json/', { 'content-encoding': coding })
        assert.deepEqual(
          [refused.status, refused.json(), refused.headers['accept-encoding']],
          [415, { detail: `Unsupported content coding "${coding}" in request.` }, 'identity'],
        )
      }
      assert.equal((await post('{}', 'application/json', '/json/', { 'content-encoding': 'identity' })).status, 200)
    })

    test('a body one byte over the limit is 413', async () => {
      const fits = `"${'a'.repeat(limit - 2)}"`
      assert.equal((await json(fits)).status, 200)
      const response = await json(`${fits} `)
      assert.deepEqual([response.status, response.json()], [413, { detail: 'Request body is too large.' }])
    })

    test('the body of a GET or DELETE request is not read', async () => {
      for (const method of ['GET', 'DELETE']) {
        const response = await api.client.request(method, '/json/', { body: '{"', headers: { 'content-type': 'a/b' } })
        assert.deepEqual([response.status, response.json()], [200, { kind: 'empty' }])
      }
    })
  })
}

test('a chunked body is read up to the limit', async () => {
  const { client, stop } = await startApi(
    { views: { '/json/': { name: 'JSON', parsers: [jsonParser({ limit: 1000 })], handlers: { POST: echo } } } },
    { socket: true },
  )
  const send = (chunks: readonly string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const request = httpRequest(`${client.origin}/json/`, { method: 'POST', headers, agent: false }, response => {
      resolve(response.statusCode)
      response.resume()
    })
    request.on('error', reject)
    for (const chunk of chunks) request.write(chunk)
    request.end()
    return promise
  }
  assert.equal(await send(['"', 'a'.repeat(998), '"']), 200)
  assert.equal(await send(['"', 'a'.repeat(999), '"']), 413)
  assert.equal(await send(Array.from({ length: 100 }, () => 'a'.repeat(1000))), 413)
  await stop()
})

test('a chunked body that exceeds the limit leaves the connection usable', async () => {
  const parsers = [jsonParser({ limit: 1000 })]
  const views = { '/json/': { name: 'JSON', parsers, handlers: { GET: echo, POST: echo } } }
  const { client, stop } = await startApi({ views }, { socket: true })
  const connection = openConnection(client.origin)
  const headers = 'HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked'
  const chunk = `1000\r\n${'a'.repeat(4096)}\r\n`
  connection.send(`POST /json/ ${headers}\r\n\r\n${chunk}`)
  assert.match(await connection.receive(/\r\n\r\n./), /^HTTP\/1\.1 413 /)
  connection.send(`${chunk.repeat(100)}0\r\n\r\n`)
  connection.send(rawRequest('GET /json/', ['Host: localhost']))
  assert.match(await connection.receiveLast(), /^HTTP\/1\.1 200 /)
  await stop()
})
