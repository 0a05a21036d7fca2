// All that differs between the databases in SQL: how each writes JSON, compares values, names the types of columns and
// takes locks. A further database is one file that implements `Dialect`, and a driver.

import type { Expression, RawBuilder } from 'kysely'

/** A value in SQL. */
export type Sql = Expression<unknown> | RawBuilder<unknown>

/** The SQL of one database. Every value given to `object` and `array` appears as the JSON of its SQL type. */
export interface Dialect {
  readonly name: string
  readonly columns: ColumnTypes
  /** An object, as a value inside another. */
  object(entries: readonly (readonly [key: string, value: Sql])[]): Sql
  /** The text of an object or array. */
  text(json: Sql): Sql
  /** An array of the rows of a query with one column named `value`. */
  array(query: Sql): Sql
  /** As `array`, of objects. */
  objects(query: Sql): Sql
  /** The value of a column that keeps JSON. */
  json(value: Sql): Sql
  boolean(value: Sql): Sql
  /** A double, with all its digits. */
  number(value: Sql): Sql
  /** The digits of a decimal as text, so many of them after the point. */
  decimal(value: Sql, places: number): Sql
  /** `hh:mm:ss`, and `.ffffff` where that is not zero. */
  time(value: Sql): Sql
  /** `YYYY-MM-DDThh:mm:ss.ffffffZ`, also of a moment that the database wrote itself. */
  dateTime(value: Sql): Sql
  /** Is a date-time column this moment, whoever wrote it? */
  isMoment(column: Sql, moment: Sql): Sql
  /** A position in an ordering, in a form that comes back unchanged as a parameter. */
  position(value: Sql): Sql
  /**
   * A text that is another one whenever a count may be: the same as before means that nothing has been committed since
   * (decision 013). Null where that cannot be known.
   */
  readonly version: Sql
  /** The query of the keys in a JSON array of integers, as a column named `value`. */
  keys(array: Sql): Sql
  /** As `keys`, of texts. */
  texts(array: Sql): Sql
  /** Follows a `select`: its rows do not change until the transaction ends. Empty where a writer is alone. */
  readonly forShare: Sql
  /** Follows a `select` of rows to be deleted: rows that another transaction holds are left out. */
  readonly skipLocked: Sql
  /** Follows `create` of a table whose rows a crash may lose: writes to it are cheaper where the database knows that. */
  readonly unlogged: Sql
  /** Transactions that run the lock of one name take turns; null where writing transactions take turns anyway. */
  lock(name: string): RawBuilder<unknown> | null
  /** Numbers new rows from the largest key on, once rows were given keys; null where the database does so by itself. */
  advanceKeys(table: string, key: string): RawBuilder<unknown> | null
  /** The query of the database's encoding, which must be UTF8; null where every database holds every character. */
  readonly encoding: RawBuilder<{ readonly encoding: string }> | null
  /** Found in SQL whose value changes although no data does: functions of the time and of chance. */
  readonly volatile: RegExp
  /** Did a query fail because a table does not exist? */
  isMissingTable(error: unknown): boolean
}

/** Column types under one name for all databases. */
export interface ColumnTypes {
  readonly key: RawBuilder<unknown>
  readonly reference: RawBuilder<unknown>
  readonly boolean: RawBuilder<unknown>
  readonly text: RawBuilder<unknown>
  /** A double. */
  readonly number: RawBuilder<unknown>
  /** So many digits, and how many of them stand after the point. */
  decimal(digits: number, places: number): RawBuilder<unknown>
  readonly date: RawBuilder<unknown>
  readonly time: RawBuilder<unknown>
  readonly dateTime: RawBuilder<unknown>
  readonly duration: RawBuilder<unknown>
  /** The moment of a write, as a default of date-time columns. It sorts among the moments that the API writes. */
  readonly now: RawBuilder<unknown>
  readonly uuid: RawBuilder<unknown>
  readonly json: RawBuilder<unknown>
}
