import { sql } from 'kysely'
import { regexes } from 'zod/v4/core'
import type { Sql } from '../../database/dialect.ts'
import { concat } from '../../database/expressions.ts'
import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { KnownOptions } from '../field-types.ts'
import type { FieldKind } from './kind.ts'

// Beyond RFC 3339, DRF accepts a space instead of T, no seconds, no offset, and an offset without a colon.
const format = /^(?!0000)(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6})\d{0,6})?)?(?:Z|([+-]\d\d):?(\d\d))?$/i
const rfc3339 = regexes.datetime({ offset: true })

const dateTimeKind = Object.freeze<FieldKind>({
  name: 'datetime',
  schema: { type: 'string', format: 'date-time' },
  columns: ['datetime', 'date'],
  conversion: {
    compileFilter: (column, value, dialect) => dialect.equalsDateTime(column, value),
    showValue: (value, dialect) => dialect.dateTime(value),
  },
  lookups: ['exact', 'isnull', 'gt', 'gte', 'lt', 'lte', 'range', 'date', 'year'],
  compare: (value, operator, expected, dialect) => dialect.compareDateTime(value, operator, expected),
  filterInput: ['datetime-local', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?$/i],
  shown: 'time',
  example: '2026-01-31T12:00:00Z',
})

export interface DateTimeOptions extends FieldOptions<string> {
  /**
   * `sql`: the column is a text that another program shares, such as Django on SQLite: `YYYY-MM-DD hh:mm:ss` in UTC, with
   * `.ffffff` unless the microseconds are zero. Default: as the output.
   */
  readonly stored?: 'sql'
}

const sqlKind = Object.freeze<FieldKind>({
  ...dateTimeKind,
  isStoredAsText: true,
  conversion: {
    store: value => (value as string).replace('T', ' ').replace(/(?:\.000000)?Z$/, ''),
    showValue: (value, dialect) =>
      sql`case when ${dialect.isLike(value, sql.lit('____-__-__ __:__:__.______'))} then ${concat(replace(value, ' ', 'T'), sql.lit('Z'))} else ${dialect.dateTime(value)} end`,
  },
  // The bounds of a day have the format of the output.
  compare(value, operator, expected) {
    const text = [
      ['T', ' '],
      ['.000000Z', ''],
      ['Z', ''],
    ].reduce((each, [from, to]) => replace(each, from!, to!), expected)
    return sql`${value} ${sql.raw(operator)} ${text}`
  },
})

const replace = (text: Sql, from: string, to: string): Sql => sql`replace(${text}, ${sql.lit(from)}, ${sql.lit(to)})`

/**
 * A date and time (RFC 3339) with microseconds; the input is in UTC if it has no offset. The output is
 * `YYYY-MM-DDThh:mm:ss.uuuuuuZ`, also for values that the database generated (`current_timestamp`), which SQLite rounds
 * to milliseconds. SQLite sorts the stored text, so a column that the API and the database both write needs the default
 * `now` of the migration's column types.
 */
export function dateTime<const Options extends DateTimeOptions = DateTimeOptions>(
  options: KnownOptions<Options, DateTimeOptions> = {} as never,
): FieldOf<string, Options> {
  return defineField<string>(options, {
    kind: options.stored === 'sql' ? sqlKind : dateTimeKind,
    parse(input) {
      const value = typeof input === 'string' ? parseDateTime(input) : undefined
      if (value === undefined) throw invalid('invalid.datetime')
      return value
    },
  })
}

/** Parses a date-time into the stored format, in UTC; undefined if the text is not a date-time. */
export function parseDateTime(input: string): string | undefined {
  const match = format.exec(input.trim())
  if (match === null) return undefined
  const [, date, time, second = '00', fraction = '', hours = '+00', minutes = '00'] = match
  const text = `${date}T${time}:${second}${hours}:${minutes}`
  return rfc3339.test(text) ? formatDateTime(new Date(text), fraction) : undefined
}

/** Formats a date in the stored format; undefined outside the years 1 to 9999. `fraction` replaces the milliseconds. */
export function formatDateTime(value: Date, fraction?: string): string | undefined {
  const year = value.getUTCFullYear()
  if (year < 1 || year > 9999) return undefined
  const [seconds, milliseconds] = value.toISOString().slice(0, -1).split('.')
  return `${seconds}.${(fraction ?? milliseconds!).padEnd(6, '0')}Z`
}
