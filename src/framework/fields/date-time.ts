import { regexes } from 'zod/v4/core'
import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'

// What DRF accepts beyond RFC 3339: a space for the T, no seconds, no offset, and an offset without its colon.
const format = /^(?!0000)(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6})\d{0,6})?)?(?:Z|([+-]\d\d):?(\d\d))?$/i
const rfc3339 = regexes.datetime({ offset: true })

const message =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].'

/**
 * A moment (RFC 3339), to the microsecond; without an offset it is UTC. Shown as `YYYY-MM-DDThh:mm:ss.uuuuuuZ`, also
 * where the database wrote it (`current_timestamp`), on SQLite then to the millisecond. SQLite orders by the text that it
 * keeps: a column that both the API and the database write needs the default `now` of the migration's column types.
 */
export function dateTime(options: FieldOptions<string> = {}): Field<string> {
  return defineField(options, {
    type: 'datetime',
    parse(input) {
      const value = typeof input === 'string' ? parseDateTime(input) : undefined
      if (value === undefined) throw invalid(message)
      return value
    },
    isValue: (column, value, dialect) => dialect.isMoment(column, value),
    show: place => place.dialect.dateTime(columnOf(place, options.column ?? place.name)),
  })
}

/** Parses a date-time into the form in which it is stored, in UTC; undefined if the text is not a date-time. */
export function parseDateTime(input: string): string | undefined {
  const match = format.exec(input.trim())
  if (match === null) return undefined
  const [, date, time, second = '00', fraction = '', hours = '+00', minutes = '00'] = match
  const text = `${date}T${time}:${second}${hours}:${minutes}`
  return rfc3339.test(text) ? formatDateTime(new Date(text), fraction) : undefined
}

/** Formats a moment as it is stored; undefined outside the years 1 to 9999. `fraction` replaces the milliseconds. */
export function formatDateTime(moment: Date, fraction?: string): string | undefined {
  const year = moment.getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  const [seconds, milliseconds] = moment.toISOString().slice(0, -1).split('.')
  return `${seconds}.${(fraction ?? milliseconds!).padEnd(6, '0')}Z`
}
