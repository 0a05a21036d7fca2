// The differences between the databases in SQL: JSON functions, comparisons, column types and locks. Another database needs a
// folder beside `sqlite/` and `postgres/`, with a `Dialect`, a query compiler for the nodes of `expressions.ts`, a `Catalogue` and a
// driver, and a line in `dialects.ts` and `open.ts`. Statements that it lacks, such as `RETURNING` with a subquery, need changes
// elsewhere too: decision 109 lists them.

import type { Driver, Expression, Kysely, RawBuilder } from 'kysely'
import { type Column, type ColumnKind, quote } from './catalogue.ts'
import type { ColumnCheck } from './column-checks.ts'
import type { SchemaEditor } from './editors/schema-editor.ts'

/** An SQL expression. */
export type Sql = Expression<unknown> | RawBuilder<unknown>

/** The column of `records` with the index in the array. The space prevents a conflict with the columns of a table. */
export const placeColumn = 'given place'

/** The SQL of one database. `object` and `array` convert each value to the JSON that fits its SQL type. */
export interface Dialect {
  readonly name: string
  readonly columns: ColumnTypes
  /** Changes and reads tables. */
  readonly schema: SchemaEditor
  /** A query builder that writes the SQL of this database, and runs it with the driver. */
  createKysely(driver: Driver): Kysely<unknown>
  /** A JSON object that can be nested in another one. */
  object(entries: readonly (readonly [key: string, value: Sql])[]): Sql
  /** Converts a JSON object or array to text. */
  text(json: Sql): Sql
  /** An array of the rows of a query with one column named `value`. */
  array(query: Sql): Sql
  /** Like `array`, for rows whose values are JSON objects. */
  objects(query: Sql): Sql
  /** The value of a column that stores JSON. */
  json(value: Sql): Sql
  boolean(value: Sql): Sql
  /** A double, with all its digits. */
  number(value: Sql): Sql
  /** The digits of a decimal as text, with `places` digits after the decimal point. */
  decimal(value: Sql, places: number): Sql
  /** `hh:mm:ss`, with `.ffffff` appended if the microseconds are not zero. */
  time(value: Sql): Sql
  /** `YYYY-MM-DDThh:mm:ss.ffffffZ`, also for date-times that the database generated. */
  dateTime(value: Sql): Sql
  /** A condition: the date-time column equals `dateTime`, also if the database generated the column's value. */
  equalsDateTime(column: Sql, dateTime: Sql): Sql
  /** A condition like `equalsDateTime` with an operator such as `>=`. */
  compareDateTime(column: Sql, operator: string, dateTime: Sql): Sql
  /** The value as text that compares by code point, whatever the type and the collation of its column. */
  plainText(value: Sql): Sql
  /** Like `plainText`, with the ASCII letters in lower case. */
  lowerText(value: Sql): Sql
  /** A condition: the text contains the part. */
  contains(text: Sql, part: Sql): Sql
  /** A condition: the text matches the pattern of LIKE, in which a backslash escapes, and case matters as it does in `=`. */
  isLike(text: Sql, pattern: Sql): Sql
  /** A condition: a match of the pattern, which `formatPattern` has written, is in the text. */
  matchesPattern(text: Sql, pattern: Sql): Sql
  readonly fullText: FullTextSql
  readonly rowChanges: RowChangesSql
  /** An ordering column for a cursor, in a form that can be bound as a parameter without loss. */
  position(value: Sql): Sql
  /** A version string that changes with every commit (decision 013); null if unknown. */
  readonly version: Sql
  /** An integer parameter that is compared with an integer column, also one that is too narrow for the value. */
  integer(value: Sql): Sql
  /** Selects the items of a JSON array of integers as a column named `value`. */
  keys(array: Sql): Sql
  /** Like `keys`, for an array of strings. */
  texts(array: Sql): Sql
  /**
   * Selects rows that `formatRecords` has formatted, with the types of the table's columns, and their index as `placeColumn`.
   */
  records(table: string, columns: readonly string[], list: Sql): Sql
  /**
   * Formats the parameter of `records`: values in the order of the columns. `json`: the columns whose values are the texts of
   * JSON.
   */
  formatRecords(
    rows: readonly (readonly ColumnValue[])[],
    columns: readonly string[],
    json: ReadonlySet<string>,
  ): string
  readonly insertedRows: InsertedRows
  /**
   * The beginning of a query that inserts a row and the rows that refer to it, and in which the names of both tables mean these rows.
   * `from` selects what the values of the children name `given`. It inserts nothing if one of the tables has a trigger. Absent if queries cannot contain statements that write.
   */
  readonly withInserted?: (parent: InsertedValues, children: InsertedValues & { readonly from: Sql }) => Sql
  /** The check of the values that the column takes; undefined if it takes any, or if they are not known. */
  findColumnCheck(column: Column): ColumnCheck | undefined
  /** Whether `records` can express values of such a column. */
  canRecord(kind: ColumnKind): boolean
  /** A condition: the column equals one of the values of `list`, by the rules of its own type. `formatList` formats `list`. */
  isOneOf(column: Sql, list: Sql): Sql
  /** The same for an integer column, which may be too narrow for some of the values. */
  isOneOfIntegers(column: Sql, list: Sql): Sql
  /** A condition: the columns of a row of the table have the values of one of the lists in `lists`, which is JSON. */
  isOneOfLists(table: string, columns: readonly ListedColumn[], lists: Sql): Sql
  /** Formats the parameter of `isOneOf`. */
  formatList(values: readonly (string | number)[]): string
  /** The text, percent-encoded as `encodeURIComponent` does. */
  encodeUrl(text: Sql): Sql
  /**
   * Follows a `select` of rows that the transaction itself writes, and locks them against changes until it ends. Empty if only one
   * transaction can write at a time.
   */
  readonly forUpdate: Sql
  /** Follows a `select` of rows to delete: locks them, and skips rows that another transaction has locked. */
  readonly skipLocked: Sql
  /**
   * Whether the transaction has locked this text; false if another one has. SQLite has one writer at a time, so it is always
   * true.
   */
  tryLock(text: Sql): Sql
  /** Follows `create` for a table whose rows may be lost in a crash, which makes writes cheaper. Empty if unsupported. */
  readonly unlogged: Sql
  /** Takes a named lock until the transaction ends; null if only one transaction can write at a time anyway. */
  lock(name: string): RawBuilder<unknown> | null
  /** After inserts with explicit keys, continues the key sequence after the largest key; null if this is automatic. */
  advanceKeys(table: string, key: string): RawBuilder<unknown> | null
  /** Selects the database's encoding, which must be UTF8; null if every database can store every character. */
  readonly encoding: RawBuilder<{ readonly encoding: string }> | null
  /** Selects the foreign keys with one column of all tables that SQL can use without a schema. */
  readonly foreignKeys: RawBuilder<ForeignKey>
  /** Matches SQL functions of time and randomness, whose values change although no data changes. */
  readonly volatile: RegExp
  /** Whether each column takes only values of its type. False: it stores any value. */
  readonly hasTypedColumns: boolean
  /** Whether an ascending index has null last. */
  readonly indexesNullLast: boolean
  /** The SQL that creates an index of the table, which may have a schema. The name of the index begins with the table's. */
  formatCreateIndex(table: string, columns: readonly IndexColumn[]): string
  /** True if the database failed to read or write its files, as opposed to an error of the statement or of a server. */
  isStorageFailure(error: unknown): boolean
  /** True if the error of a query means that a table does not exist. */
  isMissingTable(error: unknown): boolean
  /** Selects one row if a statement can use the table by this name; otherwise none. */
  findTable(name: string): RawBuilder<unknown>
  /** The name of the table that a statement could not create because it exists; undefined for other errors. */
  findExistingTable(error: unknown): string | undefined
}

/** A column of a row that is compared with a list of values. An integer column may be too narrow for some of them. */
export interface ListedColumn {
  readonly name: string
  readonly value: Sql
  readonly isInteger: boolean
}

/** A column of a new index; `descending` is for orders of several directions. */
export interface IndexColumn {
  readonly name: string
  readonly descending?: boolean
}

/** The columns in the parentheses of `create index`. */
export const formatIndexColumns = (columns: readonly IndexColumn[]): string =>
  columns.map(({ name, descending }) => `${quote(name)}${descending ? ' desc' : ''}`).join(', ')

/** A value that can be bound to a parameter. */
type ColumnValue = string | number | boolean | null

/** The rows that one INSERT writes, in their order. */
export interface InsertedRows {
  /** The most rows of one statement. */
  maxRows(columns: readonly string[]): number
  /** The argument `count` of `select` for a statement that inserts `count` rows: 1 if one statement inserts any number. */
  shape(count: number): number
  /** Follows the names of the columns in an INSERT: the rows that `bind` has bound. */
  select(columns: readonly InsertedColumn[], count: number): Sql
  /** The parameters of `select`: values in the order of the columns. */
  bind(rows: readonly (readonly ColumnValue[])[]): Record<string, ColumnValue>
}

/** A row that a query inserts. The name of the table has no schema. */
export interface InsertedValues {
  readonly table: string
  readonly columns: readonly string[]
  readonly values: readonly Sql[]
}

/** A column that an INSERT writes. */
export type InsertedColumn = Pick<Column, 'name' | 'plainType'>

/** A column that refers to the rows of another table, or of its own. */
export interface ForeignKey {
  readonly table: string
  readonly column: string
  readonly target: string
  readonly target_column: string
  /** What happens to the row if the row that it refers to is deleted. */
  readonly on_delete: 'cascade' | 'set null' | 'set default' | 'restrict' | 'no action'
}

/** The column types of a database, under names that are the same for all databases. */
export interface ColumnTypes {
  readonly key: RawBuilder<unknown>
  readonly reference: RawBuilder<unknown>
  readonly boolean: RawBuilder<unknown>
  readonly text: RawBuilder<unknown>
  /** A double. */
  readonly number: RawBuilder<unknown>
  /** `digits` digits in total, `places` of them after the decimal point. */
  decimal(digits: number, places: number): RawBuilder<unknown>
  readonly date: RawBuilder<unknown>
  readonly time: RawBuilder<unknown>
  readonly dateTime: RawBuilder<unknown>
  readonly duration: RawBuilder<unknown>
  /** The time of a write, as a default of date-time columns. It sorts correctly among date-times that the API writes. */
  readonly now: RawBuilder<unknown>
  readonly uuid: RawBuilder<unknown>
  readonly json: RawBuilder<unknown>
}

/** A table whose changes are recorded. */
export interface FollowedTable {
  readonly name: string
  /** The column of the key. */
  readonly key: string
  readonly columns: readonly Pick<Column, 'name' | 'plainType'>[]
}

/**
 * The changes of rows. Triggers record them in the table `feed_changes`, in the transaction of each write, whoever makes it: a
 * resource, SQL of the application, a cascade, or another program.
 */
export interface RowChangesSql {
  /** Creates the triggers of a table, unless it has them. Resolves to whether it did. Needs a transaction. */
  follow(kysely: Kysely<unknown>, table: FollowedTable): Promise<boolean>
  /** The number of the transaction. */
  readonly moment: Sql
  /** A condition on a row of `feed_changes`: no earlier change can still be committed. */
  readonly isSettled: Sql
  /** A number that a copy of the database does not have. */
  readonly origin: Sql
  /** Selects the rows of the table as they were before the changes with these ids, in an array as `keys` takes it. */
  formerRows(table: FollowedTable, ids: Sql): Sql
}

/** A full-text index of a table, with all its names. */
export interface NamedFullTextIndex {
  /** The schema of the table and of the index; undefined: the default one. */
  readonly schema: string | undefined
  /** The table, without its schema. */
  readonly table: string
  /** The columns with the texts. */
  readonly columns: readonly string[]
  /** The key column of the table. */
  readonly key: string
  /** The index, without its schema. */
  readonly name: string
}

/** The full-text indexes of a database. */
export interface FullTextSql {
  /** The statements that create the index, also for the rows that exist. */
  create(index: NamedFullTextIndex): readonly RawBuilder<unknown>[]
  /** The statements that remove the index. */
  drop(index: Pick<NamedFullTextIndex, 'schema' | 'name'>): readonly RawBuilder<unknown>[]
  /** The condition on the row whose columns `column` refers to. `query` has the phrases, each in quotation marks. */
  matches(index: NamedFullTextIndex, column: (name: string) => Sql, query: Sql): Sql
  /**
   * Whether the database has an index for `matches`. Reads in a transaction, whose settings it changes. Absent if `matches` is
   * an error without the index.
   */
  readonly isIndexed?: (index: NamedFullTextIndex, kysely: Kysely<unknown>) => Promise<boolean>
}
