// Dates and times as texts, in the form of fields, whatever the time zone of the session. What lies outside the years 1 to 9999 stays
// as PostgreSQL writes it.

import type pg from 'pg'

/** The parsers of dates and times, by the number of their type. Each throws if the session does not write dates as ISO 8601. */
export const createTimeParsers = ({ builtins }: typeof pg.types): ReadonlyMap<number, (text: string) => string> =>
  new Map([
    [builtins.DATE, checkStyle],
    [builtins.TIME, text => text.replace(/\.\d+$/, fraction => fraction.padEnd(7, '0'))],
    [builtins.TIMESTAMP, text => toUtc(`${text}Z`) ?? checkStyle(text)],
    [builtins.TIMESTAMPTZ, text => toUtc(text) ?? checkStyle(text)],
  ])

const format =
  /^(\d{4,6})(-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(?:Z|([-+])(\d\d)(?::?(\d\d))?(?::(\d\d))?)( BC)?$/

/** Formats a date-time with its offset, as PostgreSQL writes it; undefined for another text, and outside the years 1 to 9999. */
export function toUtc(text: string): string | undefined {
  const match = format.exec(text)
  if (match === null) return undefined
  const [, year = '', date, time, fraction = '', sign, hours = '00', minutes = '00', seconds = '00', era] = match
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  const moment =
    offset === 0 && year.length === 4 && era === undefined
      ? `${year}${date}T${time}`
      : shift(era === undefined ? Number(year) : 1 - Number(year), `${date}T${time}Z`, sign === '-' ? offset : -offset)
  return moment && `${moment}.${fraction.padEnd(6, '0')}Z`
}

// The moment may be in the years 1 to 9999 in UTC only.
function shift(year: number, rest: string, seconds: number): string | undefined {
  const isoYear = `${year < 0 ? '-' : '+'}${String(Math.abs(year)).padStart(6, '0')}`
  const moment = new Date(Date.parse(isoYear + rest) + 1000 * seconds)
  const isCommon = moment.getUTCFullYear() >= 1 && moment.getUTCFullYear() <= 9999
  return isCommon ? moment.toISOString().slice(0, 19) : undefined
}

function checkStyle(text: string): string {
  if (/^(?:\d{4,}-|-?infinity$)/.test(text)) return text
  throw new Error(
    `PostgreSQL wrote the date ${text}, which is not ISO 8601: set DateStyle, as in ALTER ROLE … SET DateStyle = 'ISO'`,
  )
}
