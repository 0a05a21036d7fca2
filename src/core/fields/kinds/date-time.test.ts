import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { formatDateTime, parseDateTime } from './date-time.ts'

const dates = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30T23:59:59.999Z'), noInvalidDate: true })
const formatTwoDigits = (value: number) => String(value).padStart(2, '0')

test('a date-time in the output format is parsed unchanged', () => {
  fc.assert(
    fc.property(dates, fc.integer({ min: 0, max: 999_999 }), (date, micros) => {
      const text = formatDateTime(date, String(micros).padStart(6, '0'))!
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      assert.equal(parseDateTime(text), text)
    }),
  )
})

test('every offset is parsed to the same time as Date does', () => {
  fc.assert(
    fc.property(dates, fc.integer({ min: -1439, max: 1439 }), fc.boolean(), (date, offset, colon) => {
      const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1)
      fc.pre(/^\d{4}-/.test(local) && !local.startsWith('0000'))
      const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
      const zone = `${offset < 0 ? '-' : '+'}${formatTwoDigits(hours)}${colon ? ':' : ''}${formatTwoDigits(minutes)}`
      assert.equal(parseDateTime(local + zone), formatDateTime(date))
    }),
  )
})

test('only days that exist in the calendar are accepted', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (year, month, day) => {
        const dayText = `${String(year).padStart(4, '0')}-${formatTwoDigits(month)}-${formatTwoDigits(day)}`
        const countDays = (month: number) => {
          const lastDay = new Date(0)
          lastDay.setUTCFullYear(year, month, 0)
          return lastDay.getUTCDate()
        }
        const exists = month >= 1 && month <= 12 && day >= 1 && day <= countDays(month)
        assert.equal(parseDateTime(`${dayText}T00:00`), exists ? `${dayText}T00:00:00.000000Z` : undefined)
      },
    ),
    { numRuns: 500 },
  )
})

test('no text throws, and each parsed value has the output format', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'0129-:T. +Zz'), maxLength: 40 })
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: anyCharacter })), text => {
      const value = parseDateTime(text)
      assert.ok(value === undefined || parseDateTime(value) === value)
    }),
    { numRuns: 1000 },
  )
})

test('date-times outside the years 1 to 9999 are rejected', () => {
  assert.equal(formatDateTime(new Date('+010000-01-01T00:00:00Z')), undefined)
  assert.equal(formatDateTime(new Date('0000-12-31T00:00:00Z')), undefined)
  assert.equal(formatDateTime(new Date('-000001-01-01T00:00:00Z')), undefined)
})
