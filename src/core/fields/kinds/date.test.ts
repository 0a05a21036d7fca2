import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { date } from './date.ts'

const parse = (input: unknown) => date().parse(input, {} as ParseContext)

test('every day of the years 1 to 9999 is parsed unchanged', () => {
  const days = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(days, day => {
      const text = day.toISOString().slice(0, 10)
      assert.equal(parse(` ${text} `), text)
    }),
  )
})

test('text that is not a calendar day, or has more than a day, is rejected', () => {
  const wrong = ['2023-02-29', '2024-04-31', '2024-13-01', '2024-00-01', '2024-01-00', '0000-01-01', '10000-01-01']
  for (const text of [
    ...wrong,
    '2024-1-1',
    '20240101',
    '2024-01-01T00:00',
    '2024-W01-1',
    '-2024-01-01',
    '2024-01-01Z',
  ]) {
    assert.throws(() => parse(text), ValidationError, text)
  }
})
