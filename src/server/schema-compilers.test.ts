import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { serverOptions } from './server-options.ts'

test('the schemas of a route validate the request body and serialize the response', async () => {
  const app = Fastify(serverOptions({ logLevel: 'silent' }))
  const countSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }
  app.post('/count', { schema: { body: countSchema, response: { 200: countSchema } } }, ({ body }) => ({
    ...(body as object),
    secret: 'not in the schema',
  }))
  const post = async (payload: object) => {
    const { statusCode, json } = await app.inject({ method: 'POST', url: '/count', payload })
    return [statusCode, json()]
  }
  assert.deepEqual(await post({ count: '7' }), [200, { count: 7 }])
  const [status, { message }] = (await post({ count: 'many' })) as [number, { message: string }]
  assert.deepEqual([status, message], [400, 'body/count must be integer'])
  await app.close()
})

test('a schema of headers may use upper or lower case', async () => {
  const app = Fastify(serverOptions({ logLevel: 'silent' }))
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
