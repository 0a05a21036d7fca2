import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { type FieldKind, orderedLookups } from './kind.ts'

export interface IntegerOptions extends FieldOptions<number> {
  /** Inclusive bounds, within ±(2^53 - 1); default: the range of a four-byte column. */
  readonly min?: number
  readonly max?: number
}

export const integerKind = Object.freeze<FieldKind>({
  name: 'integer',
  schema: { type: 'integer' },
  columns: ['integer', 'decimal'],
  lookups: orderedLookups,
  cast: 'bigint',
  identifier: { type: 'integer', isUrlSafe: true },
  input: 'number',
  filterInput: ['number', /^-?\d+$/],
  example: '1',
})

/** An integer, from a JSON number or a string of digits. */
export function integer<const Options extends IntegerOptions = IntegerOptions>(
  options: KnownOptions<Options, IntegerOptions> = {} as never,
): FieldOf<number, Options> {
  const { min = -(2 ** 31), max = 2 ** 31 - 1 } = options
  if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max)) {
    throw new Error('integer(): min and max must be whole numbers between -(2^53 - 1) and 2^53 - 1')
  }
  const isLong = min < -(2 ** 31) || max >= 2 ** 31
  return defineField<number>(options, {
    kind: integerKind,
    bounds: { min_value: min, max_value: max },
    parse: input => checkRange(parseInteger(input), min, max),
    describeTaken: () => ({ type: 'integer', format: isLong ? 'int64' : 'int32', minimum: min, maximum: max }),
    // A computed value may be longer than a column.
    describeShown: () => ({ type: 'integer', ...(isLong && { format: 'int64' }) }),
  })
}

function parseInteger(input: unknown): number {
  if (typeof input === 'number' && Number.isInteger(input)) return input
  // A bigint exceeds every bound, so the lost precision does not matter.
  if (typeof input === 'bigint') return Number(input)
  if (typeof input === 'string' && /^\s*[-+]?\d{1,30}(?:\.0*)?\s*$/.test(input)) return Number(input)
  throw invalid('invalid.integer')
}

/** Returns the value if it is within the bounds; otherwise throws an error that shows the bounds as `shown`. */
export function checkRange(
  value: number,
  min: number,
  max: number,
  shown: { readonly min?: string | number; readonly max?: string | number } = { min, max },
): number {
  if (value > max) throw invalid('max_value', { max: shown.max! })
  if (value < min) throw invalid('min_value', { min: shown.min! })
  return value
}
