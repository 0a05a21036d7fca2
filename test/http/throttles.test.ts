// The contract of throttles (ERR-EXC-r10, ERR-GAP-b2), tested with custom throttles.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiOptions, authenticated, type RequestContext } from 'resource-api'
import type { ThrottleResult } from 'resource-api/extend'
import { asUser, startApi, userScheme } from '../support/own-api.ts'

const helloView = { name: 'Hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } }

const createThrottle = (result: ThrottleResult) => ({ check: () => result })

async function request(options: ApiOptions, headers: Record<string, string> = {}) {
  const { client, stop } = await startApi({
    authentication: [userScheme],
    views: { '/hello/': helloView },
    ...options,
  })
  const response = await client.get('/hello/', { headers })
  await stop()
  return response
}

test('ERR-EXC-r10, ERR-GAP-b2: the wait of a refusal is in Retry-After and in the message', async () => {
  for (const [wait, header, expectedWait] of [
    [1, '1', '1 second.'],
    [0.01, '1', '1 second.'],
    [59.2, '60', '60 seconds.'],
  ] as const) {
    const response = await request({ throttles: [createThrottle({ allowed: false, wait })] })
    assert.equal(response.status, 429)
    assert.equal(response.headers['retry-after'], header)
    assert.deepEqual(response.json(), { detail: `Request was throttled. Expected available in ${expectedWait}` })
  }
})

test('ERR-EXC-r10: the wait is optional', async () => {
  const response = await request({ throttles: [createThrottle({ allowed: false })] })
  assert.deepEqual([response.status, response.json()], [429, { detail: 'Request was throttled.' }])
  assert.equal(response.headers['retry-after'], undefined)
})

test('ERR-EXC-r10: if several throttles refuse, the response has the longest wait', async () => {
  const throttles = [
    createThrottle({ allowed: false, wait: 3 }),
    createThrottle({ allowed: false, wait: 90 }),
    createThrottle({ allowed: false }),
    createThrottle({ allowed: true }),
  ]
  assert.equal((await request({ throttles })).headers['retry-after'], '90')
})

test('ERR-EXC-r10: a request passes if the throttle allows it, or if the view has no throttles', async () => {
  assert.equal((await request({ throttles: [createThrottle({ allowed: true })] })).status, 200)
  const views = { '/hello/': { ...helloView, throttles: [] } }
  assert.equal((await request({ throttles: [createThrottle({ allowed: false })], views })).status, 200)
})

test('SVC-1: throttles run after authentication and permission checks, so that refused requests are not counted', async () => {
  const throttled: string[] = []
  const throttle = {
    async check({ user, view, request }: RequestContext): Promise<ThrottleResult> {
      throttled.push(`${user.username} ${view.name} ${request.method}`)
      return { allowed: true }
    },
  }
  const options = { throttles: [throttle], permissions: [authenticated] }
  assert.equal((await request(options)).status, 401)
  assert.equal((await request(options, asUser('nobody').headers)).status, 401)
  assert.deepEqual(throttled, [])
  assert.equal((await request(options, asUser('ann').headers)).status, 200)
  assert.deepEqual(throttled, ['ann Hello GET'])
})

test('SVC-1: a throttled request reaches neither the parser nor the handler', async () => {
  const { client, stop } = await startApi({
    throttles: [createThrottle({ allowed: false })],
    views: {
      '/hello/': {
        name: 'Hello',
        handlers: { POST: () => assert.fail('reached the handler') },
        parsers: [{ mediaType: 'application/json', parse: () => assert.fail('reached the parser') }],
      },
    },
  })
  const response = await client.post('/hello/', { json: {} })
  assert.equal(response.status, 429)
  await stop()
})
