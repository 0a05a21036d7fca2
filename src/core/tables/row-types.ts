// The types of the rows of declared tables, as Kysely takes them. The compiler computes what follows from the type of a column once
// for all columns of that type, so a further column costs little.

import type { ColumnType } from 'kysely'
import type { SqlValue } from '../database/database.ts'
import type { FieldTypes } from '../fields/field-types.ts'
import type { KeyValue } from '../keys/key.ts'
import type { ColumnForm, ColumnName, TableColumnTypes } from './column.ts'
import type { Table } from './table.ts'
import type { Schema } from './tables.ts'

/** The tables of a schema by name: `TablesOf<typeof schema>`. */
export type TablesOf<S extends Pick<Schema, 'tables'>> = RowsByTable<S['tables'][number]>

type RowsByTable<T extends Table> = {
  [Each in T as Each['name']]: RowOf<Each['ownColumns'], NonNullable<Each['~key']>['value'], KeysByTable<T>>
}

type KeysByTable<T extends Table> = { [Each in T as Each['name']]: NonNullable<Each['~key']>['value'] }

type RowOf<Columns, OwnKey, Keys> = {
  [Name in keyof Columns & string as ColumnName<Name, ColumnForm<Columns[Name]>>]: Resolved<
    ColumnValue<Columns[Name]>,
    OwnKey,
    Keys
  >
}

type ColumnValue<Column> = Column extends { readonly '~types'?: infer T extends FieldTypes }
  ? T['link']['kind'] extends 'key'
    ? OwnKeyMark
    : T['link']['form'] extends 'microseconds'
      ? number | Extract<T['value'], null>
      : Stored<T['value']>
  : Column extends { readonly '~column'?: infer T extends TableColumnTypes }
    ? T['target'] extends string
      ? ReferenceMark<T['target'], T['value']>
      : T['insert'] extends 'never'
        ? ColumnType<Stored<T['value']>, never, never>
        : T['insert'] extends 'required'
          ? Stored<T['value']>
          : Optional<T['value']>
    : never

interface OwnKeyMark {
  readonly mark: 'key'
}

interface ReferenceMark<out Target, out Null> {
  readonly mark: 'reference'
  readonly target: Target
  readonly null: Null
}

type Resolved<Value, OwnKey, Keys> = [Value] extends [OwnKeyMark]
  ? Optional<OwnKey>
  : [Value] extends [ReferenceMark<infer Target, infer Null>]
    ? (Keys extends { readonly [Name in Target & string]: infer Key } ? Key : KeyValue) | Null
    : Value

/** A column that an INSERT may omit. */
type Optional<Value> = ColumnType<Value, Value | undefined, Value>

/** SQLite stores booleans as 0 and 1, and both databases store lists and objects as JSON. */
type Stored<Value> = Value extends boolean ? boolean | number : Value extends SqlValue ? Value : unknown
