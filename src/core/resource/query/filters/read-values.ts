// Reads the values of a filter from the query. Rejects with ValidationError for values that the field refuses, for a
// second value where a filter takes one, and for too many values.

import type { SqlValue } from '../../../database/database.ts'
import type { Dialect } from '../../../database/dialect.ts'
import { maxPatternLength } from '../../../database/patterns/pattern.ts'
import { invalid } from '../../../errors/invalid.ts'
import type { Field, ParseContext } from '../../../fields/field.ts'
import { boolean } from '../../../fields/kinds/boolean.ts'
import { date } from '../../../fields/kinds/date.ts'
import { integer } from '../../../fields/kinds/integer.ts'
import { type FieldKind, hasTime, type PositiveLookup } from '../../../fields/kinds/kind.ts'
import { parseText } from '../../../fields/kinds/text.ts'
import { readValue } from '../../../fields/read-fields.ts'
import { type QueriedValue, readFieldValue } from '../queried-value.ts'
import type { ParameterName } from './compile-lookup.ts'
import { isPatternLookup, isTextLookup, prepareText } from './lookups.ts'
import { splitValues } from './split-values.ts'

/** The values of a filter, by the names of its parameters in SQL. */
export type FilterValues = Readonly<Partial<Record<ParameterName, SqlValue>>>

/** The values of a request that are to be read, and how. */
export interface ReadOptions {
  readonly context: ParseContext
  readonly dialect: Dialect
  /** The most values that `in` takes. */
  readonly maxValues: number
}

/** The most characters of a text to look for. */
export const maxTextLength = 1000

/** The most characters of the text with which the lookup compares. */
export const findMaxLength = (lookup: PositiveLookup): number =>
  isPatternLookup(lookup) ? maxPatternLength : maxTextLength

const days = date()
const years = integer({ min: 1, max: 9999 })
const flags = boolean()

/** Reads the values of a lookup, except those of `isnull`. */
export async function readLookupValues(
  lookup: Exclude<PositiveLookup, 'isnull'>,
  compared: QueriedValue,
  texts: readonly string[],
  options: ReadOptions,
): Promise<FilterValues> {
  const { context } = options
  const { kind, field } = compared
  const read = (text: string) => compared.read(hasTime(kind) ? restorePlus(text) : text, context)
  if (lookup === 'in') return { value: await readList(compared, splitValues(texts), read, options) }
  if (lookup === 'range') return readRange(splitValues(texts), read)
  const text = takeOne(texts)
  if (lookup === 'date') return createDay((await readValue(days, text, context)) as string)
  if (lookup === 'year') return createYear((await readValue(years, text, context)) as number, kind)
  if (kind.hasItems) return { value: String(await readFieldValue(field.child!, text, context)) }
  if (!isTextLookup(lookup)) return { value: await read(text) }
  return { value: prepareText(lookup, parseText(text, { trim: false, max: findMaxLength(lookup) })) }
}

/** Reads the value of `isnull`. */
export const readFlag = async (texts: readonly string[], context: ParseContext): Promise<boolean> =>
  (await readValue(flags, takeOne(texts), context)) as boolean

/** Reads the value of a filter that is declared with its own SQL. */
export const readSingle = async (
  field: Field,
  texts: readonly string[],
  { context }: Pick<ReadOptions, 'context'>,
): Promise<unknown> => readFieldValue(field, takeOne(texts), context)

/** Reads the values of such a filter whose field is a list. Rejects with the errors of the first item that is refused. */
export async function readItems(
  field: Field,
  texts: readonly string[],
  { context, maxValues }: Omit<ReadOptions, 'dialect'>,
): Promise<unknown> {
  const items = splitValues(texts)
  if (items.length > maxValues) throw invalid('max_length.list', { max: maxValues })
  for (const item of items) await readFieldValue(field.child!, item, context)
  return readFieldValue(field, items, context)
}

/** The one text of a filter that takes one; throws ValidationError for more. */
export function takeOne(texts: readonly string[]): string {
  if (texts.length > 1) throw invalid('invalid.filter')
  return texts[0]!
}

type ReadOne = (text: string) => Promise<SqlValue>

async function readList(
  { kind }: QueriedValue,
  texts: readonly string[],
  read: ReadOne,
  { dialect, maxValues }: ReadOptions,
): Promise<string> {
  if (texts.length > maxValues) throw invalid('max_length.list', { max: maxValues })
  const values: SqlValue[] = []
  for (const text of texts) values.push(await read(text))
  return formatList(kind, values, dialect)
}

/** Formats the parameter of `in`. */
export function formatList(kind: FieldKind, values: readonly SqlValue[], dialect: Dialect): string {
  if (kind.cast === 'bigint') return JSON.stringify(values)
  // Doubles distinguish all decimals of a field.
  const isNumber = kind.cast !== undefined
  return dialect.formatList(
    values.map(value => (isNumber || typeof value === 'number' ? Number(value) : String(value))),
  )
}

async function readRange(texts: readonly string[], read: ReadOne): Promise<FilterValues> {
  const [from, to, ...others] = texts
  if (from === undefined || to === undefined || others.length > 0) throw invalid('invalid.range')
  return { from: await read(from), to: await read(to) }
}

const createDay = (day: string): FilterValues => ({ from: `${day}T00:00:00.000000Z`, to: `${day}T23:59:59.999999Z` })

function createYear(year: number, kind: FieldKind): FilterValues {
  const digits = String(year).padStart(4, '0')
  const [from, to] = [`${digits}-01-01`, `${digits}-12-31`]
  return hasTime(kind) ? { from: createDay(from).from!, to: createDay(to).to! } : { from, to }
}

// In a query, "+" means a space, so an offset that a client did not encode begins with a space.
const restorePlus = (text: string): string =>
  text.replace(/(\d) (\d\d:?\d\d)$/, (found, digit: string, offset: string) =>
    /[T ]\d\d:\d\d/.test(text.slice(0, -offset.length - 1)) ? `${digit}+${offset}` : found,
  )
