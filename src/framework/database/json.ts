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
  boolean(value: Sql): Sql
  /** `YYYY-MM-DDThh:mm:ss.ffffffZ`. */
  dateTime(value: Sql): Sql
  /** A position in an ordering, in a form that comes back unchanged as a parameter. */
  position(value: Sql): Sql
  /** The query of the keys in a JSON array of integers, as a column named `value`. */
  keys(array: Sql): Sql
}

export const sqliteFunctions: SqlFunctions = Object.freeze<SqlFunctions>({
  name: 'sqlite',
  object: entries => sql`json_object(${sql.join(entries.flatMap(([key, value]) => [sql.lit(key), value]))})`,
  text: json => json,
  array: query => sql`(select json_group_array(value) from (${query}))`,
  boolean: value => sql`case ${value} when 1 then json('true') when 0 then json('false') end`,
  dateTime: value => value,
  position: value => value,
  keys: array => sql`select value from json_each(${array})`,
})

export const postgresFunctions: SqlFunctions = Object.freeze<SqlFunctions>({
  name: 'postgres',
  object: entries =>
    sql`(select row_to_json(o) from (select ${sql.join(
      entries.map(([key, value]) => sql`${value} as ${sql.id(key)}`),
    )}) as o)`,
  text: json => sql`cast(${json} as text)`,
  array: query => sql`array_to_json(array(${query}))`,
  boolean: value => value,
  dateTime: value => sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
  position: value => sql`cast(${value} as text)`,
  keys: array => sql`select cast(value as bigint) as value from json_array_elements_text(cast(${array} as json))`,
})
