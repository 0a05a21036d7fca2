import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { formatFunctionName, formatTypeName } from './names.ts'

test('names consist of the words of their texts', () => {
  assert.equal(formatTypeName('order lines', 'Create'), 'OrderLinesCreate')
  assert.equal(formatTypeName('/admin', 'Audit log', ''), 'AdminAuditLog')
  assert.equal(formatFunctionName('list', 'Customer Orders'), 'listCustomerOrders')
  assert.equal(formatFunctionName('get', 'Straßen und Übergänge'), 'getStraEnUndUbergange')
  assert.equal(formatFunctionName('2 words'), '_2Words')
})

test('words that are reserved in a language, or members of every object, get an underscore', () => {
  for (const name of ['delete', 'import', 'constructor', 'then', 'lambda', 'new'])
    assert.equal(formatFunctionName(name), `${name}_`)
})

test('every text becomes a name that every generator accepts', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: anyCharacter })), texts => {
      assert.match(formatTypeName(...texts), /^(?:[A-Za-z]|_)[A-Za-z0-9]*$/)
      assert.match(formatFunctionName(...texts), /^(?:[a-z]|_)[A-Za-z0-9]*_?$/)
    }),
  )
})
