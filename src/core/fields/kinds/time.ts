import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import { parseDateTime } from './date-time.ts'
import { type FieldKind, orderedLookups } from './kind.ts'

const timePattern = String.raw`^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$`

const anyDate = '2000-01-01T'

const timeKind = Object.freeze<FieldKind>({
  name: 'time',
  schema: { type: 'string' },
  columns: ['time'],
  conversion: { showValue: (value, dialect) => dialect.time(value) },
  lookups: orderedLookups,
  example: '12:00:00',
})

/** A time of day with microseconds. The output is `hh:mm:ss`, and `.uuuuuu` if the microseconds are not zero. */
export function time<const Options extends FieldOptions<string> = FieldOptions<string>>(
  options: KnownOptions<Options, FieldOptions<string>> = {} as never,
): FieldOf<string, Options> {
  return defineField<string>(options, {
    kind: timeKind,
    parse(input) {
      const value = typeof input === 'string' ? parseTime(input.trim()) : undefined
      if (value === undefined) throw invalid('invalid.time')
      return value
    },
    // RFC 3339's partial-time; the format `time` of JSON Schema has an offset.
    describeTaken: () => ({ type: 'string', format: 'time-local', pattern: timePattern }),
    describeShown: () => ({ type: 'string', format: 'time-local' }),
  })
}

function parseTime(text: string): string | undefined {
  const dateTime = /^[\d:.]+$/.test(text) ? parseDateTime(anyDate + text) : undefined
  return dateTime?.slice(anyDate.length, -1).replace('.000000', '')
}
