// Numbers, dates and times as texts in the reader's language.

import { html } from 'ghtml'
import { memoize } from '#core'

interface Formats {
  readonly count: Intl.NumberFormat
  readonly number: Intl.NumberFormat
  readonly date: Intl.DateTimeFormat
  readonly time: Intl.DateTimeFormat
}

// Creating formats takes long.
const findFormats = memoize(createFormats, { maxEntries: 50 })

function createFormats(tag: string): Formats {
  const language = findRegion(tag)
  const utc = { dateStyle: 'medium', timeZone: 'UTC' } as const
  return {
    count: new Intl.NumberFormat(language),
    // A year is no longer than four digits, and has no groups.
    number: new Intl.NumberFormat(language, { useGrouping: 'min2', maximumFractionDigits: 20 }),
    date: new Intl.DateTimeFormat(language, utc),
    time: new Intl.DateTimeFormat(language, { ...utc, timeStyle: 'short' }),
  }
}

// English without a region: the day comes first, and the day has 24 hours. The script knows the reader's region.
const findRegion = (tag: string): string => (tag === 'en' ? 'en-GB' : tag)

/** A number: `12,345.5` in English, `12.345,5` in German. */
export const formatNumber = (value: number | bigint, language: string): string =>
  findFormats(language).number.format(value)

/** A number of objects: `2,000`. */
export const formatCount = (count: number, language: string): string => findFormats(language).count.format(count)

/** A decimal number, which keeps all its digits: `"12.50"` is `12,50` in German, and `12,50 €` with the currency EUR. */
export function formatDecimal(value: string, language: string, currency?: string): string {
  const digits = /^-?\d+(?:\.(\d+))?$/.exec(value)
  if (digits === null) return value
  const places = Math.min(digits[1]?.length ?? 0, 100)
  const format = new Intl.NumberFormat(findRegion(language), {
    useGrouping: 'min2',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    ...(currency !== undefined && { style: 'currency', currency }),
  })
  return format.format(value as `${number}`)
}

/** The HTML of a date. */
export function dateHtml(value: string, language: string): string {
  const date = new Date(`${value}T00:00:00Z`)
  if (Number.isNaN(date.valueOf())) return html`${value}`
  return html`<time datetime="${value}">${findFormats(language).date.format(date)}</time>`
}

/** The HTML of a date-time in UTC, which the script shows in the zone of the reader. */
export function timeHtml(value: string, language: string): string {
  const date = new Date(value)
  if (Number.isNaN(date.valueOf())) return html`${value}`
  const title = `${value.slice(0, 19).replace('T', ' ')} UTC`
  return html`<time datetime="${value.replace('.000000', '')}" title="${title}">${findFormats(language).time.format(date)} UTC</time>`
}
