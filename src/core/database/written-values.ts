// Which written values a column stores and shows unchanged, so that a response can contain them without being read again.

/** Whether the column keeps this value; false for a value that it may store or show in another form. */
export type KeepsValue = (value: string | number | boolean | null) => boolean

/** Texts. `max`: the number of characters after which the column cuts spaces. */
export const keepsText =
  (max = Number.POSITIVE_INFINITY): KeepsValue =>
  value =>
    typeof value === 'string' ? value.length <= max && value.isWellFormed() : value === null

export const keepsInteger: KeepsValue = value => Number.isSafeInteger(value) || value === null

export const keepsBoolean: KeepsValue = value => typeof value === 'boolean' || value === null

const keepsMatching =
  (pattern: RegExp): KeepsValue =>
  value =>
    typeof value === 'string' ? pattern.test(value) : value === null

/** Dates, date-times with microseconds in UTC, and UUIDs, in the form in which responses show them. */
export const keepsDate = keepsMatching(/^\d{4}-\d\d-\d\d$/)
export const keepsDateTime = keepsMatching(/^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/)
export const keepsUuid = keepsMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)
