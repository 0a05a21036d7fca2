// If neither the response nor an error response can be written, the server closes that connection and no other.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createApi } from 'resource-api'
import { patience } from '../support/patience.ts'

const views = {
  '/broken/': {
    name: 'Broken',
    handlers: {
      GET() {
        throw new Error('the handler fails')
      },
    },
  },
  '/whole/': { name: 'Whole', handlers: { GET: () => ({ status: 200, body: {} }) } },
}

// Node rejects these characters in a header value.
const serverError = () => ({ status: 500, headers: { 'x-name': 'Łódź' }, body: {} })

// With optimizeEmptyRequests, Node considers a request without a body to have ended.
for (const optimizeEmptyRequests of [false, true])
  test(`a response that Node rejects closes its connection (optimizeEmptyRequests: ${optimizeEmptyRequests})`, async context => {
    const app = Fastify({ http: { optimizeEmptyRequests }, forceCloseConnections: true })
    context.after(() => app.close())
    await app.register(createApi({ views, serverError }))
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const signal = AbortSignal.timeout(patience)
    await assert.rejects(fetch(`${origin}/broken/`, { signal }), { name: 'TypeError', message: 'fetch failed' })
    assert.equal((await fetch(`${origin}/whole/`)).status, 200)
  })
