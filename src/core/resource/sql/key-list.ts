// Keys and lists of keys in parameters. PostgreSQL compares a list with the type of the key's column: an integer, a UUID, an enum.

import { sql } from 'kysely'
import type { Dialect, Sql } from '../../database/dialect.ts'
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
  { type }: Pick<Identifier, 'type'>,
  values: readonly KeyValue[],
): string => formatList(type === 'integer' ? values : values.map(String))
