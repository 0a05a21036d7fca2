import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { duration } from './duration.ts'

const field = duration()
const parse = (input: unknown) => field.parse(input, {} as ParseContext) as string
const durations = fc.maxSafeInteger()

test('every duration is formatted in a way that is parsed to the same duration', () => {
  fc.assert(
    fc.property(durations, microseconds => {
      const iso = `${microseconds < 0 ? '-' : ''}PT${Math.floor(Math.abs(microseconds) / 1e6)}.${String(Math.abs(microseconds) % 1e6).padStart(6, '0')}S`
      const shown = parse(iso)
      assert.match(shown, /^(-?[1-9]\d* )?\d\d:[0-5]\d:[0-5]\d(\.\d{6})?$/)
      assert.equal(field.store!(shown), microseconds)
      assert.equal(parse(shown), shown)
    }),
  )
})

test('durations are accepted in every spelling that Django accepts', () => {
  const spellings: Record<string, readonly unknown[]> = {
    '00:00:00': [0, -0, '0', '-0', '00:00', 'P0D', 'PT0S', '-PT0M'],
    '00:00:30': [30, '30', '00:30', '0:00:30', ' 30 ', 'PT30S', 'PT0.5M', '0 30'],
    '00:15:30': ['15:30', '930', 930, 'PT15M30S'],
    '10:15:30': ['10:15:30', '36930', 'PT10H15M30S'],
    '1 00:00:00': ['24:00:00', '1440:00', 86_400, 'P1D', 'PT24H', '+P1D', '1 0'],
    '4 00:15:30.100000': ['4 15:30.1', '4 00:15:30,1', '4 days, 0:15:30.1', '4 days 00:15:30.1'],
    '1 00:00:01': ['1 day, 0:00:01', '1 day 00:00:01'],
    '4 01:15:20': ['P4DT1H15M20S', 'P4DT75M20S'],
    '3 12:00:00': ['P3.5D', 'P3,5D'],
    '00:00:00.000001': ['0.000001', 0.000001, '0.0000019', 'PT0.000001S'],
    '-1 23:59:59': ['-1', -1, '-00:01', '-1 23:59:59', '-PT1S', '0 days, -0:00:01'],
    '-4 00:15:30': ['-4 15:30'],
    '-5 23:44:30': ['-4 -15:30', '-P4DT15M30S'],
    '-172 00:00:00': ['-172 00:00:00', '-P172D'],
  }
  for (const [shown, inputs] of Object.entries(spellings)) {
    for (const input of inputs) assert.equal(parse(input), shown, String(input))
  }
})

test('text that is not a duration is rejected', () => {
  const wrong = ['', 'x', 'P', 'PT', 'P1DT', '-', '1:2:3:4', '1.5:00', '1D', 'P1Y', 'P1M', 'P1W', 'p1d', '--1']
  for (const input of [...wrong, '+1', '1 2 3', '1.', '.5', '1e3', 1e-7, 1e21, true, null, [], {}, 'PT1H1H', '٣']) {
    assert.throws(() => parse(input), /Duration has wrong format/, String(input))
  }
})

test('durations are limited to ±(2^53 - 1) microseconds', () => {
  assert.equal(parse('9007199254.740991'), '104249 23:47:34.740991')
  assert.equal(parse('-9007199254.740991'), '-104250 00:12:25.259009')
  for (const input of ['9007199254.740992', '-9007199254.740992', '999999 0', 1e20, 'P99999999999999999999D']) {
    assert.throws(() => parse(input), /The number of days must be between -104249 and 104249\./, String(input))
  }
})

test('the bounds are inclusive, and an invalid bound throws at start', () => {
  const bounded = duration({ min: '00:00:01', max: 'P1D' })
  const parseBounded = (input: unknown) => bounded.parse(input, {} as ParseContext)
  assert.deepEqual(bounded.bounds, { max_value: 86_400, min_value: 1 })
  assert.deepEqual([parseBounded('1'), parseBounded('24:00:00')], ['00:00:01', '1 00:00:00'])
  assert.throws(() => parseBounded('0.999999'), /Ensure this value is greater than or equal to 00:00:01\./)
  assert.throws(() => parseBounded('1 00:00:00.000001'), /Ensure this value is less than or equal to P1D\./)
  assert.throws(() => duration({ max: 'a day' }), /max must be a duration such as "1 12:00:00", not "a day"/)
})

test('text throws only ValidationError', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'019-:., PDTHMSdays'), maxLength: 20 })
  fc.assert(
    fc.property(likely, text => {
      try {
        assert.equal(parse(parse(text)), parse(text))
      } catch (error) {
        assert.ok(error instanceof ValidationError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})
