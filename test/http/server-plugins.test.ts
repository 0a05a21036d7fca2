// The plugins of resource-api/server, each alone in a Fastify application, over a socket.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { suite, type TestContext, test } from 'node:test'
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { createApi, findDocument, type Identity } from 'resource-api'
import { type Scheme, skip, success } from 'resource-api/extend'
import {
  accessLog,
  cors,
  drain,
  headerFields,
  health,
  listen,
  metrics,
  metricsEndpoint,
  overloadGuard,
  requestIds,
  serverOptions,
  stalledConnections,
} from 'resource-api/server'
import type { Unreadiness } from '../../src/server/health/readiness.ts'
import { connectTo, socketClient } from '../support/client.ts'
import { withinLimits } from '../support/patience.ts'
import { openConnection, sendRaw } from '../support/raw-http.ts'

const ann: Identity = { isAuthenticated: true, id: 7, username: 'ann', isStaff: false }
const annScheme: Scheme = {
  name: 'user',
  varyOn: ['x-user'],
  authenticate: ({ headers }) => (headers['x-user'] === 'ann' ? success(ann, 'a header') : skip),
}
const api = createApi({
  authentication: [annScheme],
  views: {
    '/things/': { name: 'Things', handlers: { GET: () => ({ status: 200, body: ['thing'] }) } },
    '/scarce/': {
      name: 'Scarce',
      throttles: [{ check: () => ({ allowed: false }) }],
      handlers: { GET: () => ({ status: 200 }) },
    },
  },
})

/** Starts an application with the plugins that `register` adds, one route and an API below `/api`. */
async function start(
  context: TestContext,
  register: (app: FastifyInstance) => void,
  options: FastifyServerOptions = {},
) {
  const app = Fastify(options)
  register(app)
  app.get('/own', () => ({ own: true }))
  app.register(api, { prefix: '/api' })
  const client = await socketClient(app)
  context.after(async () => {
    client.close()
    await app.close()
  })
  return { app, client }
}

const paths = ['/own', '/api/things/', '/api/nothing/', '/nothing']

test('serverOptions: a malformed request gets JSON, and a malformed URL the error response of the API', async context => {
  const { client } = await start(context, () => undefined, serverOptions({ logLevel: 'silent' }))
  for (const [bytes, status, detail] of [
    ['nonsense\r\n\r\n', 400, 'Bad request.'],
    ['GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400, 'Bad request.'],
    ['GET /api/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 400, 'Bad request.'],
    ['CONNECT example.org:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'Bad request.'],
    [
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'Request header fields are too large.',
    ],
    ['GET / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\nConnection: close\r\n\r\n', 417, 'Expectation failed.'],
  ] as const) {
    const response = await sendRaw(client.origin, bytes)
    assert.deepEqual([response.status, JSON.parse(response.text)], [status, { detail }], bytes.slice(0, 40))
    assert.equal(response.headers['content-type'], 'application/json')
    assert.equal(response.headers['x-request-id'], undefined)
  }
  assert.deepEqual((await client.get('/own')).json(), { own: true })
  assert.equal((await client.request('HEAD', '/own')).status, 200)
})

test('serverOptions: a request that does not arrive in time is 408, and further connections are closed', async context => {
  const limits = { requestTime: 1, connections: 2 }
  const { client } = await start(context, () => undefined, serverOptions({ logLevel: 'silent', limits }))
  const slow = openConnection(client.origin)
  slow.send('GET /own HTTP/1.1\r\nHost: localhost\r\n')
  const other = openConnection(client.origin)
  other.send('GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await other.receive(/"own"/)
  const { hostname, port } = new URL(client.origin)
  const refused = connect(Number(port), hostname).on('error', () => undefined)
  await once(refused.resume(), 'close')
  assert.match(await slow.receiveLast(), /^HTTP\/1\.1 408 /)
  other.close()
})

test('serverOptions: HTTP/2 is an error at start that names the option', () => {
  assert.throws(() => Fastify({ ...serverOptions(), http2: true } as object), /"http2".*proxy/)
})

test('requestIds: every response has an id, and a trusted proxy may choose it', async context => {
  const { client } = await start(context, app => app.register(requestIds, { trustedProxies: ['127.0.0.1'] }))
  const ids = new Set<string>()
  for (const path of paths) ids.add((await client.get(path)).headers['x-request-id']!)
  assert.equal(ids.size, paths.length)
  assert.ok([...ids].every(id => /^[\w-]{13,}$/.test(id)))
  for (const path of paths)
    assert.equal((await client.get(path, { headers: { 'x-request-id': 'chosen' } })).headers['x-request-id'], 'chosen')
})

test('headerFields: every response has the fields, also those of other plugins and malformed requests', async context => {
  const options = { headers: { 'X-Frame-Options': null, 'permissions-policy': 'camera=()' } }
  const { client } = await start(
    context,
    app => {
      app.register(headerFields, options)
      app.register(health)
    },
    serverOptions({ logLevel: 'silent' }),
  )
  const responses = [...paths, '/healthz', '/%zz'].map(path => client.get(path))
  for (const { headers } of await Promise.all([...responses, sendRaw(client.origin, 'nonsense\r\n\r\n')])) {
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['permissions-policy'], 'camera=()')
    assert.equal(headers['x-frame-options'], undefined)
  }
})

test('cors: a preflight request names the methods of the view, or all common ones outside an API', async context => {
  const origin = 'https://app.example.org'
  const { client } = await start(context, app => app.register(cors, { origins: [origin] }))
  const headers = { origin, 'access-control-request-method': 'PUT' }
  for (const [path, methods] of [
    ['/api/things/', 'GET, HEAD, OPTIONS'],
    ['/own', 'GET, HEAD, POST, PUT, PATCH, DELETE'],
  ] as const) {
    const response = await client.request('OPTIONS', path, { headers })
    assert.deepEqual([response.status, response.headers['access-control-allow-methods']], [204, methods])
    const read = await client.get(path, { headers: { origin } })
    assert.equal(read.headers['access-control-allow-origin'], origin)
    assert.match(read.headers.vary!, /Origin/)
  }
  const foreign = await client.get('/own', { headers: { origin: 'https://evil.example' } })
  assert.equal(foreign.headers['access-control-allow-origin'], undefined)
})

test('overloadGuard: sustained overload is refused with 503, and the probes are served', async context => {
  const { app, client } = await start(context, one => {
    one.register(overloadGuard, { delay: 1, exempt: '/exempt' })
    one.register(headerFields)
    one.register(health)
    // Each request occupies the process for longer than the limit.
    one.addHook('onRequest', (_request, _reply, done) => {
      const end = performance.now() + 3
      while (performance.now() < end);
      done()
    })
    one.get('/exempt', () => 'served')
  })
  const statuses = new Set<string>()
  const expected = ['/exempt 200', '/healthz 200', '/own 200', '/own 503']
  for (let turn = 0; statuses.size < expected.length && turn < 1000; turn++) {
    // This request is alone, so only a busy machine makes it wait.
    statuses.add(`/own ${(await client.get('/own')).status}`)
    const responses = await Promise.all(
      [...Array(20).fill('/own'), '/healthz', '/exempt'].map(async path => [path, await client.get(path)] as const),
    )
    for (const [path, { status, headers }] of responses) {
      statuses.add(`${path} ${status}`)
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['retry-after'], status === 503 ? '1' : undefined)
    }
  }
  assert.deepEqual([...statuses].sort(), expected)
  assert.ok(app.overload.refused > 0)
})

test('stalledConnections: the connection of a client that does not read its response is closed', context =>
  withinLimits(0.1, seconds => checkStalledConnection(context, seconds)))

async function checkStalledConnection(context: TestContext, seconds: number): Promise<void> {
  const { app, client } = await start(context, one => {
    one.register(stalledConnections, { seconds })
    one.get('/large', () => Buffer.alloc(16_000_000))
  })
  const accepted = once(app.server, 'connection')
  const { hostname, port } = new URL(client.origin)
  const socket = connect(Number(port), hostname).on('error', () => undefined)
  context.after(() => socket.destroy())
  socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
  socket.pause()
  const [connection] = await accepted
  await once(connection, 'close')
  assert.equal((await client.get('/large')).status, 200)
}

suite('drain', () => {
  for (const others of [[], [overloadGuard, requestIds]] as const)
    test(`requests that were sent get their response, with ${others.length} other plugins`, async context => {
      const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
      const started = Promise.withResolvers<void>()
      const { app, client } = await start(context, one => {
        one.register(drain)
        one.register(health)
        for (const other of others) one.register(other)
        one.get('/slow', async () => {
          started.resolve()
          await isReleased
          return 'slow'
        })
      })
      const [slow, pipelined] = [openConnection(client.origin), openConnection(client.origin)]
      slow.send('GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await started.promise
      const request = 'GET /own HTTP/1.1\r\nHost: localhost\r\n\r\n'
      pipelined.send(request + request)
      const drained = app.drain()
      let probe = await client.get('/readyz')
      assert.deepEqual([probe.status, probe.json().failed], [503, 'stopping'])
      while (probe.headers.connection !== 'close') probe = await client.get('/readyz')
      release()
      assert.match(await slow.receiveLast(), /connection: close(?:.|\s)*slow$/i)
      assert.equal((await pipelined.receiveLast()).match(/"own":true/g)?.length, 2)
      await Promise.all([drained, app.drain()])
      assert.equal(app.server.listening, false)
    })

  test('a request that takes longer than the limit is aborted', async context => {
    const started = Promise.withResolvers<void>()
    const { app, client } = await start(context, one => {
      one.register(drain, { seconds: 0.3 })
      one.get('/endless', (_request, reply) => {
        started.resolve()
        return reply.send(new PassThrough())
      })
    })
    const endless = openConnection(client.origin)
    endless.send('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await started.promise
    await app.drain()
    await endless.receiveLast()
  })

  test('an application that does not listen is closed', async () => {
    const app = Fastify()
    await app.register(drain)
    await app.drain()
    await assert.rejects(async () => app.inject('/'))
  })
})

test('health: the probes report what the options return', async context => {
  let result: Unreadiness | undefined | Error
  let degraded: string | undefined
  const { app, client } = await start(context, one => {
    one.register(drain)
    one.register(health, {
      paths: { ready: '/ready' },
      ready: () => {
        if (result instanceof Error) throw result
        return result
      },
      degraded: () => degraded,
    })
  })
  const read = async (path: string) => {
    const { status, text } = await client.get(path)
    return [status, JSON.parse(text)]
  }
  assert.deepEqual(await read('/ready'), [200, { status: 'ok' }])
  result = { failed: 'queue', detail: 'The queue does not respond.' }
  assert.deepEqual(await read('/ready'), [503, { status: 'unavailable', ...result }])
  result = new Error('postgres://user:secret@host')
  assert.deepEqual(await read('/ready'), [
    503,
    { status: 'unavailable', failed: 'check', detail: 'The readiness check failed.' },
  ])
  ;[result, degraded] = [undefined, 'One disk of two is full.']
  assert.deepEqual(await read('/ready'), [200, { status: 'degraded', detail: degraded }])
  assert.deepEqual(await read('/healthz'), [200, { status: 'ok' }])
  assert.equal((await client.get('/readyz')).status, 404)

  const internal = Fastify(serverOptions()).register(health, app.health)
  const readInternal = async () => (await internal.inject('/readyz')).json()
  assert.deepEqual(await readInternal(), { status: 'degraded', detail: degraded })
  await app.drain()
  assert.equal((await readInternal()).failed, 'stopping')
})

test('metrics: responses, throttled requests, refusals and own metrics are counted', async context => {
  const { app, client } = await start(context, one => {
    one.register(metrics, {
      database: { pool: () => ({ size: 5, open: 3, idle: 2, waiting: 0 }) },
      log: { dropped: 4 },
    })
    one.register(metricsEndpoint)
    one.register(overloadGuard)
  })
  const orders = app.metrics.counter({ name: 'orders_total', help: 'Orders', labels: ['country'] })
  orders.add({ country: 'ch' })
  orders.add({ country: 'ch' }, 2)
  app.metrics.gauge({ name: 'queue_length', help: 'Tasks that wait' }).set(5)
  app.metrics.gauge({ name: 'temperature', help: 'Degrees', collect: () => -3 })
  for (const path of [...paths, '/api/scarce/']) await client.get(path)
  const { status, headers, text } = await client.get('/metrics')
  assert.equal(status, 200)
  assert.match(headers['content-type']!, /^text\/plain; version=0\.0\.4/)
  for (const line of [
    'http_requests_total{method="GET",route="/api/things/",status="200"} 1',
    'http_requests_total{method="GET",route="/own",status="200"} 1',
    'throttled_requests_total{view="Scarce"} 1',
    'overload_refusals_total 0',
    'database_connections{state="busy"} 1',
    'log_lines_dropped_total 4',
    'orders_total{country="ch"} 3',
    'queue_length 5',
    'temperature -3',
  ])
    assert.ok(text.split('\n').includes(line), line)
  assert.equal((await client.post('/metrics')).status, 405)
  assert.equal((await client.get('/metrics', { headers: { host: 'evil.example' } })).status, 400)
})

test('metricsEndpoint: another application can serve the metrics', async context => {
  const { app, client } = await start(context, one => one.register(metrics))
  const internal = Fastify()
  internal.register(metricsEndpoint, { read: app.metrics.read, path: '/internal' })
  const { host, port } = await listen(internal, { host: 'localhost', port: 0 })
  context.after(() => internal.close())
  await client.get('/own')
  const other = connectTo(`http://${host}:${port}`)
  context.after(() => other.close())
  assert.match((await other.get('/internal')).text, /^http_requests_total\{.*route="\/own"/m)
  assert.equal((await client.get('/metrics')).status, 404)
  await assert.rejects(async () => Fastify().register(metricsEndpoint), /metricsEndpoint: option "read" is missing/)
})

for (const [order, isFirst] of [
  ['before', true],
  ['after', false],
] as const)
  test(`accessLog: each response is one line that names the caller, registered ${order} the API`, async context => {
    const lines: string[] = []
    const app = Fastify(serverOptions({ log: { write: line => lines.push(line) } }))
    const parts = [() => app.register(accessLog), () => app.register(api, { prefix: '/api' })]
    for (const register of isFirst ? parts : parts.toReversed()) register()
    app.get('/own', () => Readable.from(['own']))
    const client = await socketClient(app)
    context.after(async () => {
      client.close()
      await app.close()
    })
    lines.length = 0
    await client.get('/api/things/?cursor=secret', { headers: { 'x-user': 'ann' } })
    await client.get('/own')
    await client.get('/nothing')
    const records = lines.map(line => JSON.parse(line))
    assert.deepEqual(
      records.map(({ path, status, user, method, msg }) => [msg, method, path, status, user]),
      [
        ['request', 'GET', '/api/things/', 200, 7],
        ['request', 'GET', '/own', 200, null],
        ['request', 'GET', '/nothing', 404, null],
      ],
    )
  })

test('a wrong option is an error at start that names the plugin, the option and the fix', async () => {
  const wrong: readonly (readonly [register: (app: FastifyInstance) => unknown, message: string])[] = [
    [
      app => app.register(requestIds, { trustedProxies: ['proxy.example'] }),
      'requestIds: option "trustedProxies.0" must be IP addresses or networks such as 10.0.0.0/8, not "proxy.example"',
    ],
    [
      app => app.register(headerFields, { headers: { 'x-a': 'a\r\nb' } }),
      'headerFields: option "headers.x-a" must be printable ASCII, or null to remove the header, not "a\\r\\nb"',
    ],
    [
      app => app.register(cors, { origins: '*', credentials: true }),
      'cors: option "origins" must list the origins if credentials is true, because "*" would let every page act as the logged-in user, not "*"',
    ],
    [app => app.register(overloadGuard, { delay: 0 }), 'overloadGuard: option "delay" must be 1 or more, not 0'],
    [
      app => app.register(stalledConnections, { seconds: -1 }),
      'stalledConnections: option "seconds" must be greater than 0, not -1',
    ],
    [app => app.register(drain, { time: 1 } as object), 'drain: unknown option "time"'],
    [
      app => app.register(metrics, { database: 'sqlite:a.db' as never }),
      'metrics: option "database" must be a database, such as openDatabase(url), not "sqlite:a.db"',
    ],
    [
      app => app.register(metrics, { log: {} as never }),
      'metrics: option "log" must be a log output, such as createLogOutput(), not {}',
    ],
    [
      app => app.register(health, { paths: { ready: 'ready' } }),
      'health: option "paths.ready" must be a path that begins with "/", not "ready"',
    ],
    [
      () => serverOptions({ limits: { connections: 0 } }),
      'serverOptions: option "limits.connections" must be 1 or more, not 0',
    ],
  ]
  for (const [register, message] of wrong)
    await assert.rejects(async () => void (await register(Fastify())), { message })
})

test('metricsEndpoint: the document of an API above it describes the endpoint', async context => {
  const app = Fastify()
  context.after(() => app.close())
  app.register(metricsEndpoint, { read: async () => 'up 1\n' })
  app.register(createApi({}))
  const client = await socketClient(app)
  context.after(() => client.close())
  assert.equal(findDocument(app).paths['/metrics']?.get?.operationId, 'readMetrics')
  // The client compares the response with the document.
  assert.equal((await client.get('/metrics')).text, 'up 1\n')
})
