// Slow clients: the time limit of a request, after which its connection is closed.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { startService } from '../support/service.ts'

test('SVC-5: a request that does not arrive in time gets 408, and its connection is closed', async context => {
  const service = await startService({ database: 'SQLite', transport: 'over a socket' }, { limits: { requestTime: 1 } })
  context.after(() => service.stop())
  const { server } = service.app
  const closed: Promise<unknown>[] = []
  server.on('connection', (socket: Socket) => closed.push(once(socket, 'close')))
  const { key } = await service.createUser('slow')
  const fields = `Host: localhost\r\nAuthorization: Token ${key}\r\nContent-Type: application/json\r\n`
  const requests = {
    head: 'GET / HTTP/1.1\r\nX-Slow: ',
    body: `POST /snippet/snippets/ HTTP/1.1\r\n${fields}Content-Length: 99\r\n\r\n{"code"`,
  }
  const { port } = server.address() as AddressInfo
  const responses = Object.entries(requests).map(async ([name, bytes]) => {
    // The client keeps its side open, so that the service has to close the connection.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1')
    context.after(() => socket.destroy())
    socket.write(bytes)
    const [response] = await once(socket, 'data')
    assert.match(response, /^HTTP\/1.1 408 /, name)
    assert.match(response, /\r\n\r\n\{"detail":"The request did not arrive in time."\}$/, name)
  })
  await Promise.all(responses)
  assert.equal(closed.length, 2)
  await Promise.all(closed)
})
