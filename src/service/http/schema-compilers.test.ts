import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../settings/settings.ts'
import { createServer } from './server.ts'

test('a route with schemas, added to the service, has its body checked and its answer written by them', async () => {
  const app = createServer(readSettings({ file: { logLevel: 'silent' } }))
  const counted = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }
  app.post('/count', { schema: { body: counted, response: { 200: counted } } }, ({ body }) => ({
    ...(body as object),
    secret: 'not in the schema',
  }))
  const ask = async (payload: object) => {
    const { statusCode, json } = await app.inject({ method: 'POST', url: '/count', payload })
    return [statusCode, json()]
  }
  assert.deepEqual(await ask({ count: '7' }), [200, { count: 7 }])
  const [status, { message }] = (await ask({ count: 'many' })) as [number, { message: string }]
  assert.deepEqual([status, message], [400, 'body/count must be integer'])
  await app.close()
})

test('a schema of header fields names them as it likes', async () => {
  const app = createServer(readSettings({ file: { logLevel: 'silent' } }))
  const headers = { type: 'object', properties: { 'X-Age': { type: 'integer' } }, required: ['X-Age'] }
  app.get('/age', { schema: { headers } }, () => ({}))
  const statuses = await Promise.all(
    [{ 'x-age': '7' }, { 'X-AGE': '7' }, { 'x-age': 'old' }, {}].map(
      async sent => (await app.inject({ url: '/age', headers: sent })).statusCode,
    ),
  )
  assert.deepEqual(statuses, [200, 200, 400, 400])
  await app.close()
})
