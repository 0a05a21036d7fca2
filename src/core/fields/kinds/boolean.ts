import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'

const trueInputs = new Set<unknown>([true, 1, '1', 't', 'true', 'y', 'yes', 'on'])
const falseInputs = new Set<unknown>([false, 0, '0', 'f', 'false', 'n', 'no', 'off'])

/** True or false, in the spellings that DRF accepts in JSON and in forms. */
export function boolean<const Options extends FieldOptions<boolean> = FieldOptions<boolean>>(
  options: KnownOptions<Options, FieldOptions<boolean>> = {} as never,
): FieldOf<boolean, Options> {
  return defineField<boolean>(options, {
    type: 'boolean',
    parse: parseBoolean,
    showValue: (value, dialect) => dialect.boolean(value),
  })
}

function parseBoolean(input: unknown): boolean {
  const value = typeof input === 'string' ? input.trim().toLowerCase() : input
  if (trueInputs.has(value)) return true
  if (falseInputs.has(value)) return false
  throw invalid('invalid.boolean')
}
