import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema } from '../../src/core/describe/json-schema.ts'
import { createComponents } from '../../src/core/view/describe/components.ts'
import { keepUsedComponents } from '../../src/openapi/used-components.ts'

const count = 20_000

test('components may form a long chain, and a circle', () => {
  const { refer, components } = createComponents()
  const describe = (index: number): JsonSchema =>
    refer(`Item${index}`, () => ({ type: 'object', properties: { next: describe((index + 1) % count) } }))
  const schema = describe(0)
  assert.deepEqual(schema, { $ref: '#/components/schemas/Item0' })
  assert.deepEqual(components.schemas[`Item${count - 1}`], { type: 'object', properties: { next: schema } })
  const { schemas } = keepUsedComponents([schema], components)
  assert.equal(Object.keys(schemas).length, count)
})

test('a component that cannot be created does not hinder others', () => {
  const { refer, components } = createComponents()
  assert.throws(() => refer('Wrong', () => assert.fail('wrong')), /wrong/)
  refer('Right', () => ({ type: 'string' }))
  assert.deepEqual(components.schemas.Right, { type: 'string' })
})
