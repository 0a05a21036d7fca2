// The `throttles` setting of the service (LIM-THR-p1, END-TOKEN-2).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { RequestOptions } from '../support/client.ts'
import { onEveryDatabase, password, type TestService } from '../support/service.ts'

const loginUrl = '/api-token-auth/'

async function requestStatuses({ client }: TestService, count: number, path: string, options?: RequestOptions) {
  const received: number[] = []
  for (let request = 0; request < count; request++) received.push((await client.get(path, options)).status)
  return received
}

suite('by default', () => {
  onEveryDatabase({ profiles: ['snippets'] }, service => {
    test('LIM-THR-p1: nothing is throttled', async () => {
      const { status, headers } = await service().client.get('/snippets/')
      assert.deepEqual([status, headers['ratelimit-policy']], [200, undefined])
    })
  })
})

suite('with configured rates', () => {
  const throttles = { anon: '3/day', user: ['4/hour', '5/day'], scopes: { snippets: '2/day' } }
  onEveryDatabase({ throttles }, service => {
    test('LIM-THR-p1: the rates of anonymous callers, users and a profile apply together', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      assert.deepEqual(await requestStatuses(service(), 3, '/snippet/snippets/', { token }), [200, 200, 429])
      const { headers } = await client.get('/snippet/snippets/', { token })
      assert.equal(
        headers['ratelimit-policy'],
        '"user-hour";q=4;w=3600, "user-day";q=5;w=86400, "snippets";q=2;w=86400',
      )
      assert.deepEqual(await requestStatuses(service(), 3, '/directory/users/', { token }), [200, 200, 429])
      const { headers: stranger } = await client.get('/directory/')
      assert.equal(stranger['ratelimit-policy'], '"anon";q=3;w=86400, "user-hour";q=4;w=3600, "user-day";q=5;w=86400')
      assert.deepEqual(await requestStatuses(service(), 3, '/directory/'), [200, 200, 429])
    })

    test('END-TOKEN-2: these rates do not apply to the token endpoint', async () => {
      const { client, createUser } = service()
      await createUser('bob')
      for (let request = 0; request < 7; request++) {
        const { status, headers } = await client.post(loginUrl, { json: { username: 'bob', password } })
        assert.deepEqual([status, headers['ratelimit-policy']], [200, undefined])
      }
    })
  })
})

suite('with a rate for the token endpoint', () => {
  onEveryDatabase({ throttles: { scopes: { token: '1/day' } } }, service => {
    test('END-TOKEN-2: the token endpoint is throttled if the scope "token" has a rate', async () => {
      const { client } = service()
      assert.equal((await client.post(loginUrl, { json: {} })).status, 400)
      const { status, headers } = await client.post(loginUrl, { json: {} })
      assert.deepEqual([status, headers['ratelimit-policy']], [429, '"token";q=1;w=86400'])
      assert.equal((await client.get('/directory/')).headers['ratelimit-policy'], undefined)
    })
  })
})
