import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'

const truths = new Set<unknown>([true, 1, '1', 't', 'true', 'y', 'yes', 'on'])
const falsehoods = new Set<unknown>([false, 0, '0', 'f', 'false', 'n', 'no', 'off'])

/** True or false, in the spellings of JSON and of forms. */
export function boolean(options: FieldOptions<boolean> = {}): Field<boolean> {
  return defineField(options, {
    type: 'boolean',
    parse: parseBoolean,
    show: place => place.dialect.boolean(columnOf(place, options.column ?? place.name)),
  })
}

function parseBoolean(input: unknown): boolean {
  const value = typeof input === 'string' ? input.trim().toLowerCase() : input
  if (truths.has(value)) return true
  if (falsehoods.has(value)) return false
  throw invalid('Must be a valid boolean.')
}
