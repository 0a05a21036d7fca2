// The websocket knows its caller and refuses as the API does; with several workers too, and the service keeps its log and metrics.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { testService } from 'resource-api/testing'
import config from './resource-api.config.ts'

/** Opens the websocket. `ask` sends a code, and resolves to the response. */
async function openScanner(origin: string, headers: Readonly<Record<string, string>>) {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/scanner`, { headers })
  await once(socket, 'open')
  return {
    async ask(code: string) {
      socket.send(code)
      const [{ data }] = await once(socket, 'message')
      return JSON.parse(data)
    },
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

test('each scan is stored for the caller of the websocket, or refused with the error of the API', async () => {
  await using api = await testService(config)
  const origin = await api.app.listen({ port: 0, host: '127.0.0.1' })
  const ann = await api.user('ann')
  const scanner = await openScanner(origin, { authorization: `Token ${ann.token}` })
  assert.partialDeepStrictEqual(await scanner.ask('A-17'), { id: 1, code: 'A-17' })
  assert.deepEqual(await scanner.ask('?'), { error: { code: ['This is no code.'] } })
  assert.partialDeepStrictEqual(await scanner.ask('A-18'), { id: 2, code: 'A-18' })
  assert.partialDeepStrictEqual(await api.as(ann).get('/scans/').json(), [{ code: 'A-17' }, { code: 'A-18' }])
  const { accounts, database } = api.services
  await database.transaction(connection => accounts.tokens.revokeAll(ann.id, connection))
  assert.deepEqual(await scanner.ask('A-19'), { error: 'Invalid token.' })
  await scanner.close()
})

test('without a caller, or from the page of another site, the connection is refused', async () => {
  await using api = await testService(config)
  const { token } = await api.user('ann')
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'x',
  }
  for (const [headers, status] of [
    [{}, 401],
    [{ authorization: 'Token wrong' }, 401],
    [{ authorization: `Token ${token}`, origin: 'https://evil.example' }, 403],
  ] as const) {
    const response = await api.app.inject({ url: '/scanner', headers: { ...upgrade, ...headers } })
    assert.equal(response.statusCode, status)
  }
})
