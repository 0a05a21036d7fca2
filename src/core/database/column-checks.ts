// Which values the columns of a type take. The databases differ: SQLite stores any value in any column, and PostgreSQL
// reads texts as values of other types. Values of an application are therefore checked before they are written.

import { regexes } from 'zod/v4/core'
import type { ColumnKind } from './catalogue.ts'

/** Returns what the column takes, such as `an integer`, if it does not take the value. Null is not checked. */
export type ColumnCheck = (value: unknown) => string | undefined

/** Creates the check of integers with this number of bits, which may also be texts. */
export function createIntegerCheck(bits: number): ColumnCheck {
  const limit = 2 ** (bits - 1)
  const range = `an integer from ${-(2n ** BigInt(bits - 1))} to ${2n ** BigInt(bits - 1) - 1n}`
  return value => {
    const integer = typeof value === 'string' ? parseInteger(value) : value
    if (typeof integer === 'number' ? !Number.isInteger(integer) : typeof integer !== 'bigint') return 'an integer'
    return (integer as number) < -limit || (integer as number) >= limit ? range : undefined
  }
}

const parseInteger = (text: string): bigint | undefined => (/^[-+]?\d{1,30}$/.test(text) ? BigInt(text) : undefined)

const checkInteger = createIntegerCheck(64)

/** Without a type for booleans, a column contains them as integers. */
export const checkIntegerOrBoolean: ColumnCheck = value =>
  typeof value === 'boolean' ? undefined : checkInteger(value)

const checkBoolean: ColumnCheck = value =>
  typeof value === 'boolean' || value === 0 || value === 1 ? undefined : 'true or false'

const checkNumber: ColumnCheck = value => (isNumber(value) ? undefined : 'a number')

const isNumber = (value: unknown): boolean =>
  Number.isFinite(value) ||
  typeof value === 'bigint' ||
  isMatch(value, /^[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e[-+]?\d{1,3})?$/i)

/** Creates the check of numbers whose digits before the decimal point a column limits. */
export const createDecimalCheck =
  (wholeDigits: number): ColumnCheck =>
  value =>
    checkNumber(value) ??
    (Math.abs(Number(value)) >= 10 ** wholeDigits ? `a number below 10^${wholeDigits}` : undefined)

const checkText: ColumnCheck = value => {
  if (typeof value !== 'string') return 'a text'
  if (value.includes('\0')) return 'a text without the character NUL'
  return value.isWellFormed() ? undefined : 'a text without halves of surrogate pairs'
}

/** Creates the check of texts whose length a column limits, apart from spaces at the end. */
export const createLengthCheck =
  (max: number): ColumnCheck =>
  value => {
    const expected = checkText(value)
    if (expected !== undefined || (value as string).length <= max) return expected
    return [...(value as string).replace(/ +$/, '')].length > max ? `a text of at most ${max} characters` : undefined
  }

/** Creates the check of a fixed set of values. */
export const createChoiceCheck =
  (choices: readonly (string | number)[]): ColumnCheck =>
  value =>
    choices.includes(value as string) ? undefined : `one of ${choices.map(each => JSON.stringify(each)).join(', ')}`

const checkUuid: ColumnCheck = value =>
  isMatch(value, /^(?:[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}|\{[\da-f]{8}(?:-?[\da-f]{4}){3}-?[\da-f]{12}\})$/i)
    ? undefined
    : 'a UUID, as a text'

// PostgreSQL shows an offset of whole hours without minutes.
const clock = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,12})?)?(?:Z|[-+]\d\d(?::?\d\d){0,2})?$/i

const checkDate: ColumnCheck = value => (isDate(value) ? undefined : 'a date such as "2026-01-31", as a text')

const checkDateTime: ColumnCheck = value =>
  isDate(value) ? undefined : 'a date and time such as "2026-01-31T12:00:00Z", as a text'

const checkTime: ColumnCheck = value => (isMatch(value, clock) ? undefined : 'a time such as "12:00:00", as a text')

function isDate(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (value === 'infinity' || value === '-infinity') return true
  const [date, time] = [value.slice(0, 10), value.slice(10)]
  return regexes.date.test(date) && (time === '' || (/^[T ]/i.test(time) && clock.test(time.slice(1))))
}

const checkJson: ColumnCheck = value => {
  try {
    JSON.parse(value as string)
    return typeof value === 'string' ? undefined : 'the text of a JSON value'
  } catch {
    return 'the text of a JSON value'
  }
}

const isMatch = (value: unknown, pattern: RegExp): boolean => typeof value === 'string' && pattern.test(value)

/** The checks by the kind of a column; none for kinds whose values are not known. */
export const columnChecks: Readonly<Partial<Record<ColumnKind, ColumnCheck>>> = {
  integer: checkInteger,
  decimal: checkNumber,
  float: checkNumber,
  boolean: checkBoolean,
  uuid: checkUuid,
  text: checkText,
  date: checkDate,
  time: checkTime,
  datetime: checkDateTime,
  json: checkJson,
}
