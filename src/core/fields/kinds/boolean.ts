import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import type { FieldKind } from './kind.ts'

const trueInputs = new Set<unknown>([true, 1, '1', 't', 'true', 'y', 'yes', 'on'])
const falseInputs = new Set<unknown>([false, 0, '0', 'f', 'false', 'n', 'no', 'off'])

export const booleanKind = Object.freeze<FieldKind>({
  name: 'boolean',
  schema: { type: 'boolean' },
  columns: ['boolean'],
  conversion: { showValue: (value, dialect) => dialect.boolean(value) },
  lookups: ['exact', 'isnull'],
  isCheckbox: true,
  example: 'true',
})

/** True or false, in the spellings that DRF accepts in JSON and in forms. */
export function boolean<const Options extends FieldOptions<boolean> = FieldOptions<boolean>>(
  options: KnownOptions<Options, FieldOptions<boolean>> = {} as never,
): FieldOf<boolean, Options> {
  return defineField<boolean>(options, { kind: booleanKind, parse: parseBoolean })
}

function parseBoolean(input: unknown): boolean {
  const value = typeof input === 'string' ? input.trim().toLowerCase() : input
  if (trueInputs.has(value)) return true
  if (falseInputs.has(value)) return false
  throw invalid('invalid.boolean')
}
