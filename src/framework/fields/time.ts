import { parseDateTime } from './date-time.ts'
import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'

const message = 'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].'
const anyDay = '2000-01-01T'

/** A time of day, to the microsecond. Shown as `hh:mm:ss`, with `.uuuuuu` where that is not zero. */
export function time(options: FieldOptions<string> = {}): Field<string> {
  return defineField(options, {
    type: 'time',
    parse(input) {
      const value = typeof input === 'string' ? parseTime(input.trim()) : undefined
      if (value === undefined) throw invalid(message)
      return value
    },
    show: place => place.dialect.time(columnOf(place, options.column ?? place.name)),
  })
}

function parseTime(text: string): string | undefined {
  const moment = /^[\d:.]+$/.test(text) ? parseDateTime(anyDay + text) : undefined
  return moment?.slice(anyDay.length, -1).replace('.000000', '')
}
