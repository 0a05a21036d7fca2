import { sql } from 'kysely'
import type { Sql } from '../database/dialect.ts'
import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'
import { checkRange } from './integer.ts'
import { numberBounds } from './number.ts'

/** Durations here are texts as a body writes them, such as `1 00:00:00` for a day. */
export interface DurationOptions extends FieldOptions<string> {
  readonly min?: string
  readonly max?: string
}

const second = 1_000_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const longest = 100
const mostDays = Math.floor(Number.MAX_SAFE_INTEGER / day)

const clock = /^(?:(-?\d+) (?:days?,? )?)?(-?)(?:(?:(\d+):)?(\d+):)?(\d+(?:[.,]\d+)?)$/
const amount = '(\\d+(?:[.,]\\d+)?)'
const iso = new RegExp(`^([-+]?)P(?=.)(?:${amount}D)?(?:T(?=.)(?:${amount}H)?(?:${amount}M)?(?:${amount}S)?)?$`)

const message = 'Duration has wrong format. Use one of these formats instead: [DD] [HH:[MM:]]ss[.uuuuuu].'
const overflow = `The number of days must be between -${mostDays} and ${mostDays}.`

/**
 * A span of time: `[DD ][[HH:]MM:]ss[.uuuuuu]`, ISO 8601 in days and below, or a number of seconds. Its value is what
 * is shown, `[DD ]HH:MM:SS[.uuuuuu]`, where only the days are ever negative; a `duration` column keeps the microseconds.
 */
export function duration(options: DurationOptions = {}): Field<string> {
  const min = readBound('min', options.min)
  const max = readBound('max', options.max)
  return defineField(options, {
    type: 'duration',
    // In seconds, as a number in a body.
    bounds: numberBounds(min && min / second, max && max / second),
    parse: input => formatDuration(checkRange(parseDuration(input), min ?? -Infinity, max ?? Infinity, options)),
    store: parseDuration,
    show: place => durationText(columnOf(place, options.column ?? place.name)),
  })
}

function readBound(option: string, text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : parseDuration(text)
  } catch {
    throw new Error(`duration(): ${option} must be a duration such as "1 12:00:00", not "${text}"`)
  }
}

/** In microseconds; finer digits are dropped. */
function parseDuration(input: unknown): number {
  const text =
    typeof input === 'number' || typeof input === 'bigint'
      ? String(input)
      : typeof input === 'string'
        ? input.trim()
        : ''
  const exact = text.length <= longest ? (readClock(text) ?? readIso(text)) : undefined
  if (exact === undefined) throw invalid(message)
  const value = Number(exact)
  if (!Number.isSafeInteger(value)) throw invalid(overflow, 'overflow')
  return value
}

// The days have a sign of their own.
function readClock(text: string): bigint | undefined {
  const match = clock.exec(text)
  if (match === null) return undefined
  const [, days, sign, ...time] = match
  return scale(days, day) + withSign(sign, timeOf(time))
}

function readIso(text: string): bigint | undefined {
  const match = iso.exec(text)
  if (match === null) return undefined
  const [, sign, days, ...time] = match
  return withSign(sign, scale(days, day) + timeOf(time))
}

const withSign = (sign: string | undefined, value: bigint): bigint => (sign === '-' ? -value : value)

const timeOf = ([hours, minutes, seconds]: readonly (string | undefined)[]): bigint =>
  scale(hours, hour) + scale(minutes, minute) + scale(seconds, second)

function scale(text = '0', unit: number): bigint {
  const [whole, fraction = ''] = text.split(/[.,]/)
  return (BigInt(whole + fraction) * BigInt(unit)) / 10n ** BigInt(fraction.length)
}

function formatDuration(microseconds: number): string {
  const time = ((microseconds % day) + day) % day
  const days = (microseconds - time) / day
  const pad = (value: number, digits: number) => String(Math.floor(value)).padStart(digits, '0')
  const parts = [time / hour, (time % hour) / minute, (time % minute) / second].map(part => pad(part, 2))
  const fraction = time % second
  return `${days === 0 ? '' : `${days} `}${parts.join(':')}${fraction === 0 ? '' : `.${pad(fraction, 6)}`}`
}

// The same in SQL. Both databases divide whole numbers toward zero.
function durationText(value: Sql): Sql {
  const time = sql`(((${value} % ${sql.lit(day)}) + ${sql.lit(day)}) % ${sql.lit(day)})`
  const days = sql`((${value} - ${time}) / ${sql.lit(day)})`
  // With a digit in front that is cut off again, zeros stay.
  const pad = (part: Sql, size: number) => sql`substr(cast(${sql.lit(size)} + ${part} as text), 2)`
  const part = (whole: number, unit: number) => pad(sql`${time} % ${sql.lit(whole)} / ${sql.lit(unit)}`, 100)
  const fraction = sql`${time} % ${sql.lit(second)}`
  return sql`case when ${days} = 0 then '' else cast(${days} as text) || ' ' end || ${part(day, hour)} || ':' || ${part(hour, minute)} || ':' || ${part(minute, second)} || case when ${fraction} = 0 then '' else '.' || ${pad(fraction, second)} end`
}
