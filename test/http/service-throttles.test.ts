// The throttles of the packaged service, as its settings ask for them (LIM-THR-p1, END-TOKEN-2).

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { RequestOptions } from '../support/client.ts'
import { onEveryDatabase, password, type TestService } from '../support/service.ts'

const login = '/api-token-auth/'

async function statuses({ client }: TestService, count: number, path: string, options?: RequestOptions) {
  const found: number[] = []
  for (let request = 0; request < count; request++) found.push((await client.get(path, options)).status)
  return found
}

suite('by default', () => {
  onEveryDatabase({ profiles: ['snippets'] }, service => {
    test('LIM-THR-p1: nothing is throttled', async () => {
      const { status, headers } = await service().client.get('/snippets/')
      assert.deepEqual([status, headers['ratelimit-policy']], [200, undefined])
    })
  })
})

suite('with rates', () => {
  const throttles = { anon: '3/day', user: ['4/hour', '5/day'], scopes: { snippets: '2/day' } }
  onEveryDatabase({ throttles }, service => {
    test('LIM-THR-p1: the rates of strangers, users and a profile count, together', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      assert.deepEqual(await statuses(service(), 3, '/snippet/snippets/', { token }), [200, 200, 429])
      const { headers } = await client.get('/snippet/snippets/', { token })
      assert.equal(
        headers['ratelimit-policy'],
        '"user-hour";q=4;w=3600, "user-day";q=5;w=86400, "snippets";q=2;w=86400',
      )
      assert.deepEqual(await statuses(service(), 3, '/directory/users/', { token }), [200, 200, 429])
      const { headers: stranger } = await client.get('/directory/')
      assert.equal(stranger['ratelimit-policy'], '"anon";q=3;w=86400, "user-hour";q=4;w=3600, "user-day";q=5;w=86400')
      assert.deepEqual(await statuses(service(), 3, '/directory/'), [200, 200, 429])
    })

    test('END-TOKEN-2: the token endpoint has none of them', async () => {
      const { client, createUser } = service()
      await createUser('bob')
      for (let request = 0; request < 7; request++) {
        const { status, headers } = await client.post(login, { json: { username: 'bob', password } })
        assert.deepEqual([status, headers['ratelimit-policy']], [200, undefined])
      }
    })
  })
})

suite('with a rate of its own', () => {
  onEveryDatabase({ throttles: { scopes: { token: '1/day' } } }, service => {
    test('END-TOKEN-2: the token endpoint is throttled where its scope has a rate', async () => {
      const { client } = service()
      assert.equal((await client.post(login, { json: {} })).status, 400)
      const { status, headers } = await client.post(login, { json: {} })
      assert.deepEqual([status, headers['ratelimit-policy']], [429, '"token";q=1;w=86400'])
      assert.equal((await client.get('/directory/')).headers['ratelimit-policy'], undefined)
    })
  })
})
