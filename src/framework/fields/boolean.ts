import { columnReference, defineField, type Field, type FieldOptions, invalid } from './field.ts'

const trueInputs = new Set<unknown>([true, 1, '1', 't', 'true', 'y', 'yes', 'on'])
const falseInputs = new Set<unknown>([false, 0, '0', 'f', 'false', 'n', 'no', 'off'])

/** True or false, in the spellings that DRF accepts in JSON and in forms. */
export function boolean(options: FieldOptions<boolean> = {}): Field<boolean> {
  return defineField(options, {
    type: 'boolean',
    parse: parseBoolean,
    show: location => location.dialect.boolean(columnReference(location, options.column ?? location.name)),
  })
}

function parseBoolean(input: unknown): boolean {
  const value = typeof input === 'string' ? input.trim().toLowerCase() : input
  if (trueInputs.has(value)) return true
  if (falseInputs.has(value)) return false
  throw invalid('Must be a valid boolean.')
}
