// The body of a resource is a Standard Schema, which a view of another API can take like those of other libraries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodySchema, decimal, findDocument, key, list, resource, text, view } from 'resource-api'
import { startApi } from '../support/own-api.ts'

const orders = resource('orders', {
  table: 'orders',
  fields: {
    id: key(),
    number: text({ max: 5 }),
    total: decimal({ maxDigits: 6, decimalPlaces: 2 }),
    tags: list({ of: text({ max: 3 }), default: [] }),
  },
})

const quote = view({
  name: 'Quote',
  body: bodySchema(orders, 'create'),
  handlers: {
    POST({ body }) {
      const total: string = body.total
      return { status: 200, body: { total, tags: body.tags ?? null } }
    },
  },
})

test('a view takes the body of a resource: checked, converted, and described', async () => {
  const { client, app, stop } = await startApi({ views: { '/quote/': quote } })
  const taken = await client.post('/quote/', { json: { number: ' A-1 ', total: '9.5', more: 1 } })
  assert.deepEqual([taken.status, taken.json()], [200, { total: '9.50', tags: null }])
  const refused = await client.post('/quote/', { json: { number: 'A-1000', tags: ['a', 'long'] } })
  assert.deepEqual(
    [refused.status, refused.json()],
    [
      400,
      {
        number: ['Ensure this field has no more than 5 characters.'],
        total: ['This field is required.'],
        tags: { 1: ['Ensure this field has no more than 3 characters.'] },
      },
    ],
  )
  const { requestBody } = findDocument(app).paths['/quote/']!.post!
  const { properties } = requestBody!.content['application/json']!.schema as { readonly properties: object }
  assert.deepEqual(Object.keys(properties), ['number', 'total', 'tags'])
  await stop()
})
