// Plugins of the Fastify project beside an API at the root and beside the plugins of this project, in either order.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fastifyCors, { type FastifyCorsOptions } from '@fastify/cors'
import fastifyHelmet from '@fastify/helmet'
import underPressure from '@fastify/under-pressure'
import Fastify, { type FastifyInstance } from 'fastify'
import { browsable, createApi, jsonRenderer } from 'resource-api'
import { accessLog, drain, headerFields, health, overloadGuard, requestIds, serverOptions } from 'resource-api/server'
import { socketClient } from '../support/client.ts'

const origin = 'https://app.example.org'

const api = createApi({
  renderers: [jsonRenderer, browsable()],
  views: { '/things/': { name: 'Things', handlers: { GET: () => ({ status: 200, body: ['thing'] }) } } },
})

type Register = (app: FastifyInstance) => void

const registerOurs: Register = app => {
  app.register(headerFields)
  app.register(requestIds)
  app.register(overloadGuard)
  app.register(health)
  app.register(accessLog)
  app.register(drain)
}
const registerApi: Register = app => void app.register(api)

/** Tests a plugin registered before and after an API at the root, alone and beside the plugins of this project. */
function testInEveryOrder(
  title: string,
  plugin: Register,
  run: (client: Awaited<ReturnType<typeof socketClient>>, hasOurs: boolean) => Promise<void>,
): void {
  const orders: Readonly<Record<string, readonly Register[]>> = {
    'before the API': [plugin, registerApi],
    'after the API': [registerApi, plugin],
    'before our plugins and the API': [plugin, registerOurs, registerApi],
    'after our plugins and the API': [registerOurs, registerApi, plugin],
    'after the API, which precedes our plugins': [registerApi, registerOurs, plugin],
  }
  for (const [order, parts] of Object.entries(orders))
    test(`${title}, ${order}`, async context => {
      const hasOurs = parts.includes(registerOurs)
      const client = await start(context, parts, hasOurs)
      await run(client, hasOurs)
    })
}

async function start(context: TestContext, parts: readonly Register[], isHardened: boolean) {
  const app = Fastify(isHardened ? serverOptions({ logLevel: 'silent' }) : {})
  for (const register of parts) register(app)
  app.get('/own', () => ({ own: true }))
  const client = await socketClient(app)
  context.after(async () => {
    client.close()
    await app.close()
  })
  return client
}

const preflight = { headers: { origin, 'access-control-request-method': 'GET' } }

const corsOptions: FastifyCorsOptions = { origin: [origin], methods: ['GET', 'PATCH'] }

testInEveryOrder(
  '@fastify/cors responds to preflight requests and adds its headers',
  app => void app.register(fastifyCors, corsOptions),
  async (client, hasOurs) => {
    for (const path of ['/', '/things/', '/things', '/nothing/', '/own']) {
      const response = await client.request('OPTIONS', path, preflight)
      assert.equal(response.status, 204, path)
      assert.equal(response.headers['access-control-allow-origin'], origin)
      assert.equal(response.headers['access-control-allow-methods'], 'GET, PATCH')
    }
    for (const [path, status] of [
      ['/things/', 200],
      ['/things', 301],
      ['/nothing/', 404],
      ['/own', 200],
    ] as const) {
      const response = await client.get(path, { headers: { origin } })
      assert.equal(response.status, status, path)
      assert.equal(response.headers['access-control-allow-origin'], origin)
      assert.match(response.headers.vary!, /\bOrigin\b/, path)
      if (path !== '/own') assert.match(response.headers.vary!, /\bAccept\b/, path)
    }
    if (hasOurs) assert.equal((await client.get('/healthz')).text, '{"status":"ok"}')
  },
)

testInEveryOrder(
  '@fastify/cors with a delegator leaves other OPTIONS requests to the API',
  app =>
    void app.register(fastifyCors, {
      delegator: (request, callback) =>
        callback(null, { ...corsOptions, preflight: 'access-control-request-method' in request.headers }),
    }),
  async client => {
    assert.equal((await client.request('OPTIONS', '/things/', preflight)).status, 204)
    const metadata = await client.request('OPTIONS', '/things/', { headers: { origin } })
    assert.deepEqual([metadata.status, metadata.json().name], [200, 'Things'])
    const unknown = await client.request('OPTIONS', '/nothing/', { headers: { origin } })
    assert.deepEqual([unknown.status, unknown.json()], [404, { detail: 'Not found.' }])
  },
)

testInEveryOrder(
  '@fastify/helmet adds its headers, and pages keep their own Content-Security-Policy',
  app => void app.register(fastifyHelmet),
  async client => {
    for (const [path, status] of [
      ['/things/', 200],
      ['/things', 301],
      ['/nothing/', 404],
      ['/own', 200],
    ] as const) {
      const response = await client.get(path)
      assert.equal(response.status, status, path)
      assert.equal(response.headers['x-dns-prefetch-control'], 'off')
      assert.equal(response.headers['x-content-type-options'], 'nosniff')
      assert.match(response.headers['strict-transport-security']!, /^max-age=/)
    }
    const page = await client.get('/things/', { headers: { accept: 'text/html' } })
    assert.equal(page.status, 200)
    assert.match(page.headers['content-type']!, /^text\/html/)
    assert.match(page.headers['content-security-policy']!, /default-src 'none'/)
  },
)

testInEveryOrder(
  '@fastify/under-pressure serves its status route',
  app => void app.register(underPressure, { exposeStatusRoute: true }),
  async client => {
    assert.deepEqual((await client.get('/status')).json(), { status: 'ok' })
    assert.equal((await client.get('/things/')).status, 200)
    assert.deepEqual((await client.post('/status')).json(), { detail: 'Not found.' })
  },
)

testInEveryOrder(
  '@fastify/under-pressure refuses requests with 503, in the format of the API',
  app =>
    void app.register(underPressure, { healthCheck: async () => false, healthCheckInterval: 60_000, retryAfter: 7 }),
  async client => {
    for (const path of ['/', '/things/', '/nothing/']) {
      const response = await client.get(path)
      assert.equal(response.status, 503, path)
      assert.equal(response.headers['retry-after'], '7')
      assert.ok(response.json().detail)
    }
    const page = await client.get('/things/', { headers: { accept: 'text/html' } })
    assert.equal(page.status, 503)
    assert.match(page.headers['content-type']!, /^text\/html/)
    assert.equal((await client.get('/own')).status, 503)
  },
)
