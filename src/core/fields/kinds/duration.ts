import { sql } from 'kysely'
import type { Sql } from '../../database/dialect.ts'
import { castTo, concat, divide } from '../../database/expressions.ts'
import type { JsonSchema } from '../../describe/json-schema.ts'
import { invalid } from '../../errors/invalid.ts'
import { defineField, type FieldOf, type FieldOptions } from '../define-field.ts'
import type { Field, FieldDefinition } from '../field.ts'
import type { FieldLink, KnownOptions } from '../field-types.ts'
import { checkRange } from './integer.ts'
import { type FieldKind, orderedLookups } from './kind.ts'
import { createNumberBounds } from './number.ts'

/** The bounds are strings in the format of request bodies, such as `1 00:00:00` for a day. */
export interface DurationOptions extends FieldOptions<string> {
  readonly min?: string
  readonly max?: string
}

const second = 1_000_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const maxInputLength = 100
const maxDays = Math.floor(Number.MAX_SAFE_INTEGER / day)

const clock = /^(?:(-?\d+) (?:days?,? )?)?(-?)(?:(?:(\d+):)?(\d+):)?(\d+(?:[.,]\d+)?)$/
const amount = '(\\d+(?:[.,]\\d+)?)'
const iso = new RegExp(`^([-+]?)P(?=.)(?:${amount}D)?(?:T(?=.)(?:${amount}H)?(?:${amount}M)?(?:${amount}S)?)?$`)

/**
 * A duration: `[DD ][[HH:]MM:]ss[.uuuuuu]`, ISO 8601 without units above days, or a number of seconds. The output is
 * `[DD ]HH:MM:SS[.uuuuuu]`, in which only the days can be negative. A `duration` column stores microseconds.
 */
export function duration<const Options extends DurationOptions = DurationOptions>(
  options: KnownOptions<Options, DurationOptions> = {} as never,
): InMicroseconds<FieldOf<string, Options>> {
  const min = parseBound('min', options.min)
  const max = parseBound('max', options.max)
  const field: FieldDefinition<string> = defineField<string>(options, {
    kind: durationKind,
    // Clients see bounds in seconds, the unit of numbers in request bodies.
    bounds: createNumberBounds(min && min / second, max && max / second),
    parse: input => formatDuration(checkRange(parseDuration(input), min ?? -Infinity, max ?? Infinity, options)),
    describeTaken: () => ({
      ...durationSchema,
      ...(options.min && { 'x-minimum': options.min }),
      ...(options.max && { 'x-maximum': options.max }),
    }),
    describeShown: () => durationSchema,
  })
  return field as never
}

/** The field, with what Kysely reads. */
type InMicroseconds<F> =
  F extends Field<infer Value, infer Shown, infer Taken, infer Trait, infer Link>
    ? Field<Value, Shown, Taken, Trait, FieldLink<Link['kind'], null, 'microseconds', Link['column'], Link['source']>>
    : never

const durationKind = Object.freeze<FieldKind>({
  name: 'duration',
  schema: { type: 'string' },
  columnType: 'duration',
  conversion: { store: parseDuration, showValue: formatDurationSql },
  lookups: orderedLookups,
  cast: 'bigint',
  example: '01:00:00',
})

const durationSchema: JsonSchema = Object.freeze({
  type: 'string',
  pattern: String.raw`^(?:-?\d+ )?(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?$`,
})

function parseBound(option: string, text: string | undefined): number | undefined {
  try {
    return text === undefined ? undefined : parseDuration(text)
  } catch {
    throw new Error(`duration(): ${option} must be a duration such as "1 12:00:00", not "${text}"`)
  }
}

/** Returns microseconds; further decimal places are truncated. */
function parseDuration(input: unknown): number {
  const text =
    typeof input === 'number' || typeof input === 'bigint'
      ? String(input)
      : typeof input === 'string'
        ? input.trim()
        : ''
  const exact = text.length <= maxInputLength ? (parseClock(text) ?? parseIso(text)) : undefined
  if (exact === undefined) throw invalid('invalid.duration')
  const value = Number(exact)
  if (!Number.isSafeInteger(value)) throw invalid('overflow', { days: maxDays })
  return value
}

// The days and the time have separate signs.
function parseClock(text: string): bigint | undefined {
  const match = clock.exec(text)
  if (match === null) return undefined
  const [, days, sign, ...time] = match
  return scale(days, day) + applySign(sign, sumTime(time))
}

function parseIso(text: string): bigint | undefined {
  const match = iso.exec(text)
  if (match === null) return undefined
  const [, sign, days, ...time] = match
  return applySign(sign, scale(days, day) + sumTime(time))
}

const applySign = (sign: string | undefined, value: bigint): bigint => (sign === '-' ? -value : value)

const sumTime = ([hours, minutes, seconds]: readonly (string | undefined)[]): bigint =>
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

// Does the same as `formatDuration` in SQL. Both databases truncate integer division toward zero.
function formatDurationSql(value: Sql): Sql {
  const time = sql`(((${value} % ${sql.lit(day)}) + ${sql.lit(day)}) % ${sql.lit(day)})`
  const days = sql`(${divide(sql`(${value} - ${time})`, sql.lit(day))})`
  // Adds `size` and cuts off its leading 1, which pads with zeros.
  const pad = (part: Sql, size: number) => sql`substr(${castTo(sql`${sql.lit(size)} + ${part}`, 'text')}, 2)`
  const part = (whole: number, unit: number) => pad(divide(sql`${time} % ${sql.lit(whole)}`, sql.lit(unit)), 100)
  const fraction = sql`${time} % ${sql.lit(second)}`
  return concat(
    sql`case when ${days} = 0 then '' else ${concat(castTo(days, 'text'), sql.lit(' '))} end`,
    part(day, hour),
    sql.lit(':'),
    part(hour, minute),
    sql.lit(':'),
    part(minute, second),
    sql`case when ${fraction} = 0 then '' else ${concat(sql.lit('.'), pad(fraction, second))} end`,
  )
}
