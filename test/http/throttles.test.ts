// The contract of throttles (ERR-EXC-r10, ERR-GAP-b2), with throttles of an API of our own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApiOptions, authenticated, type RequestContext, type ThrottleResult } from '../../src/framework/index.ts'
import { as, startApi, userScheme } from '../support/own-api.ts'

const hello = { name: 'Hello', handlers: { GET: () => ({ status: 200, body: 'hello' }) } }

const always = (result: ThrottleResult) => ({ check: () => result })

async function ask(options: ApiOptions, headers: Record<string, string> = {}) {
  const { client, stop } = await startApi({
    authentication: [userScheme],
    views: { '/hello/': hello },
    ...options,
  })
  const response = await client.get('/hello/', { headers })
  await stop()
  return response
}

test('ERR-EXC-r10, ERR-GAP-b2: a refusal with a wait says it in Retry-After and in the sentence', async () => {
  for (const [wait, header, words] of [
    [1, '1', '1 second.'],
    [0.01, '1', '1 second.'],
    [59.2, '60', '60 seconds.'],
  ] as const) {
    const response = await ask({ throttles: [always({ allowed: false, wait })] })
    assert.equal(response.status, 429)
    assert.equal(response.headers['retry-after'], header)
    assert.deepEqual(response.json(), { detail: `Request was throttled. Expected available in ${words}` })
  }
})

test('ERR-EXC-r10: the wait is optional', async () => {
  const response = await ask({ throttles: [always({ allowed: false })] })
  assert.deepEqual([response.status, response.json()], [429, { detail: 'Request was throttled.' }])
  assert.equal(response.headers['retry-after'], undefined)
})

test('ERR-EXC-r10: of several refusals the longest wait is told', async () => {
  const throttles = [
    always({ allowed: false, wait: 3 }),
    always({ allowed: false, wait: 90 }),
    always({ allowed: false }),
    always({ allowed: true }),
  ]
  assert.equal((await ask({ throttles })).headers['retry-after'], '90')
})

test('ERR-EXC-r10: a throttle that allows lets the request pass, and a view may have none', async () => {
  assert.equal((await ask({ throttles: [always({ allowed: true })] })).status, 200)
  const views = { '/hello/': { ...hello, throttles: [] } }
  assert.equal((await ask({ throttles: [always({ allowed: false })], views })).status, 200)
})

test('SVC-1: throttles run once the caller is known and allowed, so that a refused request uses up nothing', async () => {
  const seen: string[] = []
  const throttle = {
    async check({ user, view, request }: RequestContext): Promise<ThrottleResult> {
      seen.push(`${user.username} ${view.name} ${request.method}`)
      return { allowed: true }
    },
  }
  const options = { throttles: [throttle], permissions: [authenticated] }
  assert.equal((await ask(options)).status, 401)
  assert.equal((await ask(options, as('nobody').headers)).status, 401)
  assert.deepEqual(seen, [])
  assert.equal((await ask(options, as('ann').headers)).status, 200)
  assert.deepEqual(seen, ['ann Hello GET'])
})

test('SVC-1: a throttled request reaches neither the parser nor the handler', async () => {
  const { client, stop } = await startApi({
    throttles: [always({ allowed: false })],
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
