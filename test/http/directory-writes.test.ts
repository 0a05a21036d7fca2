// Creating, updating and deleting users and groups (END-GAP-b1, END-GAP-b3).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { multipart } from '../support/multipart.ts'
import { onEveryService } from '../support/service.ts'
import { countRows } from '../support/tables.ts'

onEveryService({ profiles: ['directory'] }, service => {
  let token: string
  let admins: string

  before(async () => {
    token = (await service().createUser('ann')).key
    admins = (await create('/groups/', { name: 'admins' })).url
  })

  const create = async (list: string, json: object) => {
    const response = await service().client.post(list, { token, json })
    assert.equal(response.status, 201, response.text)
    return { url: response.json().url as string, path: new URL(response.json().url).pathname }
  }

  test('END-GAP-b1, END-GAP-b3: POST on the list returns 201, the created object and its Location', async () => {
    const { client } = service()
    const response = await client.post('/users/', { token, json: { username: 'bob' } })
    const user = response.json()
    assert.equal(response.status, 201)
    assert.equal(response.headers['content-type'], 'application/json')
    assert.equal(response.headers.location, user.url)
    assert.deepEqual(user, { url: user.url, username: 'bob', email: '', groups: [] })
    assert.match(user.url, new RegExp(`^${client.origin}/users/[1-9]\\d*/$`))

    const group = await client.post('/groups/', { token, json: { name: 'painters' } })
    assert.equal(group.status, 201)
    assert.deepEqual(group.json(), { url: group.headers.location, name: 'painters' })
  })

  test('END-GAP-b1, END-GAP-b3: PUT returns 200 and the object, and keeps omitted optional fields', async () => {
    const { client } = service()
    const { url, path } = await create('/users/', { username: 'carl', email: 'c@example.org', groups: [admins] })
    const renamed = await client.put(path, { token, json: { username: 'carla' } })
    assert.equal(renamed.status, 200)
    assert.deepEqual(renamed.json(), { url, username: 'carla', email: 'c@example.org', groups: [admins] })

    const emptied = await client.put(path, { token, json: { username: 'carla', email: '', groups: [] } })
    assert.deepEqual(emptied.json(), { url, username: 'carla', email: '', groups: [] })
    assert.deepEqual((await client.get(path, { token })).json(), emptied.json())
  })

  test('END-GAP-b1, END-GAP-b3: PUT needs every required field, and PATCH needs none', async () => {
    const { client } = service()
    const { url, path } = await create('/users/', { username: 'dora', email: 'd@example.org' })
    const incomplete = await client.put(path, { token, json: { email: 'other@example.org' } })
    assert.equal(incomplete.status, 400)
    assert.deepEqual(incomplete.json(), { username: ['This field is required.'] })

    const patched = await client.patch(path, { token, json: { groups: [admins] } })
    assert.equal(patched.status, 200)
    assert.deepEqual(patched.json(), { url, username: 'dora', email: 'd@example.org', groups: [admins] })
    const untouched = await client.patch(path, { token, json: {} })
    assert.deepEqual([untouched.status, untouched.json()], [200, patched.json()])
  })

  test('END-GAP-b1, END-GAP-b3: a group is replaced and updated in the same way', async () => {
    const { client } = service()
    const { url, path } = await create('/groups/', { name: 'cooks' })
    for (const method of ['PUT', 'PATCH']) {
      const response = await client.request(method, path, { token, json: { name: `${method} cooks` } })
      assert.deepEqual([response.status, response.json()], [200, { url, name: `${method} cooks` }])
    }
    const same = await client.put(path, { token, json: { name: 'PATCH cooks' } })
    assert.equal(same.status, 200)
  })

  test('END-GAP-b1, END-GAP-b3: DELETE returns 204 without a body, and then the object is 404', async () => {
    const { client } = service()
    for (const [list, json] of [
      ['/users/', { username: 'eve' }],
      ['/groups/', { name: 'guests' }],
    ] as const) {
      const { path } = await create(list, json)
      const response = await client.delete(path, { token })
      assert.deepEqual([response.status, response.text], [204, ''])
      assert.equal(response.headers['content-type'], undefined)
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const repeated = await client.request(method, path, { token, json })
        assert.deepEqual([repeated.status, repeated.json()], [404, { detail: 'Not found.' }], method)
      }
    }
  })

  test('END-GAP-b3: deleting a group keeps its users', async () => {
    const { client } = service()
    const group = await create('/groups/', { name: 'temporary' })
    const user = await create('/users/', { username: 'fred', groups: [admins, group.url] })
    assert.equal((await client.delete(group.path, { token })).status, 204)
    assert.deepEqual((await client.get(user.path, { token })).json().groups, [admins])
  })

  test('END-GAP-b3: deleting a user deletes the token and keeps the groups', async () => {
    const { client, services, createUser } = service()
    const deletedUser = await createUser('gone')
    await client.patch(`/users/${deletedUser.id}/`, { token, json: { groups: [admins] } })
    const tokens = await countRows(services.database, 'tokens')
    assert.equal((await client.delete(`/users/${deletedUser.id}/`, { token })).status, 204)
    assert.equal(await countRows(services.database, 'tokens'), tokens - 1)
    const refused = await client.get('/users/', { token: deletedUser.key })
    assert.deepEqual([refused.status, refused.json()], [401, { detail: 'Invalid token.' }])
    assert.equal((await client.get(new URL(admins).pathname, { token })).status, 200)
  })

  test('END-GAP-b3: forms create and update as JSON does', async () => {
    const { client } = service()
    const form = [
      ['username', 'gina'],
      ['email', 'g@example.org'],
      ['groups', admins],
    ] as const
    const created = await client.post('/users/', { token, form })
    assert.equal(created.status, 201)
    const user = { url: created.json().url, username: 'gina', email: 'g@example.org', groups: [admins] }
    assert.deepEqual(created.json(), user)
    const { headers, body } = multipart({ email: 'new@example.org' })
    const options = { headers: { ...headers, authorization: `Token ${token}` }, body }
    const patched = await client.patch(new URL(user.url).pathname, options)
    assert.deepEqual([patched.status, patched.json()], [200, { ...user, email: 'new@example.org' }])
  })

  test('END-DIR-p1, ERR-EXC-r7: an unsupported method is 405 with an Allow header', async () => {
    const { client } = service()
    const { path } = await create('/groups/', { name: 'writers' })
    for (const [method, url, allow] of [
      ['PUT', '/groups/', 'GET, POST, HEAD, OPTIONS'],
      ['DELETE', '/users/', 'GET, POST, HEAD, OPTIONS'],
      ['POST', path, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ] as const) {
      const response = await client.request(method, url, { token, json: { name: 'x' } })
      assert.equal(response.status, 405)
      assert.deepEqual(response.json(), { detail: `Method '${method}' not allowed.` })
      assert.equal(response.headers.allow, allow)
    }
  })
})
