import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatDateTime, parseDateTime } from './date-time.ts'

const moments = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30T23:59:59.999Z'), noInvalidDate: true })
const two = (value: number) => String(value).padStart(2, '0')

test('what is written in the form that is shown is kept as it is', () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: 0, max: 999_999 }), (moment, micros) => {
      const text = formatDateTime(moment, String(micros).padStart(6, '0'))!
      assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      assert.equal(parseDateTime(text), text)
    }),
  )
})

test('the platform reads the same moment, whatever the offset', () => {
  fc.assert(
    fc.property(moments, fc.integer({ min: -1439, max: 1439 }), fc.boolean(), (moment, offset, colon) => {
      const local = new Date(moment.getTime() + offset * 60_000).toISOString().slice(0, -1)
      fc.pre(/^\d{4}-/.test(local) && !local.startsWith('0000'))
      const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60]
      const zone = `${offset < 0 ? '-' : '+'}${two(hours)}${colon ? ':' : ''}${two(minutes)}`
      assert.equal(parseDateTime(local + zone), formatDateTime(moment))
    }),
  )
})

test('a day is one of the calendar, or none', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (year, month, day) => {
        const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
        const daysOf = (lastOf: number) => {
          const last = new Date(0)
          last.setUTCFullYear(year, lastOf, 0)
          return last.getUTCDate()
        }
        const isReal = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(month)
        assert.equal(parseDateTime(`${date}T00:00`), isReal ? `${date}T00:00:00.000000Z` : undefined)
      },
    ),
    { numRuns: 500 },
  )
})

test('no text throws, and what is read is in the form that is kept', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'0129-:T. +Zz'), maxLength: 40 })
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: 'binary' })), text => {
      const value = parseDateTime(text)
      assert.ok(value === undefined || parseDateTime(value) === value)
    }),
    { numRuns: 1000 },
  )
})

test('moments beyond the years 1 to 9999 are none', () => {
  assert.equal(formatDateTime(new Date('+010000-01-01T00:00:00Z')), undefined)
  assert.equal(formatDateTime(new Date('0000-12-31T00:00:00Z')), undefined)
  assert.equal(formatDateTime(new Date('-000001-01-01T00:00:00Z')), undefined)
})
