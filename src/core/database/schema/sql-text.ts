// The SQL of an application in the definition of a table, as text: for all databases, or for each.

import { DummyDriver, sql } from 'kysely'
import type { Dialect, Sql } from '../dialect.ts'
import { dialects } from '../dialects.ts'
import type { SqlText } from './schema-state.ts'

/**
 * Formats SQL that `create` returns for each database. Throws an Error that begins with `place` if the SQL has parameters, which the
 * definition of a table cannot have.
 */
export function formatSqlText(create: (dialect: Dialect) => Sql, place: string): SqlText {
  const [sqlite, postgres] = ['sqlite', 'postgres'].map(name => {
    const dialect = dialects.find(each => each.name === name)!
    const { sql: text, parameters } = sql`${create(dialect)}`.compile(dialect.createKysely(new DummyDriver()))
    if (parameters.length > 0)
      throw new Error(
        `${place}: the SQL contains a value, which a table cannot store as a parameter: write sql.lit(value)`,
      )
    return text
  }) as [string, string]
  return sqlite === postgres ? sqlite : { sqlite, postgres }
}

/** Formats the condition that all of these hold. Those of an application may contain an `or`, so they are in parentheses if there are several. */
export function formatConditions(own: readonly Sql[], given: readonly Sql[], place: string): SqlText {
  const isOne = own.length + given.length === 1
  const all = [...given.map(each => (isOne ? each : sql`(${each})`)), ...own]
  return formatSqlText(() => sql.join(all, sql` and `), place)
}

/** The condition that a column has a value. */
export const isEqual = (column: string, value: string | number | boolean | null): Sql =>
  value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${sql.lit(value)}`

/** The condition that a column has one of these values. */
export const isOneOf = (column: Sql, values: readonly (string | number)[]): Sql =>
  sql`${column} in (${sql.join(values.map(value => sql.lit(value)))})`
