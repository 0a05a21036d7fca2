import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { formatErrorLines } from './format-error.ts'
import { loggableError } from './loggable-error.ts'

test('an error is shown with its name, properties, stack and causes', () => {
  const cause = Object.assign(new TypeError('no such row'), { code: '23503' })
  const lines = formatErrorLines(loggableError(new Error('could not save', { cause })))
  assert.equal(lines[0], 'Error: could not save')
  assert.match(lines[1]!, /^ {4}at .*format-error\.test\.ts:\d+:\d+\)$/)
  const start = lines.indexOf('  caused by TypeError: no such row')
  assert.equal(lines[start + 1], '    code: 23503')
  assert.match(lines[start + 2]!, /^ {6}at .*format-error\.test\.ts/)
})

test('for any error, no line contains a control character, and each line after the first is indented', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (message, code) => {
      const error = Object.assign(new Error(`failed: ${message}\n\u001b[2J\u202eforged`), { code })
      const [first, ...others] = formatErrorLines(loggableError(error))
      assert.ok(first!.startsWith('Error: '))
      for (const line of [first!, ...others]) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      for (const line of others) assert.match(line, /^ {2}/)
    }),
  )
})
