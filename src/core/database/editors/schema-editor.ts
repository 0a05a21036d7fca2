// Changes the tables of one kind of database, and reads them. Each change runs in the way that keeps all rows and blocks other
// programs as briefly as the database permits.

import type { Kysely } from 'kysely'
import type { Change } from '../schema/change.ts'
import type { ColumnType, IndexState, SchemaState, TableState } from '../schema/schema-state.ts'

export interface SchemaEditor {
  /**
   * Runs the changes of a step in its transaction, and returns the work that has to follow the commit. Rejects with an Error that
   * names the table, the column and some rows if rows do not fit a change; the transaction then has to be rolled back.
   */
  run(kysely: Kysely<unknown>, changes: readonly Change[], options?: EditOptions): Promise<readonly LaterWork[]>
  /** Does work that `run` returned, also if a part of it has been done before. */
  finish(session: FinishSession, work: LaterWork): Promise<void>
  /** The statements of work that `run` returned. Absent if it never returns any. */
  readonly listLater?: (work: LaterWork) => readonly string[]
  /** Reads the tables and views that SQL can use without a schema; all, or those with these names. */
  readState(kysely: Kysely<unknown>, names?: readonly string[]): Promise<ExistingState>
  /** The table as `readState` describes it once it exists, apart from the SQL in it, which a database may write in its own way. */
  normalize(table: TableState): TableState
  /** The SQL of a type. */
  formatType(type: ColumnType): string
  /** SQL of a table without what makes no difference, such as spaces, if the database keeps it as it was written. */
  readonly normalizeSql?: (text: string) => string
  /** Makes SQL use the tables of a new schema until the transaction ends. Absent if a database in memory is one. */
  readonly enterEmptySchema?: (kysely: Kysely<unknown>) => Promise<void>
  /** The SQL of a default value. */
  formatDefault(value: NonNullable<TableState['columns'][string]['default']>): string
}

export interface EditOptions {
  /** True: everything happens in the transaction, however long it blocks others. Default: false. */
  readonly alone?: boolean
  /** The tables before the changes, if the statements are only listed: no database is read. Only PostgreSQL takes it. */
  readonly existing?: SchemaState
}

/** Where work that follows a step runs. */
export interface FinishSession {
  transaction<Result>(work: (connection: { readonly kysely: Kysely<unknown> }) => Promise<Result>): Promise<Result>
  /** Runs a statement outside of a transaction. */
  execute(text: string): Promise<void>
}

/** Work that cannot be done in the transaction of a step, as plain data, because the database records it. */
export type LaterWork =
  | { readonly kind: 'index'; readonly table: string; readonly name: string; readonly index: IndexState }
  | { readonly kind: 'validate'; readonly table: string; readonly constraint: string }
  | { readonly kind: 'not null'; readonly table: string; readonly column: string; readonly constraint: string }

/** The tables of a database. */
export interface ExistingState extends SchemaState {
  /** For each table, what the state cannot say about it, as sentences. */
  readonly notes: Readonly<Record<string, readonly string[]>>
}
