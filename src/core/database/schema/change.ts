// The changes of a migration step, as plain data: a step is frozen, and never imports the program that it belongs to.

import type { ColumnState, ColumnType, DefaultValue, IndexState, SqlText, TableState } from './schema-state.ts'

/** One change of the tables of an owner. Its first properties name what changes. */
export type Change =
  | CreateTable
  | { readonly renameTable: string; readonly to: string }
  | { readonly dropTable: string }
  | AddColumn
  | { readonly table: string; readonly renameColumn: string; readonly to: string }
  | AlterColumn
  | { readonly table: string; readonly dropColumn: string }
  | ({ readonly table: string; readonly addIndex: string } & IndexState)
  | { readonly table: string; readonly renameIndex: string; readonly to: string }
  | { readonly table: string; readonly dropIndex: string }
  | { readonly table: string; readonly addCheck: string; readonly sql: SqlText }
  | { readonly table: string; readonly dropCheck: string }
  | { readonly createView: string; readonly sql: SqlText }
  | { readonly dropView: string }

/** A column as a step writes it: its type alone if nothing else is to say. */
export type ColumnSpecification = ColumnType | ColumnState

export interface CreateTable extends Partial<Pick<TableState, 'indexes' | 'checks'>> {
  readonly createTable: string
  readonly columns: Readonly<Record<string, ColumnSpecification>>
  /** The columns of the primary key; default: the column of the type `key`, or else `id`. */
  readonly key?: readonly string[]
}

export interface AddColumn extends ColumnState {
  readonly table: string
  readonly addColumn: string
  /** The value of the rows that exist, if the column has no default. */
  readonly fill?: DefaultValue
}

/** Replaces the whole definition of a column. */
export interface AlterColumn extends ColumnState {
  readonly table: string
  readonly alterColumn: string
  /** The value of the rows that contain null, if the column may no longer be null. */
  readonly fill?: DefaultValue
  /** The SQL that converts the values to another type; default: a cast. */
  readonly using?: SqlText
}
