import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'
import { checkRange } from './integer.ts'
import { numberBounds, numeral } from './number.ts'

export interface DecimalOptions extends FieldOptions<string> {
  /** How many digits there are in all; at most 15, which both databases keep and sort exactly. */
  readonly maxDigits: number
  /** How many of them stand after the point. */
  readonly decimalPlaces: number
  readonly min?: number
  readonly max?: number
}

const longest = 1000

/**
 * An exact decimal, as a JSON number or as text. Its value is a text with all its decimal places, such as `12.50`, kept
 * in a `decimal` column.
 */
export function decimal(options: DecimalOptions): Field<string> {
  checkDeclaration(options)
  const { maxDigits, decimalPlaces, min = -Infinity, max = Infinity } = options
  return defineField(options, {
    type: 'decimal',
    bounds: { max_digits: maxDigits, decimal_places: decimalPlaces, ...numberBounds(options.min, options.max) },
    parse(input) {
      const value = formatDecimal(parseDecimal(input), options)
      // Two texts of 15 digits are never the same double.
      checkRange(Number(value), min, max)
      return value
    },
    show: place => place.dialect.decimal(columnOf(place, options.column ?? place.name), decimalPlaces),
  })
}

function checkDeclaration({ maxDigits, decimalPlaces, min = 0, max = 0 }: DecimalOptions): void {
  const isWhole = (value: number, least: number, most: number) =>
    Number.isInteger(value) && value >= least && value <= most
  if (!isWhole(maxDigits, 1, 15)) throw new Error('decimal(): maxDigits must be a whole number from 1 to 15')
  if (!isWhole(decimalPlaces, 0, maxDigits))
    throw new Error('decimal(): decimalPlaces must be a whole number from 0 to maxDigits')
  if (!Number.isFinite(min) || !Number.isFinite(max)) throw new Error('decimal(): min and max must be finite numbers')
}

/** Digits without leading zeros, none for zero, times a power of ten. */
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
  if (text.length > longest) throw invalid('String value too large.', 'max_string_length')
  const match = numeral.exec(text)
  if (match === null) throw invalid('A valid number is required.')
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const exponent = Number(power) - fraction.length
  return { isNegative: sign === '-', digits, exponent: digits === '' ? Math.min(exponent, 0) : exponent }
}

// Digits after the point count where they are zeros too, as in Django.
function formatDecimal({ isNegative, digits, exponent }: Decimal, options: DecimalOptions): string {
  const { maxDigits, decimalPlaces } = options
  const places = Math.max(0, -exponent)
  const whole = digits === '' ? 0 : Math.max(0, digits.length + exponent)
  const refuse = (most: number, what: string, code: string) =>
    invalid(`Ensure that there are no more than ${most} ${what}.`, code)
  if (whole + places > maxDigits) throw refuse(maxDigits, 'digits in total', 'max_digits')
  if (places > decimalPlaces) throw refuse(decimalPlaces, 'decimal places', 'max_decimal_places')
  if (whole > maxDigits - decimalPlaces)
    throw refuse(maxDigits - decimalPlaces, 'digits before the decimal point', 'max_whole_digits')
  const shifted = (digits + '0'.repeat(exponent + decimalPlaces)).padStart(decimalPlaces + 1, '0')
  const point = shifted.length - decimalPlaces
  const fraction = decimalPlaces === 0 ? '' : `.${shifted.slice(point)}`
  return `${isNegative && digits !== '' ? '-' : ''}${shifted.slice(0, point)}${fraction}`
}
