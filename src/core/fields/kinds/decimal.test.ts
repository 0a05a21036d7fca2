import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { decimal } from './decimal.ts'

const context = {} as ParseContext

/** Options of a decimal field, and a value as an integer in units of the last decimal place. */
const cases = fc
  .integer({ min: 1, max: 15 })
  .chain(maxDigits => fc.record({ maxDigits: fc.constant(maxDigits), decimalPlaces: fc.nat(maxDigits) }))
  .chain(options => fc.tuple(fc.constant(options), fc.bigInt({ min: 0n, max: 10n ** BigInt(options.maxDigits) - 1n })))

function formatUnits(units: bigint, places: number): string {
  const digits = String(units).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

test('every decimal within the limits is parsed exactly from text, from a number and with an exponent', () => {
  fc.assert(
    fc.property(cases, fc.constantFrom('', '-'), ([options, units], sign) => {
      const { parse } = decimal(options)
      const text = formatUnits(units, options.decimalPlaces)
      const expected = units === 0n ? text : sign + text
      for (const input of [
        sign + text,
        ` ${sign}00${text} `,
        Number(sign + text),
        `${sign}${units}e-${options.decimalPlaces}`,
      ]) {
        assert.equal(parse(input, context), expected)
      }
    }),
  )
})

test('text throws only ValidationError, and each parsed value has the output format', () => {
  const field = decimal({ maxDigits: 5, decimalPlaces: 2 })
  const likely = fc.string({ unit: fc.constantFrom(...'0019.-+eE x'), maxLength: 8 })
  fc.assert(
    fc.property(likely, text => {
      try {
        const value = field.parse(text, context) as string
        assert.match(value, /^-?\d{1,3}\.\d\d$/)
        assert.equal(Number(value), Number(text) + 0)
      } catch (error) {
        assert.ok(error instanceof ValidationError, String(error))
      }
    }),
    { numRuns: 2000 },
  )
})

test('huge exponents are rejected without a long computation', () => {
  const { parse } = decimal({ maxDigits: 5, decimalPlaces: 2 })
  for (const text of ['1e999999999', '1e-999999999', `1e${'9'.repeat(900)}`, `1e-${'9'.repeat(900)}`, '0e-999999999']) {
    assert.throws(() => parse(text, context), ValidationError)
  }
  assert.equal(parse('0e999999999', context), '0.00')
  assert.equal(parse('-0', context), '0.00')
})

test('invalid options throw at start, with the allowed values', () => {
  for (const maxDigits of [0, 16, 1.5, Number.NaN]) {
    assert.throws(() => decimal({ maxDigits, decimalPlaces: 0 }), /maxDigits must be a whole number from 1 to 15$/)
  }
  for (const decimalPlaces of [-1, 3, 0.5]) {
    assert.throws(() => decimal({ maxDigits: 2, decimalPlaces }), /decimalPlaces must be a whole number from 0 to maxD/)
  }
  assert.throws(
    () => decimal({ maxDigits: 2, decimalPlaces: 0, max: Number.NaN }),
    /min and max must be finite numbers/,
  )
})
