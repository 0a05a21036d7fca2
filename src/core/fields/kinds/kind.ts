// A kind of field says how values are described, stored, compared, typed into forms and shown on pages. Each kind
// is a frozen record beside the field that has it. Other folders read a property of the record, and do not ask which kind it is.

import type { ColumnKind } from '../../database/catalogue.ts'
import type { SqlValue } from '../../database/database.ts'
import type { Dialect, Sql } from '../../database/dialect.ts'
import type { CastType } from '../../database/expressions.ts'
import type { PlainType } from '../../database/schema/schema-state.ts'
import type { JsonSchema } from '../../describe/json-schema.ts'
import type { Identifier } from '../../keys/key.ts'

/** A kind of field. A field of the application has the kind of a built-in field, such as `text().kind`, or a record of its own. */
export interface FieldKind {
  /** The name in OPTIONS, on pages and in messages. */
  readonly name: string
  /** The JSON Schema of a value, if the field does not describe it. */
  readonly schema: JsonSchema
  /** The kinds of columns that store a value unchanged, the usual one first; undefined: any. */
  readonly columns?: readonly ColumnKind[]
  /** The type of the column that a declared table has for a field; default: by `columns`. */
  readonly columnType?: PlainType
  /** True: the option `stored` asks for a text in a form of its own, so the column must be a text. */
  readonly isStoredAsText?: boolean
  /** How the column stores and shows a value; default: unchanged. */
  readonly conversion?: KindConversion | undefined
  /** The lookups of filters that fit a value. */
  readonly lookups: readonly PositiveLookup[]
  /** The type of the parameter with which a filter compares a value. */
  readonly cast?: CastType
  /** The SQL of a comparison with an operator such as `<`; default: that of the values. */
  compare?(value: Sql, operator: string, expected: Sql, dialect: Dialect): Sql
  /** How a value names an object in bodies and URLs; undefined if equal values may have different texts. */
  readonly identifier?: Pick<Identifier, 'type' | 'isUrlSafe'>
  /** True: a form has a checkbox, which sends nothing for false. */
  readonly isCheckbox?: boolean
  /** True: a value is a list. A form sends a text for each item. */
  readonly hasItems?: boolean
  /** True: a form sends the JSON of a value. */
  readonly isJson?: boolean
  /** True: any text. Pages treat a write-only one as a secret. */
  readonly isFreeText?: boolean
  /** The type of the HTML input in a form; default: `text`. */
  readonly input?: string
  /** The type of the HTML input of a filter, and the values that it can show; default: a text. */
  readonly filterInput?: readonly [type: string, values: RegExp]
  /** The attribute `step` of inputs of numbers. */
  readonly step?: 'any'
  /** How pages show a value, apart from its language and its length; default: as it is. */
  readonly shown?: 'time' | 'date' | 'decimal' | 'url' | 'email' | 'color' | 'unknown'
  /** A value for examples, as a text. */
  readonly example?: string | undefined
}

export interface KindConversion {
  /** Converts a value for its column. */
  store?(value: unknown): SqlValue
  /** The SQL that converts a value of the column for JSON. */
  showValue?(value: Sql, dialect: Dialect): Sql
  /** The SQL condition that the column equals a stored value. */
  compileFilter?(column: Sql, value: Sql, dialect: Dialect): Sql
}

/** The lookups of values that are equal or not. */
export const equalityLookups = ['exact', 'in', 'isnull'] as const
/** The lookups that compare with any text, which the field itself might refuse as a value. */
export const textOnlyLookups = [
  'iexact',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
  'regex',
  'iregex',
] as const
const comparisons = ['gt', 'gte', 'lt', 'lte', 'range'] as const
const timeLookups = ['date', 'year'] as const

/** All lookups. */
export const positiveLookups = [...equalityLookups, ...textOnlyLookups, ...comparisons, ...timeLookups]
/** How a filter compares; `exact` is the one without a suffix. */
export type PositiveLookup = (typeof positiveLookups)[number]

/** The lookups of values with an order. */
export const orderedLookups = [...equalityLookups, ...comparisons]

/** Any value. */
export const valueKind = Object.freeze<FieldKind>({
  name: 'field',
  schema: {},
  lookups: equalityLookups,
  shown: 'unknown',
})

/** Whether values are texts of any length. */
export const isText = ({ lookups }: FieldKind): boolean => lookups.includes('contains')

/** Whether values are a date and a time. */
export const hasTime = ({ lookups }: FieldKind): boolean => lookups.includes('date')

/** Whether a column stores values as JSON, which cannot be compared. */
export const isStoredAsJson = ({ lookups }: FieldKind): boolean => !lookups.includes('exact')

/** Whether values are lists or have parts, whose errors a response shows at their places. */
export const hasParts = ({ hasItems = false, isJson = false }: FieldKind): boolean => hasItems || isJson

/** Whether responses show values as texts. */
export const isShownAsText = ({ schema }: FieldKind): boolean => schema.type === 'string'
