import { sql } from 'kysely'
import {
  columnOf,
  defineField,
  type Field,
  type FieldOptions,
  invalid,
  type Place,
  type RelationTarget,
  type RowFilterOptions,
  type RowTarget,
} from './field.ts'

export interface TextOptions extends FieldOptions<string> {
  /** Lengths are in characters (Unicode code points). */
  readonly min?: number
  readonly max?: number
  /** May it be empty? Default: no. */
  readonly blank?: boolean
  /** Is white space around it dropped? Default: yes. */
  readonly trim?: boolean
  /** If white space is not dropped: may the text be white space alone? Default: yes. */
  readonly whitespaceOnly?: boolean
  readonly multiline?: boolean
  /** The Unicode normalization form that it is kept in; default: as given. */
  readonly normalize?: 'NFC' | 'NFKC'
  /** What the whole text must look like, and the message where it does not. */
  readonly pattern?: { readonly test: RegExp; readonly message: string }
  /** No two objects have the same: the message where they would. */
  readonly unique?: string
  /** Shown from another table; such a field is read-only. */
  readonly from?: Via
}

/** A column of the row that a column of this table refers to. */
export interface Via extends RowFilterOptions {
  readonly reference: string
  readonly target: RowTarget
  readonly column: string
}

/**
 * `via('owner_id', 'users', 'username')`: the name of the user whose key stands in `owner_id`. The text is null where the
 * row is hidden from the caller. Given a resource, that one's row filter decides; given a table, the row filters of all
 * resources of the API over this table do, and its key is `id`.
 */
export const via = (
  reference: string,
  target: RelationTarget | string,
  column: string,
  options: RowFilterOptions = {},
): Via => ({ ...options, reference, target: typeof target === 'string' ? { table: target } : target, column })

/** Text. Numbers are taken as their digits; NUL and lone surrogates, which no database keeps, are refused. */
export function text(options: TextOptions = {}): Field<string> {
  const { min, max, from, blank = false, multiline = false, unique } = options
  const field = defineField<string>(options, {
    type: 'string',
    blank,
    multiline,
    bounds: { ...(max !== undefined && { max_length: max }), ...(min !== undefined && { min_length: min }) },
    parse: input => parseText(input, options),
    ...(unique !== undefined && { unique }),
  })
  return from === undefined ? field : showVia(field, from)
}

/** The text that a body gives; throws ValidationError with the first check that fails. */
export function parseText(input: unknown, options: TextOptions): string {
  const { trim = true, blank = false, whitespaceOnly = true, min, max, normalize, pattern } = options
  if (!isTextual(input)) throw invalid('Not a valid string.')
  const given = trim ? String(input).trim() : String(input)
  const value = normalize === undefined ? given : given.normalize(normalize)
  if (value === '' || (!whitespaceOnly && !/\S/.test(value))) {
    if (blank) return value
    throw invalid('This field may not be blank.', 'blank')
  }
  if (value.includes('\0')) throw invalid('Null characters are not allowed.', 'null_characters_not_allowed')
  if (!value.isWellFormed()) throw invalid('Not a valid string.')
  if (max !== undefined && isLonger(value, max)) {
    throw invalid(`Ensure this field has no more than ${max} characters.`, 'max_length')
  }
  if (min !== undefined && !isLonger(value, min - 1)) {
    throw invalid(`Ensure this field has at least ${min} characters.`, 'min_length')
  }
  if (pattern !== undefined && !pattern.test.test(value)) throw invalid(pattern.message)
  return value
}

// A number that a double does not hold exactly is no text; integers of that size come as `bigint`.
function isTextual(input: unknown): input is string | number {
  if (typeof input === 'number') return Number.isInteger(input) ? Number.isSafeInteger(input) : Number.isFinite(input)
  return typeof input === 'string'
}

// A character is one or two code units, so most texts need no count.
function isLonger(value: string, characters: number): boolean {
  if (value.length <= characters) return false
  return value.length > 2 * characters || [...value].length > characters
}

const referred = 'referred row'

function showVia(field: Field<string>, { reference, target, column, ignoreRowFilter = false }: Via): Field<string> {
  return Object.freeze({
    ...field,
    readOnly: true,
    required: false,
    storage: { kind: 'none' } as const,
    uses: [
      { option: 'from.reference', column: reference },
      { option: 'from.column', table: target.table, column },
      { option: 'from.table', table: target.table, column: target.name === undefined ? 'id' : target.key },
    ],
    show(place: Place) {
      const key = target.name === undefined ? 'id' : target.key
      const condition = ignoreRowFilter ? undefined : place.visible(target, referred)
      const exists = condition === undefined ? sql`` : sql` and ${condition}`
      // The table may be that of the place.
      return sql`(select ${sql.id(referred, column)} from ${sql.table(target.table)} as ${sql.id(referred)} where ${sql.id(referred, key)} = ${columnOf(place, reference)}${exists})`
    },
  })
}
