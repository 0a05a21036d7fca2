// URLs that the router refuses before any route is known, in an application of a user's own.

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import Fastify, { type FastifyReply, type FastifyServerOptions } from 'fastify'
import { browsable, createApi, fastifyOptions, jsonRenderer } from '../../src/framework/index.ts'
import { injectClient, socketClient } from '../support/client.ts'

const view = { name: 'Thing', handlers: { GET: () => ({ status: 200, body: 'thing' }) } }

/** An application with a route of its own and an API at each of these prefixes, which says its name in errors. */
async function start(options: FastifyServerOptions, prefixes: readonly string[] = []) {
  const app = Fastify({ ...options, forceCloseConnections: true })
  app.get('/own/:name', () => ({ own: true }))
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

for (const [kind, createClient] of [
  ['in the process', async (app: Awaited<ReturnType<typeof start>>) => injectClient(app)],
  ['over a socket', socketClient],
] as const)
  suite(`bad URLs, ${kind}`, () => {
    const open = async (context: TestContext, app: Awaited<ReturnType<typeof start>>) => {
      const client = await createClient(app)
      context.after(async () => {
        client.close()
        await app.close()
      })
      return client
    }

    test('ERR-EXC-r6: below the prefix of an API, the response has its form', async context => {
      const app = await start(fastifyOptions(), ['/api', '/api/inner'])
      const client = await open(context, app)
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

    test('ERR-EXC-r6: an API at the root answers for every URL that has no other route', async context => {
      const app = await start(fastifyOptions(), ['/'])
      const client = await open(context, app)
      for (const url of ['/%ff', '/things/%ff/', '/nowhere/%E0%A4%A']) {
        const response = await client.get(url)
        assert.deepEqual([response.status, response.json()], [400, { detail: 'Bad request.' }], url)
      }
      assert.deepEqual((await client.get(`/things/${'a'.repeat(500)}/`)).json(), { detail: 'Not found.' })
    })

    test('outside the prefixes, the response stays that of the application', async context => {
      const [plain, app] = [await start({}), await start(fastifyOptions(), ['/api'])]
      const [before, after] = [await open(context, plain), await open(context, app)]
      for (const url of ['/%ff', '/own/%ff', '/apis/%ff', '/ap%ff', '/%ff/api/', `/own/${'a'.repeat(500)}`]) {
        const [one, other] = [await before.get(url), await after.get(url)]
        assert.deepEqual([other.status, other.text], [one.status, one.text], url)
        assert.deepEqual(Object.keys(other.headers).sort(), Object.keys(one.headers).sort())
      }
    })

    test('outside the prefixes, the frameworkErrors of the application are asked', async context => {
      const options = fastifyOptions({
        frameworkErrors: (error, _request, reply) =>
          void (reply as FastifyReply).code(418).send({ teapot: error.code }),
      })
      const app = await start(options, ['/api'])
      const client = await open(context, app)
      const own = await client.get('/own/%ff')
      assert.deepEqual([own.status, own.json()], [418, { teapot: 'FST_ERR_BAD_URL' }])
      assert.equal((await client.get('/api/%ff')).status, 400)
    })
  })
