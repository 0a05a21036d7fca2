// Clients that take their time: how long a request may take to arrive, and that nothing of it stays.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { startService } from '../support/service.ts'

test('SVC-5: what does not arrive in time is answered with 408, and its connection ended', async context => {
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
  const answers = Object.entries(requests).map(async ([name, bytes]) => {
    // The client keeps its side open, so that the service has to end the connection.
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }).setEncoding('latin1')
    context.after(() => socket.destroy())
    socket.write(bytes)
    const [answer] = await once(socket, 'data')
    assert.match(answer, /^HTTP\/1.1 408 /, name)
    assert.match(answer, /\r\n\r\n\{"detail":"The request did not arrive in time."\}$/, name)
  })
  await Promise.all(answers)
  assert.equal(closed.length, 2)
  await Promise.all(closed)
})
