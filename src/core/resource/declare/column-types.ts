// The types of columns: of the values that hooks return, and of those that views read. They follow from the tables of the
// application, if it declares them (`forTypes`), and from the fields of the resource.

import type { InsertType, SelectType, UpdateType } from 'kysely'
import type { SqlValue } from '../../database/database.ts'
import type { AnyRecord, AnyRecords } from '../../fields/field-types.ts'
import type { RowReferences } from '../../fields/sql-references.ts'
import type { Identity } from '../../http/identity.ts'

/**
 * The values of columns that hooks write. `R`: the fields. `Row`: the columns of the table; any, if the application does not declare
 * them. Null always fits: a caller without an account has no id, and the database knows which columns may be null. `Returned`: what
 * the hook returns.
 */
export type HookValues<HookColumn extends string, R extends AnyRecords, Row, Returned> = {
  readonly [Column in HookColumn]?: HookValue<StoredBy<Column, R>, Column, Row, Returned> | null
}

type HookValue<F, Column, Row, Returned> = string extends keyof Row
  ? [F] extends [never]
    ? SqlValue
    : FieldValue<F> | UnknownId<Column, Awaited<Returned>>
  : FieldValue<F> | (Column extends keyof Row ? Bound<InsertType<Row[Column]> | UpdateType<Row[Column]>> : never)

// The id of a caller whose type the application does not declare may be a number or a text, so it fits every field.
type UnknownId<Column, Returned> = Returned extends { readonly [Name in Column & string]: infer Value }
  ? [Identity['id']] extends [Value]
    ? Identity['id']
    : never
  : never

type FieldValue<F> = F extends AnyRecord ? Bound<F['value']> : never

// A statement takes texts, numbers, booleans and null, whatever Kysely or a field take instead.
type Bound<Value> = [Value] extends [SqlValue | undefined] ? Exclude<Value, undefined> : SqlValue

/** The values of columns that a view reads as JSON. A column of a field has the value that the field shows; a relation has the key. */
export type ColumnValues<Column extends string, R extends AnyRecords, Row> = {
  readonly [C in Column]: ColumnValue<StoredBy<C, R>, C, Row>
}

type ColumnValue<F, Column, Row> = [F] extends [never]
  ? Column extends keyof Row
    ? string extends keyof Row
      ? UnknownColumn<Column>
      : InJson<SelectType<Row[Column]>>
    : UnknownColumn<Column>
  : F extends AnyRecord
    ? F['link']['kind'] extends 'given' | 'named'
      ? F['value']
      : [F['shown']] extends [never]
        ? F['value']
        : F['shown']
    : never

type InJson<Value> = Value extends Date ? string : Value

/** The value of a column that neither a field nor the types of the tables describe. The compiler's messages name the column. */
export type UnknownColumn<Column> = object | string | number | boolean | null | Named<Column>

interface Named<Column> {
  readonly column?: Column
}

/**
 * The columns that SQL may name as properties of `row`. Without the types of the tables, these are columns of fields and of hooks, and
 * any other name.
 */
export type RowColumns<R extends AnyRecords, HookColumn extends string, Row> = string extends keyof Row
  ? RowReferences<StoredColumn<R> | HookColumn> & RowReferences
  : RowReferences<keyof Row & string>

type StoredColumn<R extends AnyRecords> = {
  [Name in keyof R & string]: R[Name]['column'] extends '*'
    ? Name
    : R[Name]['column'] extends '*_id'
      ? `${Name}_id`
      : Extract<R[Name]['column'], string>
}[keyof R & string]

/** The field that the column stores; never if the compiler knows none. */
export type StoredBy<Column, R extends AnyRecords> =
  | (Column extends keyof R ? (R[Column] extends InOwnColumn ? R[Column] : never) : never)
  | (Column extends `${infer Name}_id`
      ? Name extends keyof R
        ? R[Name] extends InKeyColumn
          ? R[Name]
          : never
        : never
      : never)
  | (Column extends R[keyof R]['column'] ? InColumn<Column, R> : never)

interface InOwnColumn {
  readonly column: '*'
}

interface InKeyColumn {
  readonly column: '*_id'
}

type InColumn<Column, R extends AnyRecords> = {
  [Name in keyof R]: R[Name]['column'] extends Column ? R[Name] : never
}[keyof R]
