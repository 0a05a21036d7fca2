import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { shedLoad } from './overload-guard.ts'

suite('overload', () => {
  let time = 0
  let answered: string[]
  const options = {
    delay: 250,
    isExempt: (path: string) => path === '/healthz',
    headers: () => ({ 'x-content-type-options': 'nosniff' }),
    now: () => time,
  }
  // Each request takes 30 ms.
  const start = () => {
    const server = createServer((request, response) => {
      time += 30
      answered.push(request.url!)
      response.end()
    })
    return { server, overload: shedLoad(server, options) }
  }
  const arrive = (
    server: ReturnType<typeof start>['server'],
    url: string,
    headers: IncomingMessage['headers'] = {},
  ) => {
    const request = { url, method: 'GET', headers, httpVersionMajor: 1, httpVersionMinor: 1 } as IncomingMessage
    const response = new ServerResponse(request)
    server.emit('request', request, response)
    return response
  }
  const turn = async (server: ReturnType<typeof start>['server'], count: number) => {
    const responses = Array.from({ length: count }, (_, index) => arrive(server, `/${index}`))
    await nextTurn()
    return responses.map(({ statusCode }) => statusCode)
  }

  beforeEach(() => {
    time = 0
    answered = []
  })
  afterEach(() => assert.ok(!answered.includes('refused')))

  test('in a second long turn in a row, requests beyond the limit are refused', async () => {
    const { server, overload } = start()
    assert.deepEqual(await turn(server, 6), Array(6).fill(200))
    assert.deepEqual(await turn(server, 6), [200, 200, 200, 200, 503, 503])
    assert.equal(overload.refused, 2)
    assert.deepEqual(await turn(server, 6), [200, 200, 200, 200, 503, 503])
  })

  test('after a short turn or a pause, no request is refused', async () => {
    const { server, overload } = start()
    await turn(server, 6)
    await turn(server, 2)
    assert.deepEqual(await turn(server, 6), Array(6).fill(200))
    time += 1000
    assert.deepEqual(await turn(server, 6), Array(6).fill(200))
    assert.equal(overload.refused, 0)
  })

  test('exempt paths are served during overload', async () => {
    const { server } = start()
    await turn(server, 6)
    for (let index = 0; index < 4; index++) arrive(server, '/')
    assert.equal(arrive(server, '/healthz').statusCode, 200)
    assert.equal(arrive(server, '/refused').statusCode, 503)
    await nextTurn()
  })

  test('over a socket, a refusal is JSON with Retry-After, and the request body is not read', async () => {
    let now = 0
    const server = createServer((_request, response) => {
      now += 1000
      response.end('served')
    })
    shedLoad(server, { ...options, now: () => now })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    try {
      // Each request takes longer than the limit: from the second turn on, only the first request of a turn is served.
      const statuses = new Set<number>()
      for (let round = 0; !statuses.has(503) && round < 1000; round++) {
        const bodies = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? null : '{}'))
        const send = (body: string | null) =>
          fetch(`http://127.0.0.1:${port}/`, { method: body === null ? 'GET' : 'POST', body })
        const received = await Promise.all(bodies.map(send))
        for (const [index, response] of received.entries()) {
          statuses.add(response.status)
          if (response.status !== 503) continue
          assert.equal(response.headers.get('connection'), bodies[index] === null ? 'keep-alive' : 'close')
          assert.equal(response.headers.get('retry-after'), '1')
          assert.equal(response.headers.get('content-type'), 'application/json')
          assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
          assert.deepEqual(await response.json(), {
            detail: 'The service is temporarily unavailable. Try again later.',
          })
        }
      }
      assert.deepEqual([...statuses].sort(), [200, 503])
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })
})
