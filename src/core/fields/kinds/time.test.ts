import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { time } from './time.ts'

const parse = (input: unknown) => time().parse(input, {} as ParseContext)
const formatTwoDigits = (value: number) => String(value).padStart(2, '0')

test('every time of day is parsed unchanged, with microseconds unless they are zero', () => {
  const part = (max: number) => fc.integer({ min: 0, max })
  const micros = fc.oneof(fc.constant(0), part(999_999))
  fc.assert(
    fc.property(part(23), part(59), part(59), micros, (hour, minute, second, micro) => {
      const [short, fraction] = [
        `${formatTwoDigits(hour)}:${formatTwoDigits(minute)}`,
        `.${String(micro).padStart(6, '0')}`,
      ]
      const long = `${short}:${formatTwoDigits(second)}`
      assert.equal(parse(`${long}${fraction}123`), micro === 0 ? long : long + fraction)
      assert.equal(parse(` ${long} `), long)
      assert.equal(parse(short), `${short}:00`)
    }),
  )
})

test('text that is not a time of day, or has an offset, is rejected', () => {
  const wrong = ['24:00', '23:60', '23:59:60', '1:00', '10', '10:0', '10:00:', '10:00:00.', '10:00.5', '10:00 pm']
  for (const text of [...wrong, '10:00Z', '10:00+01:00', 'T10:00', '2024-01-01T10:00', '10:00:00:00', '-10:00']) {
    assert.throws(() => parse(text), ValidationError, text)
  }
})
