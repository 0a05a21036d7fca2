// The few functions in which the two databases differ where they write JSON and compare values.

import { type Expression, type RawBuilder, sql } from 'kysely'

/** A value in SQL. */
export type Sql = Expression<unknown> | RawBuilder<unknown>

/** How one database writes JSON. Every value given to `object` and `array` appears as the JSON of its SQL type. */
export interface SqlFunctions {
  readonly name: 'sqlite' | 'postgres'
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
  /** `YYYY-MM-DDThh:mm:ss.ffffffZ`. */
  dateTime(value: Sql): Sql
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
}

export const sqliteFunctions: SqlFunctions = Object.freeze<SqlFunctions>({
  name: 'sqlite',
  object: entries => sql`json_object(${sql.join(entries.flatMap(([key, value]) => [sql.lit(key), value]))})`,
  text: json => json,
  array: query => sql`(select json_group_array(value) from (${query}))`,
  // A query may hand a JSON value on as plain text.
  objects: query => sql`(select json_group_array(json(value)) from (${query}))`,
  json: value => sql`json(${value})`,
  boolean: value => sql`case ${value} when 1 then json('true') when 0 then json('false') end`,
  // In 3.53.0 and before, json_object writes 15 digits of a double; printf writes 0 for null.
  number: value => sql`case when ${value} is not null then json(printf('%!.17g', ${value})) end`,
  decimal: (value, places) => sql`case when ${value} is not null then printf(${sql.lit(`%.${places}f`)}, ${value}) end`,
  time: value => value,
  dateTime: value => value,
  position: value => value,
  version: sql`(select cast(data_version as text) from pragma_data_version)`,
  keys: array => sql`select value from json_each(${array})`,
  texts: array => sql`select value from json_each(${array})`,
})

export const postgresFunctions: SqlFunctions = Object.freeze<SqlFunctions>({
  name: 'postgres',
  object: entries =>
    sql`(select row_to_json(o.*) from (select ${sql.join(
      entries.map(([key, value]) => sql`${value} as ${sql.id(key)}`),
    )}) as o)`,
  text: json => sql`cast(${json} as text)`,
  array: query => sql`array_to_json(array(${query}))`,
  objects: query => sql`array_to_json(array(${query}))`,
  json: value => value,
  boolean: value => value,
  number: value => value,
  decimal: (value, places) => sql`cast(round(${value}, ${sql.lit(places)}) as text)`,
  time: value => sql`replace(to_char(${value}, 'HH24:MI:SS.US'), '.000000', '')`,
  dateTime: value => sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  position: value => sql`cast(${value} as text)`,
  version: sql`case when not pg_is_in_recovery() then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end`,
  keys: array => sql`select cast(value as bigint) as value from json_array_elements_text(cast(${array} as json))`,
  texts: array => sql`select value from json_array_elements_text(cast(${array} as json))`,
})
