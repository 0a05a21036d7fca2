import type { JsonSchema } from '../../describe/json-schema.ts'
import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { checkRange } from './integer.ts'
import { type FieldKind, orderedLookups } from './kind.ts'

export interface NumberOptions extends FieldOptions<number> {
  readonly min?: number
  readonly max?: number
}

const maxInputLength = 1000

/** Matches a decimal number; the groups are its sign, its digits before and after the decimal point, and its exponent. */
export const numeral = /^([-+]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i

export const numberKind = Object.freeze<FieldKind>({
  name: 'float',
  schema: { type: 'number' },
  columns: ['float', 'decimal', 'integer'],
  conversion: { showValue: (value, dialect) => dialect.number(value) },
  lookups: orderedLookups,
  cast: 'double precision',
  input: 'number',
  filterInput: ['number', /^-?[\d.]+(?:e[+-]?\d+)?$/i],
  step: 'any',
  example: '1.5',
})

/** A double, from a JSON number or a decimal string, stored and shown with all its digits. */
export function number<const Options extends NumberOptions = NumberOptions>(
  options: KnownOptions<Options, NumberOptions> = {} as never,
): FieldOf<number, Options> {
  const { min = -Number.MAX_VALUE, max = Number.MAX_VALUE } = options
  if (!Number.isFinite(min) || !Number.isFinite(max)) throw new Error('number(): min and max must be finite numbers')
  return defineField<number>(options, {
    kind: numberKind,
    bounds: createNumberBounds(options.min, options.max),
    parse: input => checkRange(parseNumber(input), min, max),
    describeTaken: () => ({ type: 'number', format: 'double', ...describeRange(options) }),
  })
}

/** The keywords of inclusive bounds. */
const describeRange = ({ min, max }: NumberOptions): JsonSchema => ({
  ...(min !== undefined && { minimum: min }),
  ...(max !== undefined && { maximum: max }),
})

/** The bounds that are set, for `Field.bounds`. */
export const createNumberBounds = (min: number | undefined, max: number | undefined): Record<string, number> => ({
  ...(max !== undefined && { max_value: max }),
  ...(min !== undefined && { min_value: min }),
})

function parseNumber(input: unknown): number {
  const value =
    typeof input === 'string' ? parseNumeral(input.trim()) : typeof input === 'bigint' ? Number(input) : input
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw invalid('invalid.number')
}

function parseNumeral(text: string): number | undefined {
  return text.length <= maxInputLength && numeral.test(text) ? Number(text) : undefined
}
