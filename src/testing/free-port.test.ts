import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { freePort } from './free-port.ts'

test('no port is returned twice while the process lives, and the system chooses none of them', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, freePort))
  assert.equal(new Set(ports).size, ports.length)
  assert.ok(ports.every(port => port < 32_768))
})

test('a port of another process is not returned', async () => {
  const port = await freePort()
  const script = `
    const { createSocket } = await import('node:dgram')
    const socket = createSocket('udp4').once('error', error => { console.log(error.code); socket.close() })
    socket.bind({ address: '127.0.0.1', port: ${port}, exclusive: true }, () => socket.close())`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  assert.equal(stdout, 'EADDRINUSE\n')
})

test('a server can listen on the port', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  server.close()
})
