import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous, type Identity } from '../http/identity.ts'
import { readCallerProperty } from './sql-references.ts'

test('SQL takes texts, finite numbers, booleans and null of the caller', () => {
  const read = (value: unknown) => readCallerProperty({ ...anonymous, value } as Identity, 'value', 'rowFilter()')
  for (const value of ['', 'ann', 0, -1.5, true, false, null]) assert.equal(read(value), value)
  assert.equal(read(undefined), null)
  for (const [value, description] of [
    [[], 'an array'],
    [{}, 'an object'],
    [1n, 'a bigint'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
  ] as const)
    assert.throws(() => read(value), {
      message: `rowFilter(): caller.value is ${description}, which SQL cannot take: use a property that is a string, a number, a boolean or null`,
    })
})
