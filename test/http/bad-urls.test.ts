// Malformed URLs, which Fastify rejects before it finds a route, in an application that mounts an API.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import Fastify, { type FastifyReply, type FastifyServerOptions } from 'fastify'
import { browsable, createApi, fastifyOptions, jsonRenderer } from 'resource-api'
import { injectClient, socketClient } from '../support/client.ts'

const view = { name: 'Thing', handlers: { GET: () => ({ status: 200, body: 'thing' }) } }

/** Creates an application with a route outside the APIs, and one API per prefix that records observed requests. */
async function startApp(options: FastifyServerOptions, prefixes: readonly string[] = []) {
  const app = Fastify({ ...options, forceCloseConnections: true })
  app.get('/own/:name', () => ({ outside: true }))
  for (const prefix of prefixes)
    await app.register(
      createApi({
        views: { '/things/:name/': view },
        renderers: [jsonRenderer, browsable()],
        observe: ({ request, viewName, status }) => observed.push([prefix, viewName, status, request.url]),
      }),
      { prefix },
    )
  return app
}

const observed: unknown[] = []

for (const [transport, createClient] of [
  ['in the process', async (app: Awaited<ReturnType<typeof startApp>>) => injectClient(app)],
  ['over a socket', socketClient],
] as const)
  suite(`bad URLs, ${transport}`, () => {
    const openClient = async (context: TestContext, app: Awaited<ReturnType<typeof startApp>>) => {
      const client = await createClient(app)
      context.after(async () => {
        client.close()
        await app.close()
      })
      return client
    }

    test('ERR-EXC-r6: below the prefix of an API, a bad URL gets an error response of that API', async context => {
      const app = await startApp(fastifyOptions(), ['/api', '/api/inner'])
      const client = await openClient(context, app)
      for (const url of ['/api/%ff', '/api/things/%C0%AF/', '/api/%zz?format=json', '/api/%', '/api/things/%ff/?a=%ff'])
        for (const method of ['GET', 'POST', 'DELETE']) {
          const response = await client.request(method, url)
          assert.deepEqual([response.status, response.json()], [400, { detail: 'Bad request.' }], `${method} ${url}`)
          assert.equal(response.headers['content-type'], 'application/json')
        }
      const page = await client.get('/api/%ff', { headers: { accept: 'text/html' } })
      assert.equal(page.status, 400)
      assert.match(page.headers['content-type']!, /^text\/html/)
      assert.match(page.text, /400 Bad Request/)
      observed.length = 0
      await client.get('/api/inner/%ff')
      assert.deepEqual(observed, [['/api/inner', 'Not Found', 400, '/api/inner/%ff']])
    })

    test('ERR-EXC-r6: an API at the root responds to every URL without another route', async context => {
      const app = await startApp(fastifyOptions(), ['/'])
      const client = await openClient(context, app)
      for (const url of ['/%ff', '/things/%ff/', '/nowhere/%E0%A4%A']) {
        const response = await client.get(url)
        assert.deepEqual([response.status, response.json()], [400, { detail: 'Bad request.' }], url)
      }
      assert.deepEqual((await client.get(`/nowhere/${'a'.repeat(500)}/`)).json(), { detail: 'Not found.' })
    })

    test('outside the prefixes, a bad URL gets the default response of Fastify', async context => {
      const [plain, app] = [await startApp({}), await startApp(fastifyOptions(), ['/api'])]
      const [plainClient, apiClient] = [await openClient(context, plain), await openClient(context, app)]
      for (const url of ['/%ff', '/own/%ff', '/apis/%ff', '/ap%ff', '/%ff/api/', `/own/${'a'.repeat(500)}`]) {
        const [expected, actual] = [await plainClient.get(url), await apiClient.get(url)]
        assert.deepEqual([actual.status, actual.text], [expected.status, expected.text], url)
        assert.deepEqual(Object.keys(actual.headers).sort(), Object.keys(expected.headers).sort())
      }
    })

    test('outside the prefixes, frameworkErrors of the application handles a bad URL', async context => {
      const options = fastifyOptions({
        frameworkErrors: (error, _request, reply) =>
          void (reply as FastifyReply).code(418).send({ teapot: error.code }),
      })
      const app = await startApp(options, ['/api'])
      const client = await openClient(context, app)
      const outside = await client.get('/own/%ff')
      assert.deepEqual([outside.status, outside.json()], [418, { teapot: 'FST_ERR_BAD_URL' }])
      assert.equal((await client.get('/api/%ff')).status, 400)
    })
  })
