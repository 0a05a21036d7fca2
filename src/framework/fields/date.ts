import { parseDateTime } from './date-time.ts'
import { defineField, type Field, type FieldOptions, invalid } from './field.ts'

const message = 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'

/** A day of the calendar, of the years 1 to 9999, as `YYYY-MM-DD`. */
export function date(options: FieldOptions<string> = {}): Field<string> {
  return defineField(options, {
    type: 'date',
    parse(input) {
      const value = typeof input === 'string' ? parseDate(input.trim()) : undefined
      if (value === undefined) throw invalid(message)
      return value
    },
  })
}

// A day is one where it has a midnight.
function parseDate(text: string): string | undefined {
  return /^[\d-]+$/.test(text) ? parseDateTime(`${text}T00:00`)?.slice(0, 'YYYY-MM-DD'.length) : undefined
}
