import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'

const format = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6})\d{0,6})?)?(Z|[+-]\d\d:?\d\d)?$/i

const message =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].'

/** A moment (RFC 3339), to the microsecond; without an offset it is UTC. Shown as `YYYY-MM-DDThh:mm:ss.uuuuuuZ`. */
export function dateTime(options: FieldOptions<string> = {}): Field<string> {
  return defineField(options, {
    type: 'datetime',
    parse(input) {
      const value = typeof input === 'string' ? parseDateTime(input) : undefined
      if (value === undefined) throw invalid(message)
      return value
    },
    show: place => place.dialect.dateTime(columnOf(place, options.column ?? place.name)),
  })
}

/** The moment in UTC, in the form it is kept in; undefined for text that names none. */
export function parseDateTime(input: string): string | undefined {
  const match = format.exec(input.trim())
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(part => Number(part ?? 0)) as Six
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  local.setUTCFullYear(year)
  const isReal =
    local.getUTCMonth() === month - 1 && local.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
  const offset = parseOffset(match[8])
  if (!isReal || offset === undefined || year === 0) return undefined
  return formatDateTime(new Date(local.getTime() - offset * 60_000), match[7])
}

type Six = [number, number, number, number, number, number]

/** A moment in the form it is kept in. `fraction` replaces the digits after the point. */
export function formatDateTime(moment: Date, fraction?: string): string | undefined {
  const year = moment.getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  const [seconds, milliseconds] = moment.toISOString().slice(0, -1).split('.')
  return `${seconds}.${(fraction ?? milliseconds!).padEnd(6, '0')}Z`
}

// In minutes.
function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined || text.toUpperCase() === 'Z') return 0
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(-2))]
  if (hours > 23 || minutes > 59) return undefined
  return (text[0] === '-' ? -1 : 1) * (hours * 60 + minutes)
}
