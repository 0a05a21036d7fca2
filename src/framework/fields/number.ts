import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'
import { checkRange } from './integer.ts'

export interface NumberOptions extends FieldOptions<number> {
  readonly min?: number
  readonly max?: number
}

const longest = 1000

/** A number written in decimal: its sign, its digits before and after the point, and its exponent. */
export const numeral = /^([-+]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i

/** A double, as a JSON number or as a decimal text, kept and shown with all its digits. */
export function number(options: NumberOptions = {}): Field<number> {
  const { min = -Number.MAX_VALUE, max = Number.MAX_VALUE } = options
  if (!Number.isFinite(min) || !Number.isFinite(max)) throw new Error('number(): min and max must be finite numbers')
  return defineField(options, {
    type: 'float',
    bounds: numberBounds(options.min, options.max),
    parse: input => checkRange(parseNumber(input), min, max),
    show: place => place.dialect.number(columnOf(place, options.column ?? place.name)),
  })
}

/** The bounds that are given, for people to see. */
export const numberBounds = (min: number | undefined, max: number | undefined): Record<string, number> => ({
  ...(max !== undefined && { max_value: max }),
  ...(min !== undefined && { min_value: min }),
})

function parseNumber(input: unknown): number {
  const value =
    typeof input === 'string' ? readNumeral(input.trim()) : typeof input === 'bigint' ? Number(input) : input
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid('A valid number is required.')
}

function readNumeral(text: string): number | undefined {
  return text.length <= longest && numeral.test(text) ? Number(text) : undefined
}
