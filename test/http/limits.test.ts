// Limits on requests and connections are settings (docs/limits.md); each test changes one.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { createService } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import { type Client, socketClient } from '../support/client.ts'
import { onEveryDatabase, onEveryService } from '../support/service.ts'

const limits = { bodySize: 400, jsonDepth: 3, formFields: 2, headerSize: 2000 }

onEveryService({ limits, profiles: [snippets({ codeLimit: 1 })] }, service => {
  const post = (body: string, type = 'application/json') =>
    service().client.post('/api-token-auth/', { body, headers: { 'content-type': type } })

  test('ERR-EXC-r1: jsonDepth limits the nesting of JSON', async () => {
    const { key } = await service().createUser('deep')
    const send = (title: unknown) => service().client.post('/snippets/', { token: key, json: { code: 'x', title } })
    assert.equal((await send([[1]])).json().title[0], 'Not a valid string.')
    const refused = await send([[[1]]])
    assert.deepEqual([refused.status, refused.json()], [400, { detail: 'JSON parse error - nested too deeply' }])
  })

  test('ERR-EXC-r1: formFields limits the fields of a form', async () => {
    const { key } = await service().createUser('wide')
    const send = (body: string) =>
      service().client.post('/snippets/', {
        token: key,
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    assert.equal((await send('code=x&title=')).status, 201)
    const refused = await send('code=x&title=&language=java')
    assert.deepEqual([refused.status, refused.json()], [400, { detail: 'Form parse error - too many fields' }])
  })

  test('ERR-EXC-r1: the body limit is bodySize, or the size that codeLimit needs if that is larger', async () => {
    const { key } = await service().createUser('large')
    const send = (length: number) =>
      service().client.post('/snippets/', { token: key, json: { code: 'x', title: '', unknown: 'x'.repeat(length) } })
    assert.equal((await send(60_000)).status, 201)
    assert.equal((await send(70_000)).status, 413)
    assert.equal((await post('x'.repeat(70_000))).status, 413)
  })
})

onEveryDatabase({ limits: { ...limits, connections: 2 } }, service => {
  let app: FastifyInstance
  let client: Client
  before(async () => {
    app = await createService(service().services)
    client = await socketClient(app)
  })
  after(async () => {
    client.close()
    await app.close()
  })

  test('SVC-5: headerSize limits the headers of a request', async () => {
    const fits = await client.get('/', { headers: { 'x-filler': 'x'.repeat(1000) } })
    assert.equal(fits.status, 200)
    const refused = await client.get('/', { headers: { 'x-filler': 'x'.repeat(3000) } })
    assert.deepEqual([refused.status, refused.json()], [431, { detail: 'Request header fields are too large.' }])
  })

  test('SVC-5: connections limits the open connections', async () => {
    client.close()
    const openSockets = [openSocket(), openSocket()]
    for (const socket of openSockets) {
      socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
      await once(socket, 'data')
    }
    await once(openSocket(), 'close')
    for (const socket of openSockets) socket.destroy()
  })

  const openSocket = (): Socket => {
    const { hostname, port } = new URL(client.origin)
    return connect(Number(port), hostname)
  }
})
