// A field is one key of a representation: how its value is read from a body, kept in the database, and shown.
// Reading rejects with ValidationError; the messages and codes are the specification's (ERR-MSG).

import { sql } from 'kysely'
import type { RequestContext } from '../context.ts'
import type { SqlValue } from '../database/database.ts'
import type { Dialect, Sql } from '../database/dialect.ts'
import { ValidationError } from '../errors/exceptions.ts'

/** What a field is, for people and programs that fill it in. */
export type FieldType =
  | 'field'
  | 'string'
  | 'email'
  | 'slug'
  | 'url'
  | 'uuid'
  | 'integer'
  | 'float'
  | 'decimal'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'time'
  | 'datetime'
  | 'duration'
  | 'list'
  | 'nested object'
  | 'json'

/** What every kind of field can be told. */
export interface FieldOptions<Value> {
  /** Must a create or replace name it? Default: yes, unless it has a default or may be null. */
  readonly required?: boolean
  /** The value of a new object when none is given. */
  readonly default?: Value
  /** May it be null? Default: no. */
  readonly nullable?: boolean
  /** The column that keeps it; default: the field's name. */
  readonly column?: string
  readonly label?: string
  readonly help?: string
  /** Further checks of a value that is one of its kind. */
  readonly validators?: readonly FieldValidator<Value>[]
}

/** Looks at a value; throws ValidationError, now or later. */
export type FieldValidator<Value> = (value: Value, context: ParseContext) => void | Promise<void>

/** A field of a resource. `Value` is what a body's value becomes, and what the column takes. */
export interface Field<Value = unknown> {
  readonly type: FieldType
  readonly required: boolean
  readonly nullable: boolean
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly default: Value | undefined
  readonly label: string | undefined
  readonly help: string | undefined
  /** Bounds for people to see, such as `max_length`. */
  readonly bounds: Readonly<Record<string, number>>
  readonly choices?: ReadonlySet<string>
  /** May a text be empty? Undefined for what is no text. */
  readonly blank?: boolean
  /** Spans several lines of text. */
  readonly multiline?: boolean
  /** The message where another object has the same value. */
  readonly unique?: string
  /** Where a written value goes. */
  readonly storage: Storage
  /** The primary key's column, where the field shows the key. */
  readonly keyColumn?: string
  /** Does the SQL of `show` change with more than data? Undefined where no SQL of the application's own is in it. */
  readonly volatile?: boolean
  /** Whose keys the values are. */
  readonly relation?: Relation
  /** The names in the database that it uses beside its storage: a wrong one is found at start. */
  readonly uses?: readonly ColumnUse[]
  /** What each item of a list is. */
  readonly child?: Field
  /** What an object is made of. */
  readonly children?: Fields
  /** Does `parse` say as well what becomes of null, where that may be, and of undefined, where nothing is given? */
  readonly parsesNothing?: boolean
  /** The value that a body gives, never null; integers beyond ±(2^53 - 1) come as `bigint`. Throws ValidationError. */
  parse(input: unknown, context: ParseContext): Value | Promise<Value>
  /** Looks at a value that `parse` made; throws ValidationError, now or later. */
  validate?(value: Value, context: ParseContext): void | Promise<void>
  /** The value as its column takes it; default: as it is. */
  store?(value: Value): SqlValue
  /** Is a column this value, which is bound as its column takes it? Default: are they equal? */
  isValue?(column: Sql, value: Sql, dialect: Dialect): Sql
  /** The value as SQL that appears in the JSON. */
  show(place: Place): Sql
  /** What is shown, where that is made of what `show` brings. Numbers in that are their own text (`parseExactly`). */
  compute?(shown: unknown, context: RequestContext): unknown
}

/** Fields by name, in the order in which they are shown. */
export type Fields = Readonly<Record<string, Field>>

/** The values of fields, as they make them; a nullable one may be null. */
export type ValuesOf<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer V> ? V : never
}

/** A column of the resource's table, rows of a table beside it, or nowhere. */
export type Storage =
  | { readonly kind: 'column'; readonly column?: string | undefined }
  | ({ readonly kind: 'rows' /** Default: keys. */; readonly of?: 'texts' } & Through)
  | { readonly kind: 'none' }

/** The table between two tables, and its columns that hold the keys of this side and of the other. */
export interface Through {
  readonly table: string
  readonly own: string
  readonly other: string
}

/** A name in the database, and the option of a declaration that gives it. */
export interface ColumnUse {
  readonly option: string
  /** Default: the table of the resource that declares it. */
  readonly table?: string
  readonly column: string
  /** The resource whose table it is: an API has to have it. */
  readonly target?: RelationTarget
}

/** The key of a related resource, as an option names that. */
export const keyUse = (option: string, target: RelationTarget): ColumnUse => ({
  option,
  table: target.table,
  column: target.key,
  target,
})

/** The table and the columns of an option such as `many`. */
export const throughUses = (option: string, { table, own, other }: Through): readonly ColumnUse[] => [
  { option: `${option}.own`, table, column: own },
  { option: `${option}.other`, table, column: other },
]

/** What a relation has to know of the resource at its other end. */
export interface RelationTarget {
  readonly name: string
  readonly table: string
  readonly key: string
}

/** Whose rows are meant: those of a resource, or those of a table, whichever resource they belong to. */
export type RowTarget = RelationTarget | { readonly name?: undefined; readonly table: string }

/** An option of every relation. */
export interface RowFilterOptions {
  /**
   * True: related objects are shown and taken although the row filter of their resource hides them from the caller.
   * Default: they do not exist for the caller here either.
   */
  readonly ignoreRowFilter?: boolean
}

/** The other end of a relation. */
export interface Relation extends RowFilterOptions {
  readonly target: RelationTarget
  readonly many: boolean
  /** Are the related objects written as their URLs? */
  readonly linked: boolean
  /** The error for a key that no row has. */
  missing(key: SqlValue): ValidationError
}

/** Where a value is read from, beside the value. */
export interface ParseContext {
  /** Origin and prefix of the API, without a trailing slash. */
  readonly baseUrl: string
  /** What this API has at a path below its prefix: the name of a resource, and a key where the path names one object. */
  route(path: string): { readonly name: string; readonly key?: number } | undefined
}

/** Where a field is shown. */
export interface Place {
  /** The field's name. */
  readonly name: string
  /** The resource's name. */
  readonly resource: string
  readonly table: string
  /** The fields of the table's resource. */
  readonly fields: Fields
  /** The key column of the table. */
  readonly key: string
  /** How many representations it stands in beside its own. */
  readonly depth: number
  readonly dialect: Dialect
  /** The absolute URL of the object of a resource with this key. */
  link(resource: string, key: Sql): Sql
  /**
   * The condition under which rows of another resource, which go by the name `table`, exist for the caller; undefined
   * where all of them do.
   */
  visible(target: RowTarget, table: string): Sql | undefined
}

/** A column of the place's table. */
export const columnOf = (place: Place, column: string): Sql => sql.ref(`${place.table}.${column}`)

/** What a column holds. One that a field keeps is that field's value, the same on every database; a relation is its key. */
export function valueIn(place: Place, column: string): Sql {
  const found = Object.entries(place.fields).find(
    ([name, { storage }]) => storage.kind === 'column' && (storage.column ?? name) === column,
  )
  if (found === undefined) return columnOf(place, column)
  const [name, { relation, show }] = found
  return relation === undefined ? show({ ...place, name }) : columnOf(place, column)
}

/** What a kind of field adds to the common parts. */
type FieldParts<Value> = Pick<Field<Value>, 'type' | 'parse'> & Partial<Field<Value>>

/** A field from its options and the parts of its kind. */
export function defineField<Value>(options: FieldOptions<Value>, parts: FieldParts<Value>): Field<Value> {
  const { nullable = false, default: initial, column, validators } = options
  return Object.freeze({
    required: options.required ?? (initial === undefined && !nullable),
    nullable,
    readOnly: false,
    writeOnly: false,
    default: initial,
    label: options.label,
    help: options.help,
    ...(validators && { validate: validateBy(validators) }),
    bounds: {},
    storage: { kind: 'column', column } as const,
    show: (place: Place) => columnOf(place, column ?? place.name),
    ...parts,
  })
}

const validateBy =
  <Value>(validators: readonly FieldValidator<Value>[]): NonNullable<Field<Value>['validate']> =>
  async (value, context) => {
    for (const validate of validators) await validate(value, context)
  }

/** The field is shown and never written; what a body says of it is ignored. */
export function readOnly<Value>(field: Field<Value>): Field<Value> {
  return Object.freeze({ ...field, readOnly: true, required: false })
}

/** The field is written and never shown. */
export function writeOnly<Value>(field: Field<Value>): Field<Value> {
  return Object.freeze({ ...field, writeOnly: true })
}

/** A check that failed. */
export const invalid = (message: string, code = 'invalid'): ValidationError => new ValidationError(message, code)

/** The name of a JSON value's type, as clients of Django REST framework know it. */
export function typeName(value: unknown): string {
  if (value === null) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'bigint') return 'int'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return { string: 'str', boolean: 'bool', object: 'dict' }[typeof value as string] ?? typeof value
}
