// The types of columns: of the values that hooks return, and of those that views read. They follow from the tables of the
// application, if it declares them (`forTypes`), and from the fields of the resource.

import type { InsertType, SelectType, UpdateType } from 'kysely'
import type { SqlValue } from '../../database/database.ts'
import type { AnyRecord, AnyRecords } from '../../fields/field-types.ts'
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

/** The values of columns in the object that a view or a permission reads. A column of a field has the field's value. */
export type ColumnValues<Column extends string, R extends AnyRecords, Row> = {
  readonly [C in Column]: ColumnValue<StoredBy<C, R>, C, Row>
}

type ColumnValue<F, Column, Row> = F extends AnyRecord
  ? F['value']
  : string extends keyof Row
    ? unknown
    : Column extends keyof Row
      ? InJson<SelectType<Row[Column]>>
      : unknown

// The object is read as JSON.
type InJson<Value> = Value extends Date ? string : Value

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
