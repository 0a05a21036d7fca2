// Features that the specification excludes: states, events, versions.

import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { before, test } from 'node:test'
import { onEveryDatabase } from '../support/service.ts'

onEveryDatabase({}, service => {
  let token: string

  before(async () => {
    token = (await service().createUser('ann')).key
  })

  /** Creates one object of each resource, and returns their paths and representations. */
  async function createEach() {
    const { client } = service()
    const name = `n${Math.random()}`
    const responses = [
      await client.post('/directory/groups/', { token, json: { name } }),
      await client.post('/directory/users/', { token, json: { username: name } }),
      await client.post('/snippet/snippets/', { token, json: { code: name } }),
    ]
    return responses.map(response => ({ path: new URL(response.headers.location!).pathname, json: response.json() }))
  }

  test('STATE-p1: a resource has fields but no state, and can only be read, replaced, updated and deleted', async () => {
    const { client } = service()
    const created = await createEach()
    assert.deepEqual(
      created.map(({ json }) => Object.keys(json)),
      [
        ['url', 'name'],
        ['url', 'username', 'email', 'groups'],
        ['id', 'owner', 'title', 'code', 'linenos', 'language', 'style'],
      ],
    )
    for (const { path } of created) {
      assert.equal((await client.get(path, { token })).headers.allow, 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS')
      const withState = { state: 'closed', status: 'draft', is_published: true }
      const response = await client.patch(path, { token, json: withState })
      assert.deepEqual([response.status, response.json()], [200, (await client.get(path, { token })).json()])
      for (const transition of ['close', 'publish', 'activate'])
        assert.equal((await client.post(`${path}${transition}/`, { token })).status, 404)
    }
  })

  test('EVT-p1: a write sends no event: it opens no connection, and there is no event stream', async () => {
    const { client, services } = service()
    await createEach()
    const sockets: Socket[] = []
    const collect = (message: unknown) => void sockets.push((message as { readonly socket: Socket }).socket)
    subscribe('net.client.socket', collect)
    for (const { path } of await createEach()) {
      await client.patch(path, { token, json: {} })
      await client.delete(path, { token })
    }
    unsubscribe('net.client.socket', collect)
    // The pool may open a further connection to the database.
    const databasePort = new URL(services.settings.databaseUrl).port
    for (const socket of sockets) {
      if (socket.connecting) await once(socket, 'connect')
      assert.equal(String(socket.remotePort), databasePort)
    }
    const headers = { accept: 'text/event-stream' }
    assert.equal((await client.get('/snippet/snippets/', { headers })).status, 406)
  })

  test('VER-p1: URLs and media types have no version, and version parameters are ignored', async () => {
    const { client } = service()
    for (const { path, json } of await createEach()) {
      assert.doesNotMatch(JSON.stringify([path, json.url]), /\/v\d/)
      const response = await client.get(path, { token })
      assert.equal(response.headers['content-type'], 'application/json')
      const headers = { 'x-api-version': '2', 'accept-version': '2.x' }
      const versioned = await client.get(`${path}?version=2`, { token, headers })
      assert.deepEqual([versioned.status, versioned.text], [200, response.text])
    }
    assert.equal((await client.get('/v1/directory/users/', { token })).status, 404)
  })
})
