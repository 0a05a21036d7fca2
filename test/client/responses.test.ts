// The client against servers that fail: unreadable responses, retries, time limits.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  ClientError,
  type ClientOptions,
  createClient,
  isAborted,
  isConflict,
  isInvalid,
  isNetworkError,
  isThrottled,
  isTimeout,
  isUnavailable,
  isUnreadable,
} from 'resource-api/client'
import { type Respond, sendJson, startScriptedServer } from './scripted-server.ts'
import type { things } from './things.ts'

async function start(context: TestContext, respond: Respond, options: Partial<ClientOptions> = {}) {
  const server = await startScriptedServer(context, respond)
  return { ...server, client: createClient<(typeof things)[]>({ baseUrl: server.url, retries: 0, ...options }) }
}

const catchError = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    value => assert.fail(`resolved with ${JSON.stringify(value)}`),
    error => error,
  )

test('a 502 with the page of a proxy is an error with its status and the beginning of the page', async context => {
  const page = `<html><h1>Bad gateway</h1>${'x'.repeat(1000)}</html>`
  const { client } = await start(context, response =>
    response.writeHead(502, { 'content-type': 'text/html' }).end(page),
  )
  const error = await catchError(client.things.list())
  assert.ok(isUnavailable(error) && error.status === 502 && error.data === undefined)
  assert.match(
    error.message,
    /^GET http:\/\/127\.0\.0\.1:\d+\/api\/things\/: 502: the response is not JSON: <html><h1>Bad gateway/,
  )
  assert.ok(error.text!.length < 300)
})

for (const [body, reason] of [
  [{ detail: 'The order is paid.' }, ': The order is paid.'],
  [{ title: ['This field is required.', 'b'], text: ['c'] }, ': title: This field is required.'],
  [
    { lines: [{}, { quantity: ['A valid integer\nis required.'] }] },
    ': lines.1.quantity: A valid integer is required.',
  ],
  [[{}, { title: ['This field is required.'] }], ': 1.title: This field is required.'],
  [{ non_field_errors: ['No two orders.'] }, ': No two orders.'],
  ['No.', ': No.'],
  [{}, ''],
] as const)
  test(`the message names the request, its status and the first error: ${JSON.stringify(body)}`, async context => {
    const { client } = await start(context, response => sendJson(response, 400, body))
    const error = (await catchError(client.things.list({ page: 2 }))) as Error
    assert.equal(error.message.replace(/:\d+\/api/, ''), `GET http://127.0.0.1/things/: 400${reason}`)
  })

for (const [name, status, body] of [
  ['HTML with 200', 200, '<html>Log in</html>'],
  ['HTML with 400', 400, '<html>Bad request</html>'],
  ['JSON that ends early', 200, '{"results": [{"id": 1'],
] as const)
  test(`${name} is unreadable`, async context => {
    const { client } = await start(context, response => response.writeHead(status).end(body))
    const error = await catchError(client.things.list())
    assert.ok(isUnreadable(error) && error.status === status && error.text === body, String(error))
    assert.equal(isInvalid(error), false)
  })

test('a response whose connection ends early is an error of the network', async context => {
  const { client } = await start(context, response => {
    response.writeHead(200, { 'content-length': '100' }).write('{"results"')
    setImmediate(() => response.destroy())
  })
  assert.ok(isNetworkError(await catchError(client.things.list())))
})

test('a server that does not listen is an error of the network', async () => {
  const client = createClient<(typeof things)[]>({ baseUrl: 'http://127.0.0.1:1/', retries: 0 })
  const error = await catchError(client.things.list())
  assert.ok(isNetworkError(error) && error.cause instanceof TypeError)
})

test('an empty response that announces JSON is unreadable', async context => {
  const { client } = await start(context, response =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(),
  )
  const error = await catchError(client.things.list())
  assert.ok(isUnreadable(error) && error.text === '', String(error))
})

test('an empty response is undefined', async context => {
  const { client } = await start(context, response => response.writeHead(204).end())
  assert.equal(await client.things(1).destroy(), undefined)
})

test('unknown members and choices of a newer server are passed through', async context => {
  const data = { id: 1, kind: 'opera', added: { __proto__: null, constructor: 1 } }
  const { client } = await start(context, response => sendJson(response, 200, data))
  assert.deepEqual(JSON.stringify(await client.things(1).retrieve()), JSON.stringify(data))
})

test('a request that may be repeated is retried after the time that the server asks for', async context => {
  const { client, requests } = await start(
    context,
    (response, _, attempt) =>
      attempt < 3
        ? sendJson(response, attempt === 1 ? 429 : 503, {}, { 'retry-after': '0' })
        : sendJson(response, 200, []),
    { retries: 2 },
  )
  assert.deepEqual(await client.things.list(), [])
  assert.equal(requests.length, 3)
})

test('a request is not retried if the server asks for a longer wait than the client accepts', async context => {
  const { client, requests } = await start(
    context,
    response => sendJson(response, 429, { detail: 'Slow down.' }, { 'retry-after': '31' }),
    { retries: 2 },
  )
  const error = await catchError(client.things.list())
  assert.ok(isThrottled(error) && error.seconds === 31)
  assert.match(error.message, /Slow down/)
  assert.equal(requests.length, 1)
})

test('Retry-After may be a date', async context => {
  const { client } = await start(context, response =>
    sendJson(response, 503, {}, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }),
  )
  const error = await catchError(client.things.list())
  assert.ok(isUnavailable(error) && error.seconds! > 50 && error.seconds! <= 60)
})

test('only requests that may be repeated are retried', async context => {
  const { client, requests } = await start(context, response => sendJson(response, 503, {}, { 'retry-after': '0' }), {
    retries: 1,
  })
  const body = { title: 'Emma' }
  await Promise.all(
    [
      client.things.create(body),
      client.things.create(body, { idempotencyKey: 'a' }),
      client.things(1).update(body),
      client.things(1).replace(body),
      client.things(1).destroy(),
      client.things(1).destroy({ retries: 3 }),
    ].map(catchError),
  )
  const count = (method: string, hasKey = false) =>
    requests.filter(
      request => request.method === method && (request.headers['idempotency-key'] !== undefined) === hasKey,
    ).length
  assert.deepEqual([count('POST'), count('POST', true), count('PATCH'), count('PUT'), count('DELETE')], [1, 2, 1, 2, 6])
})

test('a 409 is retried if it names a time, as while the first attempt of a create still runs', async context => {
  const { client, requests } = await start(
    context,
    (response, { body }, attempt) =>
      body.includes('busy') && attempt === 2
        ? sendJson(response, 201, { id: 1 })
        : sendJson(response, 409, {}, body.includes('busy') ? { 'retry-after': '0' } : {}),
    { retries: 2 },
  )
  const create = (title: string, idempotencyKey?: string) =>
    client.things.create({ title }, idempotencyKey === undefined ? {} : { idempotencyKey })
  assert.deepEqual(await create('busy', 'a'), { id: 1 })
  assert.equal(requests.length, 2)
  assert.ok(isConflict(await catchError(create('taken', 'b'))))
  assert.ok(isConflict(await catchError(create('busy'))))
  assert.equal(requests.length, 4)
})

test('a conditional PUT is not repeated if it may have had an effect', async context => {
  const { client, requests } = await start(context, response => response.destroy(), { retries: 2 })
  await catchError(client.things(1).replace({ title: 'Emma' }, { ifMatch: '"a"' }))
  assert.equal(requests.length, 1)
})

test('the time limit includes retries', async context => {
  const { client } = await start(context, response => sendJson(response, 503, {}, { 'retry-after': '20' }), {
    retries: 5,
    timeout: 50,
  })
  const error = await catchError(client.things.list())
  assert.ok(isTimeout(error), String(error))
})

test('a request can be aborted before, during and between its attempts', async context => {
  const waiting = Promise.withResolvers<void>()
  const { client, requests } = await start(context, (response, { url }) => {
    if (url.includes('wait')) sendJson(response, 503, {}, { 'retry-after': '20' })
    waiting.resolve()
  })
  const aborted = await catchError(client.things.list({}, { signal: AbortSignal.abort() }))
  assert.ok(isAborted(aborted) && aborted.name === 'AbortError')
  assert.equal(requests.length, 0)
  const controller = new AbortController()
  const sent = catchError(client.things.list({}, { signal: controller.signal }))
  await waiting.promise
  controller.abort(new Error('the page was left'))
  const error = await sent
  assert.ok(isAborted(error) && (error as Error).cause instanceof Error)
})

test('result() makes an error a value, and leaves nothing unhandled', async context => {
  const unhandled: unknown[] = []
  const collect = (error: unknown) => void unhandled.push(error)
  process.on('unhandledRejection', collect)
  context.after(() => process.off('unhandledRejection', collect))
  const { client } = await start(context, response => sendJson(response, 400, { title: ['This field is required.'] }))
  const refused = await client.things.create({ title: '' }).result()
  assert.ok(!refused.ok && isInvalid(refused.error))
  assert.deepEqual(refused.error.data.title, ['This field is required.'])
  await new Promise(resolve => setImmediate(resolve))
  assert.deepEqual(unhandled, [])
})

test('a mistake of the programmer is thrown, also by result()', async context => {
  const { client } = await start(context, response => sendJson(response, 200, {}))
  const sent = client.things(1).update({ title: 'a' }, { ifMatch: {} }).result()
  await assert.rejects(sent, { name: 'TypeError', message: /has no ETag/ })
})

test('interceptors see each attempt, and may change the request and the response', async context => {
  const seen: string[] = []
  const { client, requests } = await start(
    context,
    (response, _, attempt) => sendJson(response, attempt === 1 ? 503 : 200, [], { 'retry-after': '0' }),
    {
      retries: 1,
      interceptors: {
        request: request => {
          seen.push(`${request.method} ${request.url.pathname}`)
          request.headers.set('x-trace', String(seen.length))
          request.url.searchParams.set('via', 'interceptor')
        },
        response: response => (response.ok ? Response.json([{ id: 7 }]) : undefined),
      },
    },
  )
  assert.deepEqual(await client.things.list(), [{ id: 7 }])
  assert.deepEqual(seen, ['GET /api/things/', 'GET /api/things/'])
  assert.deepEqual(
    requests.map(({ url, headers }) => [url, headers['x-trace']]),
    [
      ['/api/things/?via=interceptor', '1'],
      ['/api/things/?via=interceptor', '2'],
    ],
  )
})

test('tokens and header fields are read before each attempt', async context => {
  let tokens = 0
  const { client, requests } = await start(
    context,
    (response, _, attempt) => sendJson(response, attempt === 1 ? 503 : 200, [], { 'retry-after': '0' }),
    { retries: 1, scheme: 'Bearer', token: async () => `t${++tokens}`, headers: () => ({ 'accept-language': 'de' }) },
  )
  await client.things.list({}, { headers: { 'x-own': '1' } })
  assert.deepEqual(
    requests.map(({ headers }) => [headers.authorization, headers['accept-language'], headers['x-own']]),
    [
      ['Bearer t1', 'de', '1'],
      ['Bearer t2', 'de', '1'],
    ],
  )
})

test('fetch sends the credentials to the origin of the API only', async context => {
  const other = await startScriptedServer(context, response => response.end('other'))
  const { client, requests } = await start(context, response => response.end('own'), { token: 'secret' })
  assert.equal(await (await client.fetch('files/1', { headers: { range: 'bytes=0-1' } })).text(), 'own')
  assert.equal(await (await client.fetch(`${other.url}files/1`)).text(), 'other')
  assert.deepEqual(
    [requests[0]!.url, requests[0]!.headers.authorization, requests[0]!.headers.range],
    ['/api/files/1', 'Token secret', 'bytes=0-1'],
  )
  assert.equal(other.requests[0]!.headers.authorization, undefined)
})

test('the next page is read from the URL of the list, wherever `next` leads to', async context => {
  const { client, requests } = await start(
    context,
    (response, _, attempt) =>
      sendJson(
        response,
        200,
        attempt === 1
          ? { next: 'http://internal.example/things/?cursor=b%2Cc&kind=x', previous: null, results: [{ id: 1 }] }
          : { next: null, previous: null, results: [{ id: 2 }] },
      ),
    { token: 'secret' },
  )
  assert.deepEqual(await Array.fromAsync(client.things.all({ kind: 'novel' })), [{ id: 1 }, { id: 2 }])
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['/api/things/?kind=novel', '/api/things/?cursor=b%2Cc&kind=x'],
  )
})

test('all() follows Link fields and renamed members, and refuses what it cannot follow', async context => {
  let data: unknown = []
  let headers = {}
  const { client, url } = await start(context, (response, request) =>
    request.url.includes('page=2') ? sendJson(response, 200, []) : sendJson(response, 200, data, headers),
  )
  const read = () => Array.fromAsync(client.things.all())
  data = [{ id: 1 }]
  headers = { link: `<${url}things/?page=1>; rel="first", <${url}things/?page=2>; rel="next"` }
  assert.deepEqual(await read(), [{ id: 1 }])
  headers = {}
  data = { things: [{ id: 2 }] }
  assert.deepEqual(await read(), [{ id: 2 }])
  data = { things: [{ id: 3 }], thingsCount: 30 }
  await assert.rejects(read(), /the page has no member "next"/)
  data = { detail: 'no list', next: null }
  await assert.rejects(read(), /contains no list/)
  data = { results: [], next: '?' }
  await assert.rejects(read(), /links to itself/)
  const named = createClient<(typeof things)[]>({ baseUrl: url, pages: { results: 'things', next: 'after' } })
  data = { tags: ['a'], things: [{ id: 4 }], after: null }
  assert.deepEqual(await Array.fromAsync(named.things.all()), [{ id: 4 }])
})

test('a progress function hears what is sent and received', async context => {
  const { client, requests } = await start(context, response =>
    sendJson(response, 200, { id: 1 }, { 'content-length': '8' }),
  )
  const heard: (readonly [string, number, number | undefined])[] = []
  const body = { title: 'x'.repeat(100_000) }
  await client.things.create(body, {
    onProgress: ({ phase, loaded, total }) => void heard.push([phase, loaded, total]),
  })
  assert.equal(requests[0]!.body, JSON.stringify(body))
  assert.equal(requests[0]!.headers['content-type'], 'application/json')
  assert.deepEqual(heard.filter(([phase]) => phase === 'upload').at(-1), ['upload', 100_012, undefined])
  assert.deepEqual(heard.at(-1), ['download', 8, 8])
})

test('errors have one class', async context => {
  const { client } = await start(context, response => sendJson(response, 418, { detail: 'A teapot.' }))
  const error = await catchError(client.things.list())
  assert.ok(error instanceof ClientError && error.kind === 'refused' && error.status === 418)
})
