import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { type NumberOptions, number } from './number.ts'

const context = {} as ParseContext
const parse = (input: unknown) => number().parse(input, context)
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true })

test('every finite double is parsed exactly from a number, from digits and with an exponent', () => {
  fc.assert(
    fc.property(doubles, value => {
      assert.equal(parse(value), value)
      assert.equal(parse(` ${value} `), Number(String(value)))
      assert.equal(parse(value.toExponential()), value + 0)
    }),
  )
})

test('a text is parsed to the same number as Number() returns, or rejected', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'0019.-+eE x'), maxLength: 8 })
  fc.assert(
    fc.property(likely, text => {
      const isNumber = text.trim() !== '' && Number.isFinite(Number(text)) && !/x/.test(text)
      if (isNumber) assert.equal(parse(text), Number(text))
      else assert.throws(() => parse(text), ValidationError)
    }),
    { numRuns: 2000 },
  )
})

test('a bound that is not a finite number throws at start', () => {
  const wrong: readonly NumberOptions[] = [{ min: Number.NaN }, { max: Infinity }, { min: -Infinity }]
  for (const options of wrong) {
    assert.throws(() => number(options), /^Error: number\(\): min and max must be finite numbers$/)
  }
})
