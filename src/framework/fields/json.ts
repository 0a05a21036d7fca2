import { formatJson } from '../exact-json.ts'
import { columnOf, defineField, type Field, type FieldOptions, invalid } from './field.ts'

/** Any JSON, kept in a `json` column with the digits of its integers (`bigint` beyond ±(2^53 - 1)). A form gives it as text. */
export function json<Value = unknown>(options: FieldOptions<Value> = {}): Field<Value> {
  return defineField<Value>(options, {
    type: 'json',
    parse(input) {
      checkTexts(input)
      return input as Value
    },
    ...asJson<Value>(options.column),
  })
}

/** A value that is kept as JSON and shown as such. */
export const asJson = <Value>(column: string | undefined): Required<Pick<Field<Value>, 'store' | 'show'>> => ({
  store: value => formatJson(value),
  show: place => place.dialect.json(columnOf(place, column ?? place.name)),
})

/** What is kept inside JSON has no column, no table and no statement of its own. */
export function checkPart({ readOnly, writeOnly, relation, unique, storage }: Field, what: string): void {
  if (readOnly || writeOnly || relation || unique !== undefined || storage.kind !== 'column')
    throw new Error(
      `${what} cannot be a relation, computed, read-only, write-only or unique: make it a field of the resource`,
    )
}

/** Every text in it, names included, must be one that a database keeps. The body's parser bounds the depth. */
export function checkTexts(value: unknown): void {
  if (typeof value === 'string') checkText(value)
  if (typeof value !== 'object' || value === null) return
  for (const [name, item] of Object.entries(value)) {
    checkText(name)
    checkTexts(item)
  }
}

function checkText(text: string): void {
  if (text.includes('\0')) throw invalid('Null characters are not allowed.', 'null_characters_not_allowed')
  if (!text.isWellFormed()) throw invalid('Value must be valid JSON.')
}
