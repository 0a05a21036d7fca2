import type { JsonSchema } from '../../describe/json-schema.ts'
import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { checkRange } from './integer.ts'
import { type FieldKind, orderedLookups } from './kind.ts'
import { createNumberBounds, numeral } from './number.ts'

export interface DecimalOptions extends FieldOptions<string> {
  /** The maximum number of digits in total, at most 15, which both databases store and sort exactly. */
  readonly maxDigits: number
  /** The number of digits after the decimal point. */
  readonly decimalPlaces: number
  readonly min?: number
  readonly max?: number
  /** The currency of an amount, which pages show: a code of ISO 4217, such as `EUR`. */
  readonly currency?: string
}

const maxInputLength = 1000

const decimalKind = Object.freeze<FieldKind>({
  name: 'decimal',
  schema: { type: 'string', format: 'decimal' },
  columns: ['decimal', 'integer'],
  lookups: orderedLookups,
  cast: 'numeric',
  filterInput: ['number', /^-?[\d.]+$/],
  step: 'any',
  shown: 'decimal',
  example: '1.5',
})

/**
 * An exact decimal, from a JSON number or a string. Its value is a string with all decimal places, such as `12.50`,
 * stored in a `decimal` column.
 */
export function decimal<const Options extends DecimalOptions = DecimalOptions>(
  options: KnownOptions<Options, DecimalOptions>,
): FieldOf<string, Options> {
  checkOptions(options)
  const { maxDigits, decimalPlaces, min = -Infinity, max = Infinity } = options
  return defineField<string>(options, {
    kind: decimalKind,
    ...(options.currency !== undefined && { currency: options.currency }),
    bounds: { max_digits: maxDigits, decimal_places: decimalPlaces, ...createNumberBounds(options.min, options.max) },
    parse(input) {
      const value = formatDecimal(parseDecimal(input), options)
      // Doubles distinguish all decimals of up to 15 digits, so the comparison is exact.
      checkRange(Number(value), min, max)
      return value
    },
    describeTaken: () => describeTaken(options),
    describeShown: () => describeShown(options),
    showValue: (value, dialect) => dialect.decimal(value, decimalPlaces),
  })
}

function describeTaken({ maxDigits, decimalPlaces, min, max, currency }: DecimalOptions): JsonSchema {
  const whole = maxDigits === decimalPlaces ? '0' : `\\d{1,${maxDigits - decimalPlaces}}`
  const fraction = decimalPlaces === 0 ? '' : `(?:\\.\\d{1,${decimalPlaces}})?`
  return {
    ...describePattern(whole + fraction),
    ...describeCurrency(currency),
    ...(min !== undefined && { 'x-minimum': min }),
    ...(max !== undefined && { 'x-maximum': max }),
  }
}

const describeShown = ({ decimalPlaces, currency }: DecimalOptions): JsonSchema => ({
  ...describePattern(decimalPlaces === 0 ? '\\d+' : `\\d+\\.\\d{${decimalPlaces}}`),
  ...describeCurrency(currency),
})

const describeCurrency = (currency: string | undefined): JsonSchema => ({
  ...(currency !== undefined && { 'x-currency': currency }),
})

const describePattern = (digits: string): JsonSchema => ({
  type: 'string',
  format: 'decimal',
  pattern: `^-?${digits}$`,
})

function checkOptions({ maxDigits, decimalPlaces, min = 0, max = 0, currency }: DecimalOptions): void {
  const isWhole = (value: number, least: number, limit: number) =>
    Number.isInteger(value) && value >= least && value <= limit
  if (!isWhole(maxDigits, 1, 15)) throw new Error('decimal(): maxDigits must be a whole number from 1 to 15')
  if (currency !== undefined && !Intl.supportedValuesOf('currency').includes(currency))
    throw new Error(`decimal(): currency is ${currency}: give a code of ISO 4217, such as EUR`)
  if (!isWhole(decimalPlaces, 0, maxDigits))
    throw new Error('decimal(): decimalPlaces must be a whole number from 0 to maxDigits')
  if (!Number.isFinite(min) || !Number.isFinite(max)) throw new Error('decimal(): min and max must be finite numbers')
}

/** The number `digits * 10 ** exponent`; `digits` has no leading zeros, and is empty for zero. */
interface Decimal {
  readonly isNegative: boolean
  readonly digits: string
  readonly exponent: number
}

function parseDecimal(input: unknown): Decimal {
  const text =
    typeof input === 'number' || typeof input === 'bigint'
      ? String(input)
      : typeof input === 'string'
        ? input.trim()
        : ''
  if (text.length > maxInputLength) throw invalid('max_string_length')
  const match = numeral.exec(text)
  if (match === null) throw invalid('invalid.number')
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const exponent = Number(power) - fraction.length
  return { isNegative: sign === '-', digits, exponent: digits === '' ? Math.min(exponent, 0) : exponent }
}

// Trailing zeros after the decimal point count as digits, as in Django.
function formatDecimal({ isNegative, digits, exponent }: Decimal, options: DecimalOptions): string {
  const { maxDigits, decimalPlaces } = options
  const places = Math.max(0, -exponent)
  const whole = digits === '' ? 0 : Math.max(0, digits.length + exponent)
  if (whole + places > maxDigits) throw invalid('max_digits', { max: maxDigits })
  if (places > decimalPlaces) throw invalid('max_decimal_places', { max: decimalPlaces })
  if (whole > maxDigits - decimalPlaces) throw invalid('max_whole_digits', { max: maxDigits - decimalPlaces })
  const shifted = (digits + '0'.repeat(exponent + decimalPlaces)).padStart(decimalPlaces + 1, '0')
  const point = shifted.length - decimalPlaces
  const fraction = decimalPlaces === 0 ? '' : `.${shifted.slice(point)}`
  return `${isNegative && digits !== '' ? '-' : ''}${shifted.slice(0, point)}${fraction}`
}
