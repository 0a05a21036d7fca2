// Keys and lists of keys in parameters. PostgreSQL compares a list with the type of the key's column: an integer, a UUID, an enum.

import { sql } from 'kysely'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { castTo, concat } from '../../database/expressions.ts'
import type { Identifier, KeyValue } from '../../keys/key.ts'

/** A condition: the column of the identifier has this value, which may be outside of the range of an integer column. */
export const isNamed = ({ integer }: Dialect, { type }: Pick<Identifier, 'type'>, column: Sql, value: Sql): Sql =>
  sql`${column} = ${type === 'integer' ? integer(value) : value}`

/** A condition: the column of the identifier has one of the values of `list`, which `formatKeyList` formats. */
export const isListed = (
  { isOneOf, isOneOfIntegers }: Dialect,
  { type }: Pick<Identifier, 'type'>,
  column: Sql,
  list: Sql,
): Sql => (type === 'integer' ? isOneOfIntegers : isOneOf)(column, list)

/** How a row is named: its table, and its columns. */
interface NamedRow {
  readonly table: string
  readonly refer: (column: string) => Sql
}

/** A condition: the row has this value of the identifier. */
export const hasName = (dialect: Dialect, identifier: Identifier, row: NamedRow, value: Sql): Sql =>
  identifier.parts === undefined
    ? isNamed(dialect, identifier, row.refer(identifier.column), value)
    : hasListedName(dialect, identifier, row, concat(sql.lit('['), castTo(value, 'text'), sql.lit(']')))

/** A condition: the row has one of the values of `list`, which `formatKeyList` formats. */
export const hasListedName = (dialect: Dialect, identifier: Identifier, { table, refer }: NamedRow, list: Sql): Sql =>
  identifier.parts === undefined
    ? isListed(dialect, identifier, refer(identifier.column), list)
    : dialect.isOneOfLists(
        table,
        identifier.parts.map(({ column, type }) => ({
          name: column,
          value: refer(column),
          isInteger: type === 'integer',
        })),
        list,
      )

/** A condition: the column of the identifier has one of these values. */
export const isOneOf = (
  dialect: Dialect,
  identifier: Pick<Identifier, 'type'>,
  column: Sql,
  values: readonly KeyValue[],
): Sql => isListed(dialect, identifier, column, sql`${formatKeyList(dialect, identifier, values)}`)

/** Formats values of an identifier as the parameter of `isListed`. */
export const formatKeyList = (
  { formatList }: Dialect,
  { type, parts }: Pick<Identifier, 'type' | 'parts'>,
  values: readonly KeyValue[],
): string => (parts ? `[${values.join()}]` : formatList(type === 'integer' ? values : values.map(String)))
