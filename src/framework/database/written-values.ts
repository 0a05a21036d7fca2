// The JSON of values that were written, for columns that store and show each of these values unchanged.

/** Formats a value as JSON; undefined for a value that the column may store or show in another form. */
export type FormatWritten = (value: string | number | boolean | null) => string | undefined

// Also matches control characters that JSON need not escape, and lone surrogates.
const escaped = /["\\\p{Cc}\p{Cs}]/u

/** Texts. `max`: the number of characters after which the column cuts spaces. */
export const formatWrittenText =
  (max = Number.POSITIVE_INFINITY): FormatWritten =>
  value => {
    if (typeof value !== 'string') return formatNull(value)
    if (value.length > max) return undefined
    if (!escaped.test(value)) return `"${value}"`
    return value.isWellFormed() && !value.includes('\0') ? JSON.stringify(value) : undefined
  }

export const formatWrittenInteger: FormatWritten = value =>
  Number.isSafeInteger(value) ? `${value as number}` : formatNull(value)

export const formatWrittenBoolean: FormatWritten = value =>
  typeof value === 'boolean' ? `${value}` : formatNull(value)

const formatMatching =
  (pattern: RegExp): FormatWritten =>
  value =>
    typeof value === 'string' && pattern.test(value) ? `"${value}"` : formatNull(value)

/** Dates, date-times with microseconds in UTC, and UUIDs, in the form in which responses show them. */
export const formatWrittenDate = formatMatching(/^\d{4}-\d\d-\d\d$/)
export const formatWrittenDateTime = formatMatching(/^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/)
export const formatWrittenUuid = formatMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)

const formatNull = (value: unknown): string | undefined => (value === null ? 'null' : undefined)
