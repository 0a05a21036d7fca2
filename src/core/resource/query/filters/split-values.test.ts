import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../../errors/exceptions.ts'
import { splitValues } from './split-values.ts'

const format = (values: readonly string[]) => values.map(value => `"${value.replaceAll('"', '""')}"`).join()

test('values are separated by commas, and quoted values are whole', () => {
  for (const [text, values] of [
    ['a,b', ['a', 'b']],
    ['"a,b",c', ['a,b', 'c']],
    ['"a ""b"""', ['a "b"']],
    ['a"b",c', ['a"b"', 'c']],
    [',a,,b,', ['a', 'b']],
    ['""', ['']],
    ['', []],
    [' a, b', [' a', ' b']],
    ['"a\nb"', ['a\nb']],
  ] as const)
    assert.deepEqual(splitValues([text]), values, text)
  assert.deepEqual(splitValues(['a,b', '"c,d"']), ['a', 'b', 'c,d'])
})

test('quotation marks that do not end a value are refused', () => {
  for (const text of ['"', '"a', '"a"b', '"a",b,"', '"""', '"a" ,b', `"${'""'.repeat(8000)}`])
    assert.throws(() => splitValues([text]), ValidationError, text.slice(0, 20))
})

test('every list of values survives formatting', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', '\n') })), values => {
      assert.deepEqual(splitValues([format(values)]), values)
    }),
  )
})
