import { regexes } from 'zod/v4/core'
import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'

/** A calendar date in the years 1 to 9999, as `YYYY-MM-DD`. */
export function date<const Options extends FieldOptions<string> = FieldOptions<string>>(
  options: KnownOptions<Options, FieldOptions<string>> = {} as never,
): FieldOf<string, Options> {
  return defineField<string>(options, {
    type: 'date',
    parse(input) {
      const value = typeof input === 'string' ? input.trim() : ''
      if (!regexes.date.test(value) || value.startsWith('0000')) throw invalid('invalid.date')
      return value
    },
  })
}
