// The websocket of examples/scanner in a service with workers: also when a worker dies, and when the service stops. Metrics and log are
// as without it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'
import { eventually } from '../support/patience.ts'
import { password } from '../support/service.ts'
import { commandLine } from './command-line.ts'
import { childrenOf } from './processes.ts'

const config = ['--config', fileURLToPath(new URL('../../examples/scanner/resource-api.config.ts', import.meta.url))]

test('a websocket works with several workers, beside the metrics and the log', async context => {
  const cli = await commandLine(context)
  const metricsPort = String(await freePort())
  const environment = {
    SECRET_KEY: 's'.repeat(40),
    PORT: '0',
    WORKERS: '2',
    METRICS_PORT: metricsPort,
    LOG_FORMAT: 'json',
  }
  const service = cli.start(['serve', ...config], { environment })
  const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
  await cli.run(['createuser', 'ann', ...config], { input: password, environment })
  const login = await fetch(`${origin}/api-token-auth/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'ann', password }),
  })
  const { token } = (await login.json()) as { token: string }

  const open = async () => {
    const socket = new WebSocket(`${origin!.replace('http', 'ws')}/scanner`, {
      headers: { authorization: `Token ${token}` },
    })
    await once(socket, 'open')
    return socket
  }
  const scan = async (socket: WebSocket, code: string) => {
    socket.send(code)
    const [{ data }] = await once(socket, 'message')
    return JSON.parse(data) as { code: string }
  }
  const sockets = [await open(), await open(), await open(), await open()]
  for (const [index, socket] of sockets.entries()) assert.equal((await scan(socket, `A-${index}`)).code, `A-${index}`)

  const isOpen = ({ readyState }: WebSocket) => readyState === WebSocket.OPEN
  process.kill((await childrenOf(service.pid))[0]!, 'SIGKILL')
  await eventually(() => sockets.filter(isOpen).length === 2, 'the sockets of the killed worker are closed')
  await eventually(async () => (await childrenOf(service.pid)).length === 2, 'two workers')
  const left = [...sockets.filter(isOpen), await open()]
  for (const socket of left) assert.equal((await scan(socket, 'B-1')).code, 'B-1')

  const list = await fetch(`${origin}/scans/`, { headers: { authorization: `Token ${token}` } })
  assert.equal(((await list.json()) as unknown[]).length, 7)
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  assert.match(metrics, /^http_requests_total\{method="GET",route="\/scans\/",status="200"\} 1$/m)
  const closed = left.map(socket => once(socket, 'close'))
  const { code, stdout, stderr } = await service.stop()
  assert.equal(code, 0, stderr)
  // 1006 would be a connection that was cut, after the whole time that a stop may take.
  for (const [{ code: reason }] of await Promise.all(closed)) assert.equal(reason, 1005)
  assert.equal(stdout.match(/"msg":"scanner connected"/g)?.length, 5)
})
