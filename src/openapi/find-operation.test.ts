import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenApiDocument } from '../core/describe/openapi-types.ts'
import { findOperation } from './find-operation.ts'

const paths = Object.fromEntries(
  ['/', '/orders/', '/orders/{key}/', '/orders/late/', '/orders/{key}/lines/{line}/', '/orders/{key}/lines/last/'].map(
    path => [path, { get: { operationId: path } }],
  ),
)
const document = { paths } as unknown as OpenApiDocument

const find = (path: string, method = 'GET') => findOperation(document, path, method)?.path

test('a URL belongs to the path that the router finds: literal segments win over parameters', () => {
  assert.deepEqual(find('/orders/7/'), ['paths', '/orders/{key}/', 'get'])
  assert.deepEqual(find('/orders/late/'), ['paths', '/orders/late/', 'get'])
  assert.deepEqual(find('/orders/7/lines/last/'), ['paths', '/orders/{key}/lines/last/', 'get'])
  assert.deepEqual(find('/orders/late/lines/3/'), ['paths', '/orders/{key}/lines/{line}/', 'get'])
  assert.deepEqual(find('/'), ['paths', '/', 'get'])
})

test('other URLs and methods have no operation', () => {
  for (const path of ['/orders', '/orders//', '/orders/7', '/orders/7/lines/', '/other/'])
    assert.equal(find(path), undefined)
  assert.equal(find('/orders/', 'POST'), undefined)
})
