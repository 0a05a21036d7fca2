import { regexes } from 'zod/v4/core'
import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { type FieldKind, orderedLookups } from './kind.ts'

export const dateKind = Object.freeze<FieldKind>({
  name: 'date',
  schema: { type: 'string', format: 'date' },
  columns: ['date', 'datetime'],
  lookups: [...orderedLookups, 'year'],
  input: 'date',
  filterInput: ['date', /^\d{4}-\d\d-\d\d$/],
  shown: 'date',
  example: '2026-01-31',
})

/** A calendar date in the years 1 to 9999, as `YYYY-MM-DD`. */
export function date<const Options extends FieldOptions<string> = FieldOptions<string>>(
  options: KnownOptions<Options, FieldOptions<string>> = {} as never,
): FieldOf<string, Options> {
  return defineField<string>(options, {
    kind: dateKind,
    parse(input) {
      const value = typeof input === 'string' ? input.trim() : ''
      if (!regexes.date.test(value) || value.startsWith('0000')) throw invalid('invalid.date')
      return value
    },
  })
}
