import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { errorBody } from '../http/errors/exception-handler.ts'
import { APIException, type ErrorTree, ValidationError } from './exceptions.ts'

const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'message', 'code'))
const { tree } = fc.letrec<{ tree: ErrorTree<string> }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(key, fc.array(tie('tree'), { maxLength: 3 }), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** Every leaf is a member of a list. */
function hasOnlyLists(detail: ErrorTree<string>, inList = false): boolean {
  if (typeof detail === 'string') return inList
  if (Array.isArray(detail)) return detail.every(item => hasOnlyLists(item, true))
  return Object.values(detail).every(item => hasOnlyLists(item))
}

test('ERR-EXC-r2, ERR-BODY-2: for any detail, the body is an object of lists', () => {
  fc.assert(
    fc.property(tree, detail => {
      const error = new ValidationError(detail)
      const body = errorBody(error, 'non_field_errors') as { [key: string]: ErrorTree<string> }
      assert.ok(!Array.isArray(body) && hasOnlyLists(body))
      assert.deepEqual(JSON.parse(error.message), JSON.parse(JSON.stringify(error.detail)))
    }),
  )
})

test('ERR-MSG-p1: texts, codes, and both together have the same structure', () => {
  const paths = (value: unknown, isLeaf: (value: unknown) => boolean): unknown =>
    isLeaf(value) || typeof value !== 'object' || value === null
      ? 'leaf'
      : Object.entries(value).map(([name, item]) => [name, paths(item, isLeaf)])
  const isText = (value: unknown) => typeof value === 'string'
  const isDetail = (value: unknown) => typeof (value as { message?: unknown })?.message === 'string'
  fc.assert(
    fc.property(tree, detail => {
      const error = new ValidationError(detail)
      const shape = JSON.stringify(paths(error.detail, isText))
      assert.equal(JSON.stringify(paths(error.codes, isText)), shape)
      assert.equal(JSON.stringify(paths(error.fullDetails, isDetail)), shape)
    }),
  )
})

test('ERR-EXC-p1: an exception is an Error with the name of its class and its text', () => {
  class Teapot extends APIException {
    static override status = 418
    static override message = 'Short and stout.'
  }
  const error = new Teapot()
  assert.ok(error instanceof Error && error instanceof APIException)
  assert.deepEqual([error.name, error.message, error.status, error.codes], ['Teapot', 'Short and stout.', 418, 'error'])
})
