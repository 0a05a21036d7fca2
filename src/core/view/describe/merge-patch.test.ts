import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Operation, OperationOptions } from '../../describe/openapi-types.ts'
import { joinOptions, mergeOperation, mergePatch } from './merge-patch.ts'

// RFC 7396, appendix A.
const cases: readonly (readonly [original: unknown, patch: unknown, result: unknown])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
]

test('a patch changes, adds and removes members', () => {
  for (const [original, patch, result] of cases) assert.deepEqual(mergePatch(original, patch), result)
})

test('a member called __proto__ is an ordinary one', () => {
  const merged = mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}')) as object
  assert.deepEqual(Object.keys(merged), ['__proto__'])
  assert.equal((merged as { polluted?: boolean }).polluted, undefined)
})

const operation: Operation = {
  operationId: 'listOrders',
  summary: 'List orders',
  description: 'List orders.',
  tags: ['orders'],
  parameters: [
    { name: 'search', in: 'query', schema: { type: 'string' } },
    { name: 'search', in: 'header', schema: { type: 'string' } },
  ],
  responses: { 200: { description: 'The orders.', content: { 'application/json': { schema: {} } } } },
}

test('parameters are replaced by name and place, and responses merged', () => {
  const merged = mergeOperation(operation, {
    deprecated: true,
    parameters: [
      { name: 'search', in: 'query', description: 'Words.', schema: { type: 'string' } },
      { name: 'tenant', in: 'header', schema: { type: 'string' } },
    ],
    responses: { 200: { content: { 'application/json': { example: [] } } }, 402: { description: 'Not paid.' } },
  })
  assert.deepEqual(
    merged.parameters!.map(({ name, in: place, description }) => [name, place, description]),
    [
      ['search', 'query', 'Words.'],
      ['search', 'header', undefined],
      ['tenant', 'header', undefined],
    ],
  )
  assert.deepEqual(merged.responses, {
    200: { description: 'The orders.', content: { 'application/json': { schema: {}, example: [] } } },
    402: { description: 'Not paid.' },
  })
  assert.equal(merged.deprecated, true)
})

test('a success that the application names replaces any success', () => {
  const any = {
    ...operation,
    responses: { '2XX': { description: '' }, '3XX': { description: '' }, 404: { description: '' } },
  }
  const list = (options: OperationOptions) => Object.keys(mergeOperation(any, options).responses)
  assert.deepEqual(list({ responses: { 204: { description: 'Sent.' } } }), ['204', '404'])
  assert.deepEqual(list({ responses: { 409: { description: 'Sent before.' } } }), ['404', '409', '2XX', '3XX'])
  assert.deepEqual(list({ responses: { 204: null } }), ['404', '2XX', '3XX'])
})

test('options of a method change those of its view, and false hides the method', () => {
  assert.equal(joinOptions(undefined, undefined), undefined)
  assert.equal(joinOptions({ deprecated: true }, false), false)
  assert.deepEqual(joinOptions(false, { deprecated: true }), { deprecated: true })
  assert.deepEqual(joinOptions({ deprecated: true, summary: 'a' }, { summary: 'b' }), {
    deprecated: true,
    summary: 'b',
  })
})
