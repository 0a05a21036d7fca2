import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { withinLimits } from '../../test/support/patience.ts'
import { closeStalledConnections } from './stalled-connections.ts'

const size = 16_000_000

test('the connection of a client that does not read its response is closed; a client that reads gets all of it', () =>
  withinLimits(0.1, checkStalledClient))

async function checkStalledClient(seconds: number): Promise<void> {
  const server = createServer((_request, response) => response.end(Buffer.alloc(size))).listen(0, '127.0.0.1')
  closeStalledConnections(server, seconds)
  await once(server, 'listening')
  try {
    await checkConnections(server)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

async function checkConnections(server: Server): Promise<void> {
  const { port } = server.address() as AddressInfo
  const request = () => {
    const socket = connect(port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return socket
  }
  const accepted = once(server, 'connection')
  const stalledSocket = request().pause()
  const [connection] = (await accepted) as [Socket]
  await once(connection, 'close')
  assert.ok(connection.bytesRead > 0 && !connection.writableFinished)
  stalledSocket.on('error', () => undefined).destroy()

  let read = 0
  const readingSocket = request().on('data', chunk => {
    read += chunk.length
  })
  await once(readingSocket, 'close')
  assert.ok(read > size)
}
