import { regexes } from 'zod/v4/core'
import { defineField, type Field, type FieldOptions, invalid } from './field.ts'

const message = 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'

/** A calendar date in the years 1 to 9999, as `YYYY-MM-DD`. */
export function date(options: FieldOptions<string> = {}): Field<string> {
  return defineField(options, {
    type: 'date',
    parse(input) {
      const value = typeof input === 'string' ? input.trim() : ''
      if (!regexes.date.test(value) || value.startsWith('0000')) throw invalid(message)
      return value
    },
  })
}
