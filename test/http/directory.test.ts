// The directory profile (END-DIR, RES-GROUP, RES-DUSER).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { onEveryService } from '../support/service.ts'

onEveryService({ profiles: ['directory'] }, service => {
  let token: string
  let annId: number

  before(async () => {
    const ann = await service().createUser('ann')
    token = ann.key
    annId = ann.id
  })

  const group = async (name: string): Promise<string> =>
    (await service().client.post('/groups/', { token, json: { name } })).json().url

  test('END-DIR-p1, AUTH-PERM-r1: every operation requires an authenticated caller', async () => {
    const { client } = service()
    for (const [method, url] of [
      ['GET', '/users/'],
      ['POST', '/users/'],
      ['GET', `/users/${annId}/`],
      ['PUT', `/users/${annId}/`],
      ['PATCH', `/users/${annId}/`],
      ['DELETE', `/users/${annId}/`],
      ['GET', '/groups/'],
      ['POST', '/groups/'],
      ['DELETE', '/groups/1/'],
    ] as const) {
      const response = await client.request(method, url, { json: {} })
      assert.equal(response.status, 401, `${method} ${url}`)
      assert.deepEqual(response.json(), { detail: 'Authentication credentials were not provided.' })
      assert.equal(response.headers['www-authenticate'], 'Token')
    }
  })

  test('END-DIR-r3, RES-GROUP-r1, RES-GROUP-r2, RES-GROUP-p1: groups are listed by name, each with its URL', async () => {
    const { client } = service()
    await group('writers')
    await group('editors')
    const response = await client.get('/groups/', { token })
    assert.equal(response.status, 200)
    assert.equal(response.headers['content-type'], 'application/json')
    const { count, next, previous, results } = response.json()
    assert.deepEqual({ count, next, previous }, { count: 2, next: null, previous: null })
    assert.deepEqual(
      results.map(({ name }: { name: string }) => name),
      ['editors', 'writers'],
    )
    assert.match(results[0].url, new RegExp(`^${client.origin}/groups/\\d+/$`))
  })

  test('END-DIR-r4: a group is read at its URL', async () => {
    const { client } = service()
    const url = await group('readers')
    const response = await client.get(new URL(url).pathname, { token })
    assert.deepEqual([response.status, response.json()], [200, { url, name: 'readers' }])
  })

  test('RES-DUSER-r1, RES-DUSER-r2, RES-DUSER-r3, RES-DUSER-r4, END-DIR-r2: a user is shown with links', async () => {
    const { client } = service()
    const url = await group('singers')
    const json = { username: 'zoé', email: 'zoe@example.org', groups: [url] }
    const created = await client.post('/users/', { token, json })
    assert.equal(created.status, 201)
    const user = created.json()
    assert.deepEqual(user, {
      url: created.headers.location!,
      username: 'zoé',
      email: 'zoe@example.org',
      groups: [url],
    })
    const read = await client.get(new URL(user.url).pathname, { token })
    assert.deepEqual([read.status, read.json()], [200, user])
  })

  test('RES-DUSER-r4: the groups of a user without groups are an empty array', async () => {
    const response = await service().client.get(`/users/${annId}/`, { token })
    assert.deepEqual(response.json().groups, [])
  })

  test('RES-DUSER-p1, END-DIR-r1: users are listed by join date, newest first', async () => {
    const { client } = service()
    await client.post('/users/', { token, json: { username: 'newest' } })
    const { results } = (await client.get('/users/', { token })).json()
    assert.deepEqual([results[0].username, results.at(-1).username], ['newest', 'ann'])
  })
})
