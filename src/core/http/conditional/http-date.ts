// Dates in header fields (RFC 9110 §5.6.7), with a resolution of one second.

/** Formats a date-time such as `2026-01-31T10:00:00.5Z` as an HTTP date. */
export const formatHttpDate = (dateTime: string): string => new Date(dateTime).toUTCString()

/** Parses any of the three formats of HTTP dates into milliseconds; undefined if the text is not one of them. */
export function parseHttpDate(text: string): number | undefined {
  const time = gmt.test(text) ? Date.parse(text) : asctime.test(text) ? Date.parse(`${text} GMT`) : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const gmt = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -](?:\d{4}|\d\d) \d\d:\d\d:\d\d GMT$/
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/
