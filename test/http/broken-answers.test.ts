// What not even an error can be made of breaks its own connection, at once, and nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { createApi } from '../../src/framework/index.ts'

const views = {
  '/broken/': {
    name: 'Broken',
    // Node sends no such character in a header field.
    handlers: { GET: () => ({ status: 200, headers: { 'x-name': 'Łódź' }, body: {} }) },
  },
  '/whole/': { name: 'Whole', handlers: { GET: () => ({ status: 200, body: {} }) } },
}

// With the option, Node takes a request without a body for one that is over.
for (const optimizeEmptyRequests of [false, true])
  test(`an answer that Node refuses ends its connection (optimizeEmptyRequests: ${optimizeEmptyRequests})`, async context => {
    const app = Fastify({ http: { optimizeEmptyRequests }, forceCloseConnections: true })
    context.after(() => app.close())
    await app.register(createApi({ views }))
    const origin = await app.listen({ host: '127.0.0.1', port: 0 })
    const signal = AbortSignal.timeout(10_000)
    await assert.rejects(fetch(`${origin}/broken/`, { signal }), { name: 'TypeError', message: 'fetch failed' })
    assert.equal((await fetch(`${origin}/whole/`)).status, 200)
  })
