import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
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

  test('after connections have waited for longer than the limit, turns are short until one accepts no connection', async () => {
    const { server, overload } = start()
    const connect = () => server.emit('connection', new PassThrough())
    const connectedTurn = (count: number) => {
      connect()
      return turn(server, count)
    }
    assert.deepEqual(await connectedTurn(6), Array(6).fill(200))
    assert.deepEqual(await connectedTurn(6), [200, 200, 200, 200, 503, 503])
    assert.deepEqual(await connectedTurn(6), [200, 503, 503, 503, 503, 503])
    assert.deepEqual(await turn(server, 6), [200, 503, 503, 503, 503, 503])
    assert.deepEqual(await turn(server, 6), Array(6).fill(200))
    assert.deepEqual(await turn(server, 6), [200, 200, 200, 200, 503, 503])
    assert.equal(overload.refused, 14)
  })

  test('connections that come one after the other do not count as waiting', async () => {
    const { server, overload } = start()
    for (let round = 0; round < 20; round++) {
      server.emit('connection', new PassThrough())
      assert.deepEqual(await turn(server, 2), [200, 200])
      time += 100
    }
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

  test('over a socket, a refusal is JSON with Retry-After, and only a large body closes the connection', async () => {
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
        const received = await Promise.all(Array.from({ length: 24 }, (_, index) => send(port, bodies[index % 4]!)))
        for (const [index, response] of received.entries()) {
          statuses.add(response.status)
          if (response.status !== 503) continue
          assert.equal(response.headers.get('connection'), index % 4 < 2 ? 'keep-alive' : 'close')
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

  test('clients with small bodies that are refused again and again keep their connections', async () => {
    let now = 0
    const server = createServer((_request, response) => {
      now += 1000
      response.end('served')
    })
    const overload = shedLoad(server, { ...options, now: () => now })
    let connections = 0
    server.on('connection', () => connections++)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const agent = new Agent({ keepAlive: true })
    const post = async () => {
      const sent = request({ agent, port, host: '127.0.0.1', method: 'POST' }).end('x'.repeat(10_000))
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      await once(response, 'end')
    }
    const client = async () => {
      while (overload.refused < 200) await post()
    }
    try {
      await Promise.all(Array.from({ length: 20 }, client))
      assert.equal(connections, 20)
    } finally {
      agent.destroy()
      server.close()
      server.closeAllConnections()
    }
  })
})

const stream = (text: string) => new Response(text).body!

/** Nothing, a small body, a large one, and one of unknown length. */
const bodies: readonly (() => RequestInit)[] = [
  () => ({}),
  () => ({ method: 'POST', body: '{}' }),
  () => ({ method: 'POST', body: 'x'.repeat(65_537) }),
  () => ({ method: 'POST', body: stream('{}'), duplex: 'half' }),
]

const send = (port: number, init: () => RequestInit) => fetch(`http://127.0.0.1:${port}/`, init())
